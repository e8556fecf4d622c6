from __future__ import annotations

from rich.table import Table

from ranksieve.cli._output import console, print_table


def test_square_brackets_are_text(capsys):
    console.cache_clear()
    console().print("pip install 'ranksieve[lightgbm]'")
    table = Table("feature[bold]", box=None)
    table.add_row("title[red]")
    print_table(table)
    out = capsys.readouterr().out
    console.cache_clear()
    assert "ranksieve[lightgbm]" in out
    assert "feature[bold]" in out
    assert "title[red]" in out
