"""Tables as files for papers and other programs, and back."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import bertattn
from bertattn.corpora import data_folder
from bertattn.files import replacing

UNITS = ".units"


def tables(
    table: pd.DataFrame,
    folder: Path,
    name: str,
    units: pd.DataFrame | None = None,
    *,
    with_latex: bool = True,
    ran: Mapping[str, str] | None = None,
) -> list[Path]:
    """Write a table as CSV, Parquet and LaTeX, with its manifest as JSON beside it.

    Args:
        table: The table.
        folder: Made if it is not there.
        name: The files' name without ending.
        units: Sums and counts by group (``by_group``), for a Parquet file of their own.
        with_latex: Whether to write LaTeX too; thousands of rows are for no paper.
        ran: The command that made it and a hash of the code (``run_of``), which stand in the JSON
            beside the manifest, so that the table can be made again.

    Returns:
        The files written.
    """
    contents = {
        f"{name}.csv": table.to_csv(index=False, lineterminator="\n").encode(),
        f"{name}.parquet": _plain(table).to_parquet(index=False),
        f"{name}.json": json.dumps(_said(table, ran), indent=1, sort_keys=True).encode(),
    }
    if with_latex:
        contents[f"{name}.tex"] = latex(table).encode()
    if units is not None:
        contents[f"{name}{UNITS}.parquet"] = _plain(units).to_parquet(index=False)
    for file_name, content in contents.items():
        with replacing(folder / file_name) as file:
            file.write(content)
    return [folder / file_name for file_name in contents]


def _said(table: pd.DataFrame, ran: Mapping[str, str] | None) -> dict[str, Any]:
    return {**table.attrs, **({"run": dict(ran)} if ran else {})}


def run_of(command: str) -> dict[str, str]:
    """A command, and a hash of the package's sources as they are now.

    Example:
        >>> sorted(run_of("bertattn measure"))
        ['code_sha256', 'command']
    """
    return {"command": command, "code_sha256": code_sha256()}


def code_sha256() -> str:
    """The hash of all sources of the package."""
    root = Path(bertattn.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        digest.update(f"{path.relative_to(root).as_posix()}\n".encode() + path.read_bytes())
    return digest.hexdigest()


def read(folder: Path | str) -> dict[str, pd.DataFrame]:
    """Tables that were written to a folder, by name, each with signature and manifest again.

    Sums and counts by group stand under the table's name with ".units" behind it.

    Args:
        folder: Where ``tables`` or the command line put them.

    Raises:
        ValueError: If there is no such folder, no table in it, or a table without its manifest.

    Example:
        >>> import tempfile
        >>> made = pd.DataFrame({"head": ["1-1"], "value": [0.25]})
        >>> made.attrs["signature"] = "toy"
        >>> folder = Path(tempfile.mkdtemp())
        >>> _ = tables(made, folder, "shares")
        >>> read(folder)["shares"].attrs["signature"]
        'toy'
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise ValueError(f"{folder}: no such folder; wanted one that tables were written to")
    paths = sorted(folder.glob("*.parquet"))
    if not paths:
        raise ValueError(f"{folder}: no table here; wanted Parquet files with JSON beside them")
    return {path.stem: _read(path) for path in paths}


def precomputed(section: str) -> dict[str, pd.DataFrame]:
    """Tables of the default model on the sample that come with the package; no model is needed.

    Args:
        section: "surface", "syntax", "coref" or "clusters".

    Raises:
        ValueError: If there is no such section.

    Example:
        >>> table = precomputed("surface")["surface"]
        >>> table.attrs["signature"].split("|")[:3]
        ['minilm', 'sample', '200 segments']
    """
    folder = data_folder() / "scores"
    known = sorted(path.name for path in folder.iterdir() if path.is_dir())
    if section not in known:
        raise ValueError(f"wanted a section of {', '.join(known)}, got {section!r}")
    return read(folder / section)


def _read(path: Path) -> pd.DataFrame:
    made = path.with_name(f"{path.stem.removesuffix(UNITS)}.json")
    if not made.exists():
        raise ValueError(
            f"{path}: the table has no manifest; {made.name}, which was written with it, is not "
            "here: copy it too"
        )
    table = pd.read_parquet(path)
    said = json.loads(made.read_text("utf-8"))
    table.attrs = {key: value for key, value in said.items() if key != "run"}
    return table


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
