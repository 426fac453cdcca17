"""How far trees can be relied on, relation by relation: silver ones, and converted ones."""

from collections.abc import Mapping

import pandas as pd

from bertattn.corpora import data_folder
from bertattn.syntax import ALL

LEAST_F1 = 85.0  # on the checked part of the sample, for silver to be relied on
LEAST_F1_ELSEWHERE = 70.0  # on gold trees of other text
LEAST_F1_CONVERTED = 90.0  # on documents with gold trees of both kinds
LEAST_CHECKED = 10  # arcs, for an F1 or a correction to be given


def trees(relation: str, drawn: str) -> str:
    """How far the trees can be relied on for a relation.

    "gold", "checked" or "given" trees (see ``Treebank.drawn``) are called so. Silver is "silver",
    or "unreliable" where its F1 is under 85 % on the part of the sample that was checked, or
    under 70 % on gold trees of other text, or where too few arcs were checked to tell. Trees
    whose labels were converted are "converted", or "unreliable" where F1 is under 90 %, or too
    few arcs were seen.
    """
    if drawn not in ("silver", "converted"):
        return drawn
    relied_on = _converted_well if drawn == "converted" else _parsed_well
    return drawn if relation == ALL or relied_on(relation) else "unreliable"


def _parsed_well(relation: str) -> bool:
    row = reliability().get(relation)
    return (
        row is not None
        and row["n_checked"] >= LEAST_CHECKED
        and row["f1_checked"] >= LEAST_F1
        and not row["f1_gold"] < LEAST_F1_ELSEWHERE
    )


def _converted_well(relation: str) -> bool:
    row = conversion().get(relation)
    return row is not None and row["n"] >= LEAST_CHECKED and row["f1"] >= LEAST_F1_CONVERTED


def reliability() -> Mapping[str, Mapping[str, float]]:
    """The F1 of the sample's silver trees by relation, as data/README.md shows it."""
    return _by_relation("sample/reliability.csv")


def conversion() -> Mapping[str, Mapping[str, float]]:
    """The F1 of converted labels by relation, as docs/UD_LABELS.md shows it; of "All", the LAS.

    Example:
        >>> conversion()["pobj"]["f1"] > 90 > conversion()["advcl"]["f1"]
        True
    """
    return _by_relation("converted/stanford.csv")


def _by_relation(name: str) -> Mapping[str, Mapping[str, float]]:
    return pd.read_csv(data_folder() / name, index_col="relation").astype(float).to_dict("index")
