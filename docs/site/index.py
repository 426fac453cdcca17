"""The table of contents as a notebook, and as the table in README.md."""

import re
from collections.abc import Sequence
from pathlib import Path

import nbformat

from docs.site.contents import ROOT, Entry, entries, live, repository

INDEX = ROOT / "notebooks" / "index.ipynb"
README = ROOT / "README.md"
TABLE = re.compile(r"(<!-- notebooks -->\n).*?(<!-- end: notebooks -->)", re.DOTALL)
KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}
INTRODUCTION = """\
# What does a language model look at?

A series of notebooks on attention heads, after Clark et al. 2019. This page is made from the
notebooks' sources.

Notebooks 00 to 02 come first; after them, each names what it builds on. If a first cell says
*No module named 'bertattn'*, the kernel is not the one that `make env` made: choose the one of
`.venv`, or open the notebooks by `make lab`."""
RUN_THERE = """\
**Without an install:** [Binder]({Binder}) opens this page on a server that it makes from
`environment.yml`. In Colab, add a first cell, `%pip install -q git+{address}`. Both need a network;
neither has been tried."""


def index() -> str:
    """The index notebook, as it is stored."""
    address = repository()
    there = live("notebooks/index.ipynb", address)
    parts = [INTRODUCTION, overview(entries())]
    if there:
        parts.insert(1, RUN_THERE.format(**there, address=address))
    parts += [in_full(entry, address) for entry in entries()]
    notebook = nbformat.v4.new_notebook()
    notebook.nbformat_minor = 5
    notebook.metadata = {
        "kernelspec": KERNEL,
        "language_info": {"name": "python"},
        "title": "What does a language model look at?",
    }
    notebook.cells = [
        nbformat.v4.new_markdown_cell(text, id=f"index-{number:03d}", metadata={})
        for number, text in enumerate(parts)
    ]
    return nbformat.writes(notebook) + "\n"


def overview(of: Sequence[Entry], folder: str = "") -> str:
    """The series as a table.

    Args:
        of: The notebooks.
        folder: Where they are, seen from the page.
    """
    rows = [
        f"| [{entry.title.replace(' · ', ' ')}]({folder}{entry.file}) | {entry.question} | "
        f"{entry.paper} | {entry.time.partition(',')[0]} |"
        for entry in of
    ]
    return "\n".join(["| notebook | asks | in the paper | time |", "|---|---|---|---|", *rows])


def in_full(entry: Entry, address: str) -> str:
    """All that a notebook says of itself."""
    there = live(f"notebooks/{entry.file}", address)
    links = "".join(f" · [{name}]({target})" for name, target in there.items())
    objectives = [f"- {objective}" for objective in entry.objectives]
    afterwards = ["After it you can", *objectives, ""] if objectives else []
    return "\n".join(
        [
            f"## [{entry.title}]({entry.file}){links}",
            "",
            f"**{entry.question}**" + (f" ({entry.paper})" if entry.paper else ""),
            "",
            *afterwards,
            f"*Before it:* {entry.prerequisites} *Time:* {entry.time}. *Exercises:* "
            f"{entry.n_exercises}.",
            "",
            f"*In it:* {' · '.join(entry.sections)}",
        ]
    )


def readme() -> str:
    """README.md with its table of notebooks renewed.

    Raises:
        ValueError: If the marks between which it stands are gone.
    """
    text = README.read_text("utf-8")
    table = overview(entries(), "notebooks/")
    renewed, n = TABLE.subn(lambda marks: f"{marks[1]}{table}\n{marks[2]}", text)
    if n != 1:
        raise ValueError(f"README.md has {n} tables between <!-- notebooks --> marks; wanted one")
    return renewed


def made() -> dict[Path, str]:
    """The files that are made from the sources, and what they should be."""
    return {INDEX: index(), README: readme()}


def write() -> None:
    """Write them."""
    for path, text in made().items():
        path.write_text(text, "utf-8")


def stale() -> list[str]:
    """Which of them are not what the sources say."""
    return [
        f"{path.name} is not what notebooks/src says; run: make index"
        for path, text in made().items()
        if not path.exists() or path.read_text("utf-8") != text
    ]
