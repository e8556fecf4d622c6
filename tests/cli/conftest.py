"""What tests of commands share."""

from __future__ import annotations

import pytest

from ranksieve.cli import main


@pytest.fixture
def ranksieve(capsys):
    """Run a command; return its exit status, standard output and standard error."""

    def run(*arguments):
        with pytest.raises(SystemExit) as ending:
            main([str(argument) for argument in arguments])
        output = capsys.readouterr()
        return ending.value.code, output.out, output.err

    return run
