"""What changes in a text without a head, as a table."""

from typing import TYPE_CHECKING

import pandas as pd

from bertattn.tables.manifest import Manifest, signed

if TYPE_CHECKING:
    from bertattn.importance import Without

TEXT = "the whole text"
COLUMNS = ["head", "layer", "place", "unit", "change"]


def without(result: "Without", made: Manifest) -> pd.DataFrame:
    """How far a text's vectors move without a head, a row for each head and unit, and the text.

    Columns: ``head`` (several with commas between, if they are taken away together), ``layer`` (of
    the first), ``place`` of the unit from 1, and 0 for the whole text, ``unit`` (a word, a special
    token, or "the whole text"), ``change`` (1 - cosine). Where a model does not let its attention
    be changed there is no row, and ``.attrs["refused"]`` says why.

    Args:
        result: What was measured (``importance.without_each``).
        made: How (``manifest_of_text``).
    """
    frames = [
        pd.DataFrame(
            {
                "head": ", ".join(map(str, heads)),
                "layer": heads[0].layer + 1,
                "place": range(len(result.units) + 1),
                "unit": [TEXT, *result.units],
                "change": [of_text, *of_units],
            }
        )
        for heads, of_text, of_units in zip(result.heads, result.text, result.by_unit, strict=True)
    ]
    nothing = pd.DataFrame(columns=COLUMNS)
    table = signed(pd.concat(frames, ignore_index=True) if frames else nothing, made, 1)
    table.attrs["refused"] = result.refused
    return table
