"""The notebooks' sources, as the build reads them."""

import importlib
import sys

from tests.conftest import ROOT

sys.path.insert(0, str(ROOT / "notebooks"))  # as it is when the script runs
load = importlib.import_module
build, solutions = load("build"), load("solutions")

SOURCES = build.sources()


def exercise_cells(source, treated=solutions.without):
    """The code cells of a source in which something is asked of the reader."""
    cells = build.read(source, treated).cells
    return [cell for cell in cells if "exercise" in cell.metadata.get("tags", [])]
