"""The commands and what each can be given."""

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import bertattn
from bertattn.cli import options
from bertattn.cli.options import FORMS, LEVELS, SINKS, count, option, share, zero_or_more

NOTES = """\
`bertattn COMMAND --help` shows a command's options, their defaults and an example.
Findings go to stdout, progress and cost to stderr; BERTATTN_PROGRESS=0 shows no bars.
Exit codes: 0 done, 1 failed, 2 wrong usage, 130 stopped by Ctrl-C.
"""


class _Parser(argparse.ArgumentParser):
    """Options by their whole names, examples printed as they are written."""

    def __init__(self, **arguments: Any) -> None:
        raw = argparse.RawDescriptionHelpFormatter
        super().__init__(allow_abbrev=False, formatter_class=raw, **arguments)


class Command(NamedTuple):
    """A command: what it does, an example, and its options."""

    text: str
    example: str
    add_options: Callable[[argparse.ArgumentParser], None]


def _measure(parser: argparse.ArgumentParser) -> None:
    options.model(parser)
    options.corpus(parser)
    option(parser, "--segments", 200, "at most so many; the paper's 1000", type=count, metavar="N")
    _rows(parser)
    options.results(parser)


def _score(parser: argparse.ArgumentParser) -> None:
    options.model(parser)
    options.corpus(parser, trees=True)
    text = "arcs that a relation must have"
    option(parser, "--min-count", 50, text, type=count, metavar="N")
    text = "times that maps are swapped for the p-values; 0: none are given"
    option(parser, "--swaps", 999, text, type=zero_or_more, metavar="N")
    options.control(parser)
    options.results(parser)


def _coref(parser: argparse.ArgumentParser) -> None:
    options.model(parser)
    text = "sample, ontogum, files of OntoGUM or CoNLL-2012, or a folder of them"
    option(parser, "--coref", "sample", text)
    text = "a document's first 128 pieces, or all of it in windows"
    option(parser, "--cut", "first", text, choices=options.CUTS)
    option(parser, "--documents", None, "at most so many", "all", type=count, metavar="N")
    options.strict(parser, "a document that cannot be read")
    text = "times that antecedents are shuffled for the p-values; 0: none are given"
    option(parser, "--shuffles", 499, text, type=zero_or_more, metavar="N")
    options.control(parser)
    options.results(parser)


def _probe(parser: argparse.ArgumentParser) -> None:
    options.model(parser)
    options.corpus(parser, trees=True)
    text = "the packaged GloVe, a file of GloVe's text format, or a spaCy model"
    option(parser, "--vectors", "glove-6b-50d", text)
    option(parser, "--epochs", 8, "of training", type=count, metavar="N")
    text = "models with random layers that are probed; 0: none"
    option(parser, "--seeds", 5, text, type=zero_or_more, metavar="N")
    options.results(parser)


def _cluster(parser: argparse.ArgumentParser) -> None:
    options.model(parser)
    options.corpus(parser)
    option(parser, "--segments", 100, "at most so many", type=count, metavar="N")
    _rows(parser)
    option(parser, "--sink", "both", "whose columns are removed once more", choices=SINKS)
    options.results(parser)


def _rows(parser: argparse.ArgumentParser) -> None:
    text = "share of each segment's rows that distances take; 1 takes all"
    option(parser, "--rows", 0.125, text, type=share, metavar="SHARE")


def _view(parser: argparse.ArgumentParser) -> None:
    options.model(parser)
    parser.add_argument("--text", required=True, help="what the model reads")
    option(parser, "--second", "", "a second text after it", "none", metavar="TEXT")
    text = "heads of one layer that are shown first, such as 3-1,3-4"
    option(parser, "--heads", options.heads("1-1"), text, "1-1", type=options.heads)
    option(parser, "--level", "word", "what is shown first", choices=LEVELS)
    option(parser, "--form", "lines", "lines or a matrix", choices=FORMS)
    parser.add_argument("--all", action="store_true", help="all heads at once, to choose one")
    text = "a page (.html, works offline) or a picture (.png, .svg); what is there is replaced"
    parser.add_argument("--out", type=options.view_file, required=True, metavar="FILE", help=text)


def _compare(parser: argparse.ArgumentParser) -> None:
    for name, which in (("first", "A"), ("second", "B")):
        text = f"folder that an earlier run wrote its tables to, the {name}"
        parser.add_argument(name, type=Path, metavar=which, help=text)
    text = "each run's best head, or every head with its namesake"
    option(parser, "--heads", "best", text, choices=options.HEADS)
    text = "arcs or mentions that a row must have"
    option(parser, "--min-count", 50, text, type=count, metavar="N")
    options.out(parser)


def _repeat(parser: argparse.ArgumentParser) -> None:
    text = "a table's JSON, as --out of the other commands writes it"
    parser.add_argument("manifest", type=Path, metavar="MANIFEST", help=text)
    text = "go on though model, corpus or code are not what they were, and say what is not"
    parser.add_argument("--anyway", action="store_true", help=text)
    options.out(parser)


def _data(parser: argparse.ArgumentParser) -> None:
    text = "names of corpora, such as gum-sd (default: all)"
    parser.add_argument("only", nargs="*", metavar="ONLY", help=text)
    text = "say what there is, how large, and its licence, and fetch nothing"
    parser.add_argument("--dry-run", action="store_true", help=text)


COMMANDS: Mapping[str, Command] = {
    "measure": Command(
        "Where attention goes, and how far apart heads are (sections 3 and 6).",
        "bertattn measure --model minilm --corpus my.txt --out build/surface",
        _measure,
    ),
    "score": Command(
        "Which head finds which syntactic relation (section 4.2, table 1).",
        "bertattn score --corpus gum-sd --sentences 1000 --out build/syntax",
        _score,
    ),
    "coref": Command(
        "Which head looks from a mention to its antecedent (section 4.3, table 2).",
        "bertattn coref --coref ontogum --cut tiled --out build/coref",
        _coref,
    ),
    "probe": Command(
        "How much of a tree can be read off all heads together (section 5, table 3).",
        "bertattn probe --sentences 500 --seeds 1 --out build/probes",
        _probe,
    ),
    "cluster": Command(
        "Which heads attend alike, with and without the sink (section 6, figure 6).",
        "bertattn cluster --corpus my.txt --rows 1 --out build/clusters",
        _cluster,
    ),
    "view": Command(
        "Attention of a text as an interactive page or a picture.",
        'bertattn view --text "She fed the octopus." --heads 3-1,3-4 --out attention.html',
        _view,
    ),
    "compare": Command(
        "What one run found more or less than another, document by document.",
        "bertattn compare build/before build/after --heads each --out build/difference",
        _compare,
    ),
    "repeat": Command(
        "Make a table again from its manifest, or say what is no longer as it was.",
        "bertattn repeat build/syntax/table_1.json --out build/again",
        _repeat,
    ),
    "data": Command(
        "Fetch corpora that others made, checksums proven, licences shown.",
        "bertattn data gum-sd ontogum",
        _data,
    ),
}


def parser() -> argparse.ArgumentParser:
    """The parser of the command line."""
    top = _Parser(prog="bertattn", description=bertattn.__doc__, epilog=NOTES)
    top.add_argument("--version", action="version", version=f"bertattn {bertattn.__version__}")
    names = top.add_subparsers(
        dest="command", required=True, metavar="COMMAND", parser_class=_Parser
    )
    for name, command in COMMANDS.items():
        one = names.add_parser(
            name,
            help=command.text,
            description=command.text,
            epilog=f"example:\n  {command.example}",
            prog=f"bertattn {name}",
        )
        command.add_options(one)
        options.debug(one)
    return top
