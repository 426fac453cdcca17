"""What a command found: said on stdout, and kept in a folder, whole or not at all."""

import json
import shlex
import tempfile
from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

import bertattn
from bertattn import export, plots, tables
from bertattn.cli import folders
from bertattn.cli.folders import RUN
from bertattn.cli.running import say

MOST_LATEX = 300  # rows of a table that a paper might print


@dataclass(frozen=True, eq=False)
class Results:
    """What a command found.

    Attributes:
        said: Sentences for stdout.
        tables: The tables, by the names of their files.
        units: Sums and counts by group, by the names of their tables.
        figures: What draws each figure, by the names of their files.
    """

    said: Sequence[str]
    tables: Mapping[str, pd.DataFrame]
    units: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    figures: Mapping[str, Callable[[], Axes]] = field(default_factory=dict)


def unusual(**options: tuple[Any, Any]) -> dict[str, Any]:
    """Options for a manifest: those that are not what the package does by itself.

    Args:
        **options: What was asked for, and the package's own.

    Example:
        >>> unusual(swaps=(99, 999), seeds=(5, 5))
        {'swaps': 99}
    """
    return {name: asked for name, (asked, own) in options.items() if asked != own}


def left_out(counts: Mapping[str, int]) -> str:
    """What could not be kept, as a sentence.

    Example:
        >>> left_out({}), left_out({"single_sentences": 1})
        ('Left out: nothing.', 'Left out: 1 input of a single sentence.')
    """
    return f"Left out: {tables.left_out(counts).removesuffix(' left out')}."


def finish(results: Results, asked: Namespace) -> None:
    """Say what was found, and keep it where that was asked for."""
    first = next(iter(results.tables.values()))
    print(first.attrs["signature"], *results.said, sep="\n")
    if asked.out is None:
        say("no table is kept; --out DIR keeps them")
        return
    folders.check(asked.out, force=asked.force)
    files = _write(results, asked.out, shlex.join(["bertattn", *asked.given]))
    print(f"{len(files)} files in {asked.out}: {', '.join(results.tables)}")


def _write(results: Results, folder: Path, command: str) -> list[str]:
    """Write to a folder beside the one that is wanted; it takes its place when all went well."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}.") as beside:
        made = Path(beside) / "results"
        _fill(results, made, export.run_of(command))
        files = sorted(path.name for path in made.iterdir())
        ran = {"command": command, "bertattn": bertattn.__version__, "files": files}
        (made / RUN).write_text(json.dumps(ran, indent=1) + "\n", "utf-8")
        folders.put(made, folder)
    return [*files, RUN]


def _fill(results: Results, made: Path, ran: Mapping[str, str]) -> None:
    for name, table in results.tables.items():
        units, short = results.units.get(name), len(table) <= MOST_LATEX
        export.tables(table, made, name, units, with_latex=short, ran=ran)
    if results.figures:
        plots.set_theme()
    for name, draw in results.figures.items():
        plots.save(draw(), made / name)
