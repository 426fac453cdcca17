"""Two runs beside one another."""

from argparse import Namespace
from pathlib import Path

import pandas as pd

from bertattn import export, readings, tables
from bertattn.cli import results
from bertattn.cli.results import Results

UNITS = export.UNITS


def run(asked: Namespace) -> None:
    """Compare every table of two folders that has sums by document in both."""
    first, second = (_units(folder) for folder in (asked.first, asked.second))
    names = [name for name in first if name in second]
    if not names:
        held = [", ".join(units) for units in (first, second)]
        raise ValueError(
            f"nothing to compare: {asked.first} has sums by document of {held[0]}, {asked.second} "
            f"of {held[1]}; give two folders of one command"
        )
    found = {
        name: tables.compare(
            first[name], second[name], heads=asked.heads, min_count=asked.min_count
        )
        for name in names
    }
    made = [units[names[0]].attrs["manifest"] for units in (first, second)]
    said = [readings.manifests(tables.differs(*made))]
    said += [readings.differences(table) for table in found.values()]
    results.finish(Results(said, found), asked)


def _units(folder: Path) -> dict[str, pd.DataFrame]:
    """Sums by document of each table in a folder, by the table's name."""
    kept = export.read(folder)
    units = {n.removesuffix(UNITS): t for n, t in kept.items() if n.endswith(UNITS)}
    if not units:
        raise ValueError(
            f"{folder}: no table here has sums by document (NAME{UNITS}.parquet), which measure, "
            "score, coref, probe and cluster write"
        )
    return units
