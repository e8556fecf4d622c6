"""One command for an owner of MQ2007: published figures beside those of a store."""

from __future__ import annotations

import csv
import io

import pytest

from ranksieve import make_ranking
from ranksieve.cli import main
from ranksieve.data import write_text
from ranksieve.experiment import read_results
from ranksieve.experiment.published.rows import StoredRows

STUDY = """
title = "a small study"
data = ["OHSUMED"]
k = [2, "all"]
measures = ["letor-map", "letor-ndcg@10"]
[selectors]
FSMRank = 'FSMRank(similarity_strength=0.01, importance_strength=0.01)'
l1 = 'SparseRankSVM("l1", strength=0.01)'
MCP = 'SparseRankSVM("mcp", strength=0.01)'
[rankers]
RankSVM = "RankSVM(C=0.1)"
"""


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A store of the study above on other data than it names, in a folder called mq2007."""
    home = tmp_path_factory.mktemp("home")
    data, _ = make_ranking(12, 12, n_relevant=2, n_redundant=0, n_irrelevant=2)
    for number in range(2):
        fold = home / "mq2007" / f"Fold{number + 1}"
        fold.mkdir(parents=True)
        for place, part in enumerate(("train", "vali", "test")):
            first = 4 * ((place + number) % 3)
            write_text(data.queries(list(range(first, first + 4))), fold / f"{part}.txt")
    (home / "study.toml").write_text(STUDY)
    asked = ["compare", "--config", home / "study.toml", home / "mq2007"]
    with pytest.raises(SystemExit) as ending:
        main([str(part) for part in (*asked, "--store", home / "mq.db", "--workers", 1)])
    assert ending.value.code == 0
    return home / "mq.db"


@pytest.fixture
def report(store, capsys):
    def run(*arguments):
        with pytest.raises(SystemExit) as ending:
            main(["report", str(store), *map(str, arguments)])
        output = capsys.readouterr()
        return ending.value.code, output.out, " ".join(output.err.replace("│", "").split())

    return run


@pytest.mark.slow
def test_a_study_on_other_data_is_shown_beside_the_published_figures(report, store):
    status, out, _ = report("--published")
    assert status == 0
    results = read_results(store)
    assert [facts.name for facts in results.data] == ["mq2007"]
    stored = StoredRows.of([results])
    rows = {}
    for line in out.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        rows.setdefault(cells[0], []).append(cells[1:])
    ratio = stored.ratio(stored.row("FSM", "MQ2007"))
    assert rows["FSM"][0][:3] == ["0.64", f"{ratio:.2f}", f"{ratio - 0.64:+.2f}"]
    assert rows["FSM"][1][:2] == [
        "0.4672, best",
        f"{stored.row('FSM', 'MQ2007').mean('letor-map'):.4f}",
    ]
    assert rows["log"][0][1:] == ["-", "-", "not stored"]
    assert results.command in out


@pytest.mark.slow
def test_the_ending_of_the_file_chooses_the_format_of_published_tables(report, tmp_path):
    for name, start in (("a.md", "# Published"), ("a.tex", "% Needs"), ("a.csv", "table,row")):
        status, out, _ = report("--published", "-o", tmp_path / name)
        assert (status, out) == (0, f"Written to {tmp_path / name}.\n")
        assert (tmp_path / name).read_text().startswith(start)
    status, out, _ = report("--published", "--format", "csv", "--measure", "letor-map")
    measures = {line["measure"] for line in csv.DictReader(io.StringIO(out))}
    assert measures == {"", "letor-map"}
    status, _, errors = report("--published", "-o", tmp_path / "a.md")
    assert status == 1
    assert "exists" in errors


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--format", "html"), "--published makes tables as text"),
        (("-o", "page.html"), "--published makes tables as text"),
        (("--figures", "charts"), "without --figures"),
        (("--study", "2"), "holds 1"),
        (("--measure", "map"), "They print: letor-ndcg@1"),
    ],
)
def test_mistakes_with_published_tables_are_named(report, arguments, message):
    status, out, errors = report("--published", *arguments)
    assert (status, out) == (1, "")
    assert message in errors
