"""Notebooks whose kept outputs come from an optional extra.

A tag "needs:EXTRA" on a notebook's cell of parameters names it. Without the extra such a notebook
runs too, and shows less; so it is then neither kept nor compared with what is kept.
"""

import importlib.metadata
import re
import sys
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path

PYPROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"
MARK = "needs:"


def why_skipped(tags: Sequence[str]) -> str:
    """Which packages of the extras that some tags name are not installed; empty if all are."""
    extras = [tag.removeprefix(MARK) for tag in tags if tag.startswith(MARK)]
    missing = [package for extra in extras for package in packages(extra) if not _there(package)]
    if not missing:
        return ""
    reason = f"it is kept with the extra {', '.join(extras)}, of which is not installed"
    return f"skipped, because {reason}: {', '.join(missing)}"


def packages(extra: str) -> list[str]:
    """The packages of an extra, without their versions."""
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    return [re.split(r"[^\w.-]", wanted)[0] for wanted in project["optional-dependencies"][extra]]


def tell(reasons: Iterable[str]) -> None:
    """Write to stderr what is skipped."""
    for reason in filter(None, reasons):
        print(reason, file=sys.stderr)


def _there(package: str) -> bool:
    try:
        return bool(importlib.metadata.version(package))
    except importlib.metadata.PackageNotFoundError:
        return False
