"""Running a command: what is said where, and with which exit code it ends."""

import importlib
import logging
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from bertattn.cli.commands import parser
from bertattn.cli.folders import check

DONE, FAILED, STOPPED = 0, 1, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    Args:
        arguments: The command and what it is given; by default the process's own.

    Returns:
        The exit code: 0 done, 1 failed, 130 stopped by Ctrl-C. Wrong usage exits with 2.

    Raises:
        SystemExit: If help was asked for, or the usage is wrong.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    asked = parser().parse_args(given)
    asked.given = given
    try:
        with _log():
            if "force" in asked:
                check(asked.out, force=asked.force)
            importlib.import_module(f"bertattn.cli.{asked.command}").run(asked)
    except KeyboardInterrupt:
        say("stopped; no result was written")
        return STOPPED
    except Exception as error:
        if asked.debug:
            raise
        say(f"error: {sentence(error)}")
        return FAILED
    return DONE


def say(text: str) -> None:
    """A line on stderr."""
    print(f"bertattn: {text}", file=sys.stderr, flush=True)


def sentence(error: Exception) -> str:
    r"""An error in one line; one that the package did not foresee is named.

    Example:
        >>> sentence(OSError("the disk\nis full"))
        'the disk is full'
        >>> sentence(KeyError("x"))
        "KeyError: 'x' (not foreseen; --debug shows where)"
    """
    text = " ".join(str(error).split())
    if isinstance(error, ModuleNotFoundError) and not (error.name or "").startswith("bertattn"):
        return (
            f"{text} for {sys.executable}: bertattn is not installed there with what it needs; use "
            ".venv/bin/bertattn, which `make env` makes, or pip install ."
        )
    if isinstance(error, OSError) or _raised_here(error):
        return text or type(error).__name__
    return f"{type(error).__name__}: {text} (not foreseen; --debug shows where)"


def _raised_here(error: Exception) -> bool:
    """Was it this package that raised the error, not a library under it?"""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    name = trace.tb_frame.f_globals.get("__name__", "") if trace is not None else ""
    return str(name).split(".")[0] == "bertattn"


@contextmanager
def _log() -> Iterator[None]:
    """The package's warnings on stderr, each once."""
    log, handler = logging.getLogger("bertattn"), _Once()
    log.addHandler(handler)
    try:
        yield
    finally:
        log.removeHandler(handler)


class _Once(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._said: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if text not in self._said:
            self._said.add(text)
            say(text)
