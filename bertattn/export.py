"""Tables as files for papers and other programs."""

import json
from pathlib import Path

import numpy as np
import pandas as pd

from bertattn.files import replacing


def tables(
    table: pd.DataFrame, folder: Path, name: str, units: pd.DataFrame | None = None
) -> list[Path]:
    """Write a table as CSV, Parquet and LaTeX, with its manifest as JSON beside it.

    Args:
        table: The table.
        folder: Made if it is not there.
        name: The files' name without ending.
        units: Sums and counts by group (``by_group``), for a Parquet file of their own.

    Returns:
        The files written.
    """
    contents = {
        f"{name}.csv": table.to_csv(index=False, lineterminator="\n").encode(),
        f"{name}.parquet": _plain(table).to_parquet(index=False),
        f"{name}.tex": latex(table).encode(),
        f"{name}.json": json.dumps(table.attrs, indent=1, sort_keys=True).encode(),
    }
    if units is not None:
        contents[f"{name}.units.parquet"] = _plain(units).to_parquet(index=False)
    for file_name, content in contents.items():
        with replacing(folder / file_name) as file:
            file.write(content)
    return [folder / file_name for file_name in contents]


def latex(table: pd.DataFrame) -> str:
    """A booktabs table; a value and its interval share a cell, the signature is a comment."""
    shown = _with_intervals(table)
    styled = shown.style.hide(axis="index").format(precision=3, escape="latex")
    body = styled.to_latex(hrules=True, column_format="l" * shown.shape[1])
    header = " & ".join(str(column).replace("_", r"\_") for column in shown)
    lines = body.splitlines()
    lines[2] = header + r" \\"
    return f"% {table.attrs.get('signature', 'unsigned')}\n" + "\n".join(lines) + "\n"


def _with_intervals(table: pd.DataFrame) -> pd.DataFrame:
    """Columns with ends as text: ``value`` has ``low`` and ``high``, ``x`` has ``x_low`` ..."""
    shown = table.copy()
    for column in table.columns:
        ends = ["low", "high"] if column == "value" else [f"{column}_low", f"{column}_high"]
        if set(ends) <= set(table):
            lows, highs = (shown.pop(end) for end in ends)
            shown[column] = [
                "not defined" if np.isnan(v) else f"{v:.3f} [{low:.3f}, {high:.3f}]"
                for v, low, high in zip(table[column], lows, highs, strict=True)
            ]
    return shown


def _plain(table: pd.DataFrame) -> pd.DataFrame:
    bare = table.copy()
    bare.attrs = {}
    return bare
