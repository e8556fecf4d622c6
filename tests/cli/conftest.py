"""What tests of commands share."""

from __future__ import annotations

import pytest

from ranksieve.cli import _progress, main


@pytest.fixture(autouse=True)
def patience(request, monkeypatch):
    """Keep commands from reporting progress because a machine is slow; one file tests reports."""
    if request.path.name != "test_progress.py":
        monkeypatch.setattr(_progress, "_PATIENCE", 3600.0)


@pytest.fixture
def ranksieve(capsys):
    """Run a command; return its exit status, standard output and standard error."""

    def run(*arguments):
        with pytest.raises(SystemExit) as ending:
            main([str(argument) for argument in arguments])
        output = capsys.readouterr()
        return ending.value.code, output.out, output.err

    return run
