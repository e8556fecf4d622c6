from __future__ import annotations

import io
import time

import pytest
from rich.console import Console

from ranksieve.cli import _progress
from ranksieve.progress import report


@pytest.fixture
def terminal(monkeypatch):
    """A terminal that keeps what is written to it, and patience that ends at once."""
    screen = io.StringIO()
    monkeypatch.setattr(_progress, "_PATIENCE", 0.05)
    monkeypatch.setattr(
        _progress, "Console", lambda **_: Console(file=screen, force_terminal=True, width=100)
    )
    return screen


def test_what_is_quick_shows_nothing(terminal, monkeypatch):
    monkeypatch.setattr(_progress, "_PATIENCE", 60.0)
    with _progress.progress_bars():
        report("reading", 1, 2)
        report("reading", 2, 2)
    assert terminal.getvalue() == ""


def test_what_takes_long_shows_a_bar_with_its_label(terminal):
    with _progress.progress_bars():
        for done in range(8):
            report("reading train.txt", done, 10)
            time.sleep(0.05)
    assert "reading train.txt" in terminal.getvalue()
    assert "%" in terminal.getvalue()


def test_silence_for_long_says_that_work_goes_on(terminal):
    with _progress.progress_bars():
        time.sleep(0.4)
    assert "a first run compiles, once" in terminal.getvalue()


def test_without_a_terminal_a_line_now_and_then_says_how_long_it_will_take(monkeypatch):
    written = io.StringIO()
    monkeypatch.setattr(_progress, "_LINE", 0.0)
    monkeypatch.setattr(_progress, "Console", lambda **_: Console(file=written, width=100))
    with _progress.progress_bars(lines=True):
        report("trials", 0, 4)
        time.sleep(0.02)
        report("trials", 1, 4)
        report("trials", 4, 4)
    first, second = written.getvalue().splitlines()
    assert first == "trials: 0%"
    assert second.startswith("trials: 25%, about 1 s left")


def test_without_a_terminal_nothing_is_written_unless_it_is_asked_for(monkeypatch):
    written = io.StringIO()
    monkeypatch.setattr(_progress, "_LINE", 0.0)
    monkeypatch.setattr(_progress, "Console", lambda **_: Console(file=written, width=100))
    with _progress.progress_bars():
        report("trials", 1, 4)
    assert written.getvalue() == ""
