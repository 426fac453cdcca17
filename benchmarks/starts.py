"""How long until a notebook's first cell, its imports, is done: cold and warm.

Cold: the operating system is told to drop its copies of the environment's files, as after a
restart, where it lets us (Linux). Warm: the same again at once.
"""

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from benchmarks.notebooks import FOLDER


class Start(NamedTuple):
    """Seconds until a notebook's first cell is done."""

    notebook: str
    cold: float
    warm: float


def starts() -> list[Start]:
    """Each notebook, in a process of its own as a kernel is."""
    found = []
    for source in sorted((FOLDER / "src").glob("[0-9]*.py")):
        cell = _first_cell(source.read_text(encoding="utf-8"))
        _forget_files()
        found.append(Start(source.stem, _seconds(cell), _seconds(cell)))
    return found


def _first_cell(source: str) -> str:
    """The imports: the first cell that is code."""
    after = source.split("# %%\n", 1)[1]
    return after.split("# %%", 1)[0]


def _seconds(cell: str) -> float:
    begin = time.perf_counter()
    code = f"import ipykernel.ipkernel\n{cell}"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=FOLDER)
    return time.perf_counter() - begin


def _forget_files() -> None:
    if not hasattr(os, "posix_fadvise"):
        return
    for path in Path(sys.prefix, "lib").rglob("*"):
        if path.suffix in {".py", ".pyc", ".so", ".json"} or ".so." in path.name:
            descriptor = os.open(path, os.O_RDONLY)
            try:
                os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            finally:
                os.close(descriptor)
