"""What each notebook says of itself, read from its source."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import jupytext

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "notebooks" / "src"
BRANCH = "main"  # of the repository, in links to Colab and Binder


@dataclass(frozen=True)
class Entry:
    """A notebook in the table of contents.

    Attributes:
        stem: The file's name without its ending.
        title: Its heading.
        question: The question it asks, as Markdown.
        paper: What stands in brackets behind the question: the section of the paper.
        objectives: What a reader can do afterwards, as Markdown.
        prerequisites: What comes before it, as Markdown.
        time: How long it takes, in words.
        sections: Its second-level headings.
        n_exercises: How many exercises it has, those in prose included.
    """

    stem: str
    title: str
    question: str
    paper: str
    objectives: tuple[str, ...]
    prerequisites: str
    time: str
    sections: tuple[str, ...]
    n_exercises: int

    @property
    def file(self) -> str:
        """The notebook's file, beside the index."""
        return f"{self.stem}.ipynb"


def entries() -> list[Entry]:
    """All notebooks of the series, in order."""
    return [entry(path) for path in sorted(SOURCES.glob("[0-9]*.py"))]


def entry(source: Path) -> Entry:
    """What a source says of its notebook.

    Raises:
        ValueError: If it has no title, question or time where all notebooks have theirs.
    """
    cells = jupytext.read(source, fmt="py:percent").cells
    prose = [cell.source for cell in cells if cell.cell_type == "markdown"]
    opening, text = _joined(prose[0]), "\n\n".join(prose)
    question = _wanted(r"^\*\*(.+?)\*\*", opening, source, "a question in bold")
    question = question.rpartition("The question of this series: ")[2]
    paper = re.search(r"^\*\*.+?\*\* \((.+?)\)", opening, re.MULTILINE)
    return Entry(
        stem=source.stem,
        title=_wanted(r"^# (.+)$", opening, source, "a title"),
        question=question[0].upper() + question[1:],
        paper=paper[1].removeprefix("Clark et al. 2019, ") if paper else "",
        objectives=tuple(_listed(prose[0])),
        prerequisites=_wanted(r"\*Prerequisites:\* (.+?) \*Time", opening, source, "prerequisites"),
        time=_wanted(r"\*Time:\* ([^.]+)", opening, source, "a time"),
        sections=tuple(re.findall(r"^## (.+)$", text, re.MULTILINE)),
        n_exercises=len(re.findall(r"^\*\*\d+\.", text, re.MULTILINE)),
    )


def repository() -> str:
    """The address of the repository, or nothing where pyproject.toml names none."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return str(project.get("urls", {}).get("Repository", "")).rstrip("/")


def live(path: str, address: str) -> dict[str, str]:
    """Where a notebook can be run by others' machines, by name: none without an address on GitHub.

    Args:
        path: The notebook, from the root of the repository.
        address: The repository's address.

    Example:
        >>> live("notebooks/a.ipynb", "https://github.com/me/it")["Binder"]
        'https://mybinder.org/v2/gh/me/it/main?labpath=notebooks%2Fa.ipynb'
        >>> live("notebooks/a.ipynb", "")
        {}
    """
    host, _, name = address.removeprefix("https://").partition("/")
    if host != "github.com" or name.count("/") != 1:
        return {}
    quoted = path.replace("/", "%2F")
    return {
        "Binder": f"https://mybinder.org/v2/gh/{name}/{BRANCH}?labpath={quoted}",
        "Colab": f"https://colab.research.google.com/github/{name}/blob/{BRANCH}/{path}",
    }


def _listed(opening: str) -> Iterator[str]:
    """Items of the list in a text, each in one line."""
    for item in re.findall(r"^- (.+(?:\n(?!- |\n).+)*)", opening, re.MULTILINE):
        yield " ".join(item.split())


def _joined(text: str) -> str:
    """A text with each paragraph in one line."""
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


def _wanted(pattern: str, text: str, source: Path, what: str) -> str:
    found = re.search(pattern, text, re.MULTILINE)
    if found is None:
        raise ValueError(f"{source.name}: its first cell has not {what}; see CONTRIBUTING.md")
    return found[1].strip()
