"""Two runs beside one another: what differs in how they were made, and in what they found.

Compared are sums by group of documents (``by_group``, ``by_document``, ``coref_by_document``,
``probes_by_document``, ``distances_by_group``), as ``export`` keeps them beside a table.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

import bertattn
from bertattn import stats
from bertattn.tables.manifest import Manifest, hash_of
from bertattn.tables.units import KEYS, Rates, rates_of

MIN_COUNT = 50


def compare(
    first: pd.DataFrame,
    second: pd.DataFrame,
    *,
    heads: str = "best",
    min_count: int = MIN_COUNT,
    seed: int = 0,
) -> pd.DataFrame:
    """What the second run found more or less than the first; rates are of 1.

    Columns: what is compared (``measure``, ``relation``, ``way`` and ``kind``, or ``measure`` and
    ``probe``), ``first`` and
    ``second``, ``difference`` (second less first) from ``low`` to ``high``, ``p`` of no difference
    (Holm over the rows), ``n_first`` and ``n_second``, ``documents`` (groups, of the run that has
    fewer). Over the same documents runs are compared document by document, else as two samples.

    Args:
        first: Sums by group of documents, with their manifest (``export.read(folder)`` has them
            under "NAME.units"; else ``passed_on(by_group(sums), table)``).
        second: The same of another run.
        heads: "best" compares each run's best head, chosen on one half of the documents and scored
            on the other; "each" every head with its namesake, which is for runs of one model, or
            of a model and what was made of it by training on.
        min_count: How many arcs, mentions or words a row needs in both runs.
        seed: Of the splits.

    Raises:
        ValueError: If the two are not sums of the same kind, of the same kind of inputs, with
            manifests; or, for "each", if the heads are not the same.
    """
    if heads not in ("best", "each"):
        raise ValueError(f"wanted heads='best' or 'each', got {heads!r}")
    made = _manifest_of(first, "first"), _manifest_of(second, "second")
    _check(first, second, *made)
    paired = _same_documents(*made)
    one, two = rates_of(first), rates_of(second)
    dropped = len(_groups(one) ^ _groups(two)) if paired else 0
    counted = "measure" not in first or "probe" in first  # words and mentions, not inputs
    rows = []
    for key in [key for key in one if key in two]:
        pair = _aligned(one[key], two[key]) if paired else (one[key], two[key])
        if not counted or min(rates.n for rates in pair) >= min_count:
            row = _best if heads == "best" else _each
            rows += [{**_named(first, key), **r} for r in row(*pair, paired=paired, seed=seed)]
    if not rows:
        raise ValueError(
            f"nothing to compare: no row stands in both runs {min_count} times; give a smaller "
            "min_count, or runs on more text"
        )
    table = pd.DataFrame(rows)
    if "probe" in table:  # each is alone: there is no head to choose or to name
        table = table.drop(columns=["head", "head_first", "head_second"], errors="ignore")
    table["p"] = stats.holm_of_known(table["p"].to_numpy())
    options = {"heads": heads, "min_count": min_count, "seed": seed}
    return _signed(table, made, paired, {"groups_in_one_run": dropped}, options)


def differs(first: Manifest, second: Manifest) -> pd.DataFrame:
    """What two manifests do not share, a row for each entry: ``what``, ``first``, ``second``.

    Example:
        >>> one, two = ({"model": m, "options": {"punct": True}} for m in ("a", "b"))
        >>> differs(one, two)
           what first second
        0 model     a      b
    """
    one, two = dict(_flat(first)), dict(_flat(second))
    rows = [
        (key, one.get(key, ""), two.get(key, ""))
        for key in dict.fromkeys([*one, *two])
        if one.get(key) != two.get(key)
    ]
    return pd.DataFrame(rows, columns=["what", "first", "second"])


def _flat(made: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in made.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{key}.")
        else:
            yield f"{before}{key}", value


def _manifest_of(units: pd.DataFrame, which: str) -> Manifest:
    if "manifest" not in units.attrs:
        raise ValueError(
            f"the {which} table has no manifest; read it with export.read, or give it its "
            "table's: tables.passed_on(units, table)"
        )
    if "group" not in units:
        raise ValueError(
            f"the {which} table has no sums by document (a column 'group'); wanted what by_group, "
            "by_document and their kin make, which export keeps as NAME.units"
        )
    return units.attrs["manifest"]


def _check(first: pd.DataFrame, second: pd.DataFrame, one: Manifest, two: Manifest) -> None:
    kinds = ["of " + " and ".join(k for k in KEYS if k in units) for units in (first, second)]
    if kinds[0] != kinds[1]:
        raise ValueError(f"wanted two tables of one measure, got sums {kinds[0]} and {kinds[1]}")
    inputs = [made["inputs"]["kind"] for made in (one, two)]
    if inputs[0] != inputs[1]:
        raise ValueError(f"wanted two runs over one kind of input, got {inputs[0]} and {inputs[1]}")


def _same_documents(one: Manifest, two: Manifest) -> bool:
    """Whether both saw the same text; of probes, whether they were tested on the same part."""
    texts = [
        (made["corpus_sha256"], made["inputs"].get("n"), made["options"].get("split"))
        for made in (one, two)
    ]
    return texts[0] == texts[1]


def _groups(rates: Mapping[tuple[str, ...], Rates]) -> set[int]:
    return {int(group) for one in rates.values() for group in one.groups}


def _aligned(one: Rates, two: Rates) -> tuple[Rates, Rates]:
    both = np.intersect1d(one.groups, two.groups)
    return one.of(both), two.of(both)


def _named(units: pd.DataFrame, key: tuple[str, ...]) -> dict[str, str]:
    return dict(zip([k for k in KEYS if k in units], key, strict=True))


def _best(one: Rates, two: Rates, *, paired: bool, seed: int) -> list[dict[str, object]]:
    found = stats.best_differ(one.both, two.both, paired=paired, seed=seed)
    chosen = [h.most_chosen[0] for h in (found.first, found.second)]
    named = [r.names[c] if c >= 0 else "" for r, c in zip((one, two), chosen, strict=True)]
    return [
        {
            "head_first": named[0],
            "head_second": named[1],
            "first": found.first.mean,
            "second": found.second.mean,
            "difference": found.difference,
            "low": found.interval.low,
            "high": found.interval.high,
            "p": found.p,
            **_sizes(one, two),
        }
    ]


def _each(one: Rates, two: Rates, *, paired: bool, seed: int) -> list[dict[str, object]]:
    if one.names != two.names:
        raise ValueError(
            f"wanted the same heads in both runs, got {len(one.names)} and {len(two.names)} "
            "candidates; heads='best' compares the best of each"
        )
    found = stats.rates_differ(one.both, two.both, paired=paired)
    frame = pd.DataFrame(
        {
            "head": one.names,
            "first": found.first,
            "second": found.second,
            "difference": found.second - found.first,
            "low": found.low,
            "high": found.high,
            "p": found.p,
            **_sizes(one, two),
        }
    )
    return frame.to_dict("records")


def _sizes(one: Rates, two: Rates) -> dict[str, int]:
    documents = min(len(one.groups), len(two.groups))
    return {"n_first": one.n, "n_second": two.n, "documents": documents}


def _signed(
    table: pd.DataFrame,
    runs: tuple[Manifest, Manifest],
    paired: bool,
    left_out: Mapping[str, int],
    options: Mapping[str, Any],
) -> pd.DataFrame:
    how = "document by document" if paired else "as two samples of documents"
    made: Manifest = {
        "kind": "comparison",
        "how": how,
        "first": runs[0],
        "second": runs[1],
        "left_out": dict(left_out),
        "options": dict(options),
        "bertattn": bertattn.__version__,
    }
    named = [f"{run['model']} on {run['corpus']}" for run in runs]
    said = [f"{key}={value}" for key, value in options.items()]
    parts = [" against ".join(named), how, *said, f"bertattn {bertattn.__version__}", hash_of(made)]
    table.attrs = {"signature": "|".join(parts), "manifest": made}
    return table
