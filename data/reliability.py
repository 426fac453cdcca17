"""How right silver is for each relation, in data/sample/reliability.csv: two pairs of columns.

``gold`` is written by ``python -m data.accuracy --write FILES``, ``checked`` by ``make sample``.
"""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from bertattn.files import replacing
from data.agreement import Score

PATH = Path(__file__).resolve().parent / "sample" / "reliability.csv"


def renewed(pair: str, scores: Mapping[str, Score], path: Path = PATH) -> str:
    """The table with one pair of columns counted anew.

    Args:
        pair: "gold" or "checked".
        scores: The score of each relation.
        path: The table as it is.
    """
    columns = {
        f"n_{pair}": {name: int(score.there) for name, score in scores.items()},
        f"f1_{pair}": {name: round(score.f1, 1) for name, score in scores.items()},
    }
    found = pd.DataFrame(columns).rename_axis("relation")
    if path.exists():
        kept = pd.read_csv(path, index_col="relation").drop(columns=list(columns), errors="ignore")
        found = found.join(kept, how="outer")
    wanted = [c for c in ("n_gold", "f1_gold", "n_checked", "f1_checked") if c in found]
    counts = {c: "Int64" for c in wanted if c.startswith("n_")}
    return found[wanted].astype(counts).sort_index().to_csv(lineterminator="\n")


def write(text: str, path: Path = PATH) -> None:
    """Write the table, whole or not at all."""
    with replacing(path) as file:
        file.write(text.encode())
