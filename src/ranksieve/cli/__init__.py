"""The command line: one module a command, and the only place that prints.

Command modules import what they need inside their function, so that `ranksieve --help`
starts as fast as the interpreter and click allow.
"""

from __future__ import annotations

import atexit
import errno
import gc
import os
import signal
import sys
import threading
import warnings
from importlib import import_module
from pathlib import Path

import click

from ranksieve import __version__
from ranksieve.packages import import_less


class _Commands(click.Group):
    """Commands are the modules of this folder whose names do not start with `_`."""

    def list_commands(self, context: click.Context) -> list[str]:
        return sorted(
            path.stem for path in Path(__file__).parent.glob("*.py") if path.stem[0] != "_"
        )

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in self.list_commands(context):
            return None
        command: click.Command = import_module(f"ranksieve.cli.{name}").command
        return command

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(context, args)
        except click.UsageError:
            from ranksieve.catalog import suggestion

            known = self.list_commands(context)
            context.fail(f"no command is called {args[0]!r}{suggestion(args[0], known)}")


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", prog_name="ranksieve")
def _group() -> None:
    """Find the features that a ranking model needs, and what dropping the rest costs.

    Every command has --help. Errors are one panel; add --debug for the traceback.
    """


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit: 0, 1 with a panel, 2 for usage, 130 after Ctrl-C."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in given
    given = [argument for argument in given if argument != "--debug"]
    # At its end Python looks for garbage among all that was loaded, for some tenths of a second.
    atexit.unregister(gc.freeze)
    atexit.register(gc.freeze)
    _leave_tidily_when_told_to()
    import_less()
    shown, warnings.showwarning = warnings.showwarning, _show_plainly
    try:
        # Without standalone mode click returns the exit status instead of leaving with it.
        status = _group.main(given, prog_name="ranksieve", standalone_mode=False)
        sys.stdout.flush()
        sys.exit(status if isinstance(status, int) else 0)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        sys.stderr.write("\nStopped.\n")
        sys.exit(130)
    except BrokenPipeError:
        # The reader of a pipe has left (`ranksieve ... | head`): nothing to tell it, and the
        # interpreter must not try again at its end.
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123
        sys.exit(1)
    except Exception as error:
        if debug:
            raise
        _tell(error)
        sys.exit(1)
    finally:
        warnings.showwarning = shown


def _tell(error: Exception) -> None:
    """Show an error as a panel; in one line where memory does not suffice for more."""
    # What the failed call held is let go, so that there is memory to say so.
    error.__traceback__ = error.__context__ = error.__cause__ = None
    if not _is_of_memory(error):
        try:
            from ranksieve.cli._panel import show_error

            show_error(error)
        except (MemoryError, ImportError, OSError) as another:
            if not _is_of_memory(another):
                raise
        else:
            return
    # Nothing may be imported here: that takes memory, too.
    detail = f": {error}" if isinstance(error, MemoryError) and str(error) else ""
    sys.stderr.write(f"Error: not enough memory{detail}. Use fewer features or queries.\n")


def _is_of_memory(error: Exception) -> bool:
    """Tell whether memory was refused: to an array, or to a library that was being loaded."""
    words = ("cannot allocate memory", "failed to map segment", "can't start new thread")
    return (
        isinstance(error, MemoryError)
        or (isinstance(error, OSError) and error.errno == errno.ENOMEM)
        or any(word in str(error).lower() for word in words)
    )


def _show_plainly(
    message: Warning | str, category: type[Warning], *where: object, **others: object
) -> None:
    """Say a warning in one line, without file and source line."""
    if not issubclass(category, DeprecationWarning | FutureWarning):
        click.echo(f"Warning: {message}", err=True)


def _leave_tidily_when_told_to() -> None:
    """Let SIGTERM and SIGHUP end the process as an error does: files half-written are removed."""

    def leave(number: int, frame: object) -> None:
        sys.exit(128 + number)

    if threading.current_thread() is threading.main_thread():
        for name in ("SIGTERM", "SIGHUP"):
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), leave)
