"""What a command can be given: one option, its default in its help, and what it accepts."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bertattn.heads import AttentionHead

LAYOUTS = ("titled", "sentences", "paragraphs")
SINKS = ("both", "start", "separator", "first")
LABELS = ("stanford",)
HEADS = ("best", "each")
CUTS = ("first", "tiled")
LEVELS = ("word", "piece")
FORMS = ("lines", "matrix")
DEVICES = ("cuda", "mps", "cpu")
ENDINGS = (".html", ".png", ".svg")


def option(
    parser: argparse.ArgumentParser, name: str, default: Any, text: str, said: str = "", **rest: Any
) -> None:
    """Add an option whose help ends in its default, in words where that is None."""
    shown = said or str(default)
    parser.add_argument(name, default=default, help=f"{text} (default: {shown})", **rest)


def model(parser: argparse.ArgumentParser) -> None:
    """Which model, and where it runs."""
    option(parser, "--model", "minilm", "minilm (packaged), a hub's name or a folder")
    option(parser, "--device", None, "where it runs", "the first that is there", choices=DEVICES)


def corpus(parser: argparse.ArgumentParser, *, trees: bool = False) -> None:
    """Which text, or which sentences with trees."""
    if trees:
        text = "treebank: sample, a fetched one, a file or folder; spaCy parses plain text"
        option(parser, "--corpus", "sample", text)
        option(parser, "--sentences", None, "at most so many", "all", type=count, metavar="N")
        text = "turn Universal Dependencies into the paper's labels"
        option(parser, "--labels", None, text, "as they are", choices=LABELS)
        strict(parser, "a sentence that is no tree")
    else:
        option(parser, "--corpus", "sample", "sample, a fetched one, a file or a folder")
        text = "how text is written"
        option(parser, "--layout", None, text, "its content tells", choices=LAYOUTS)


def strict(parser: argparse.ArgumentParser, what: str) -> None:
    """Whether the first fault stops the reading."""
    parser.add_argument(
        "--strict", action="store_true", help=f"stop at {what} (default: leave it out, and count)"
    )


def control(parser: argparse.ArgumentParser) -> None:
    """Whether a model with random layers is measured too."""
    option(
        parser,
        "--control",
        True,
        "measure a model with random layers too",
        "yes",
        action=argparse.BooleanOptionalAction,
    )


def results(parser: argparse.ArgumentParser) -> None:
    """Where tables go, and whether to run at all."""
    out(parser)
    text = "say what the run will take, and stop"
    parser.add_argument("--dry-run", action="store_true", help=text)


def out(parser: argparse.ArgumentParser) -> None:
    """Where tables go."""
    text = "folder for tables (CSV, Parquet), manifests and a figure"
    option(parser, "--out", None, text, "none: a summary only", type=Path, metavar="DIR")
    parser.add_argument(
        "--force",
        action="store_true",
        help="write though DIR is not empty: results that lie there are replaced, the rest stays",
    )


def debug(parser: argparse.ArgumentParser) -> None:
    """Whether errors show where they come from."""
    text = "show where in the program an error comes from"
    parser.add_argument("--debug", action="store_true", help=text)


def count(text: str) -> int:
    """A whole number of at least one.

    Raises:
        ArgumentTypeError: If it is none.

    Example:
        >>> count("12")
        12
    """
    return _whole(text, 1)


def zero_or_more(text: str) -> int:
    """A whole number of at least zero.

    Raises:
        ArgumentTypeError: If it is none.
    """
    return _whole(text, 0)


def _whole(text: str, least: int) -> int:
    if not text.isdecimal() or int(text) < least:
        raise argparse.ArgumentTypeError(f"wanted a whole number of at least {least}, got {text!r}")
    return int(text)


def share(text: str) -> float:
    """A number above 0 and up to 1.

    Raises:
        ArgumentTypeError: If it is none.

    Example:
        >>> share("0.125")
        0.125
    """
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= 1:
        raise argparse.ArgumentTypeError(f"wanted a share above 0 and up to 1, got {text!r}")
    return value


def heads(text: str) -> Sequence[AttentionHead]:
    """Heads by their printed names, commas between.

    Raises:
        ArgumentTypeError: If a name is none.

    Example:
        >>> heads("3-1, 3-4")
        [AttentionHead(layer=2, index=0), AttentionHead(layer=2, index=3)]
    """
    try:
        return [AttentionHead.parse(name) for name in text.split(",")]
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def view_file(text: str) -> Path:
    """A file's name that says whether it is a page or a picture.

    Raises:
        ArgumentTypeError: If it does not.
    """
    path = Path(text)
    if path.suffix.lower() not in ENDINGS:
        known = ", ".join(ENDINGS)
        raise argparse.ArgumentTypeError(f"wanted a name that ends in one of {known}, got {text!r}")
    return path
