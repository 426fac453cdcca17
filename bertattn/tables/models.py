"""Several runs side by side: of models, or of treebanks."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from bertattn.attention import Kind, Tokens
from bertattn.syntax import ALL
from bertattn.tables.importance import against_others
from bertattn.tables.manifest import kind_name, passed_on
from bertattn.tables.surface import beside_paper, by_layer, present

SINKS = {"to_start": Kind.START, "to_separator": Kind.SEPARATOR}


def depth(layer: int, n_layers: int) -> float:
    """How far up a layer's middle lies, from 0 to 1, so that models of other heights compare.

    Example:
        >>> depth(1, 2), depth(2, 2)
        (0.25, 0.75)
    """
    return (layer - 0.5) / n_layers


def models(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Section 3's averages of several models, one under the other.

    Columns: those of ``surface``, and before them ``model`` and ``depth`` (of the layer).

    Raises:
        ValueError: If two models have one name, so that nobody could tell them apart.
    """
    names = [table.attrs["manifest"]["model"] for table in tables]
    if len(set(names)) < len(names):
        raise ValueError(f"wanted models of different names, got {', '.join(names)}")
    return _joined(tables, "model", names)


def runs(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Table 1 of several runs, one under the other, and the run's name before it.

    The row of all relations together is left out, since its arcs differ by run.
    """
    named = [passed_on(table[table["relation"] != ALL], table) for table in tables.values()]
    return _joined(named, "run", list(tables))


def _joined(tables: Sequence[pd.DataFrame], column: str, names: Sequence[str]) -> pd.DataFrame:
    """Tables under one another, which know how each was made."""
    rows = []
    for name, table in zip(names, tables, strict=True):
        front: dict[str, Any] = {column: name}
        if "layer" in table:
            n_layers = int(table["layer"].max())
            front["depth"] = [depth(layer, n_layers) for layer in table["layer"]]
        rows.append(table.assign(**front)[[*front, *table.columns]])
    joined = pd.concat(rows, ignore_index=True)
    joined.attrs = {
        "signature": "\n".join(table.attrs["signature"] for table in tables),
        "manifest": {name: t.attrs["manifest"] for name, t in zip(names, tables, strict=True)},
    }
    return joined


def findings(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """The paper's findings of section 3 for BERT-base, and a column for each model beside them."""
    asked = [beside_paper(table) for table in tables]
    wide = asked[0].drop(columns="ours").set_index("finding")
    for table, answers in zip(tables, asked, strict=True):
        wide[table.attrs["manifest"]["model"]] = answers["ours"].to_numpy()
    return passed_on(wide, models(tables))


def sinks(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Where each model attends most to each special token: a row for each.

    Columns: ``model``, ``token``; ``most``, the largest mean of a layer, in which ``layer`` and at
    which ``depth``; ``least``; ``uniform``, the value if all tokens were attended to alike.
    """
    rows = []
    for table in tables:
        made, means = table.attrs["manifest"], by_layer(table)
        for measure in present(table, list(SINKS)):
            layer = int(means[measure].idxmax())
            alike = table.loc[table["measure"] == measure, "uniform"].iloc[0]
            ends = {"least": means[measure].min(), "most": means[measure].max()}
            place = {"layer": layer, "depth": depth(layer, len(means))}
            token = kind_name(made, SINKS[measure])
            rows.append({"model": made["model"], "token": token, **ends, **place, "uniform": alike})
    columns = ["model", "token", "least", "most", "layer", "depth", "uniform"]
    return passed_on(pd.DataFrame(rows, columns=columns), models(tables))


def share_and_gradient(surface: pd.DataFrame, gradients: pd.DataFrame) -> pd.DataFrame:
    """Attention to each special token and the gradients by it, a row a layer and token.

    Clark et al. 2019, section 3.2: where attention to [SEP] becomes high, those gradients become
    small. Columns: ``layer``, ``target``, ``token``; ``share`` of attention; ``gradient``, its
    mean size by weights to the token over that by weights to ordinary tokens.
    """
    made, means, ratios = surface.attrs["manifest"], by_layer(surface), against_others(gradients)
    frames = [
        pd.DataFrame(
            {
                "layer": means.index,
                "target": measure,
                "token": kind_name(made, SINKS[measure]),
                "share": means[measure].to_numpy(),
                "gradient": ratios[measure].to_numpy(),
            }
        )
        for measure in present(surface, list(SINKS))
        if measure in ratios
    ]
    columns = ["layer", "target", "token", "share", "gradient"]
    table = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=columns)
    return passed_on(table, gradients)


def rank_correlation(table: pd.DataFrame, target: str = "to_separator") -> float:
    """Spearman's, over layers, of attention to a token and gradients by it; NaN if undefined.

    Args:
        table: Both, by layer (``share_and_gradient``).
        target: The kind of token.
    """
    rows = table[table["target"] == target]
    if len(rows) < 2 or rows[["share", "gradient"]].nunique().min() < 2:
        return float("nan")
    ranks = rows[["share", "gradient"]].rank()
    return float(ranks["share"].corr(ranks["gradient"]))


def gains(table: pd.DataFrame) -> pd.DataFrame:
    """Several runs for reading: each relation's best head, per cent, and its gain over the offset.

    The gain is that on halves that did not choose the head. A relation that a run has too few words
    of is left blank.

    Args:
        table: The runs (``runs``).
    """
    said = [
        f"{row.head}  {100 * row.accuracy:.0f} ({100 * row.offset_gain:+.0f})"
        for row in table.itertuples()
    ]
    long = table.assign(said=said).drop_duplicates(["run", "relation"])
    wide = long.pivot(index="relation", columns="run", values="said")
    order = [list(dict.fromkeys(table[column])) for column in ("relation", "run")]
    wide = wide.reindex(index=order[0], columns=order[1]).fillna("").rename_axis(columns=None)
    return passed_on(wide, table)


def splits(inputs: Mapping[str, Sequence[Tokens]]) -> pd.DataFrame:
    """How finely a tokenizer cuts the words of each corpus: a row a corpus.

    Columns: ``sentences``, ``words`` that have pieces, ``pieces`` without special tokens,
    ``pieces_per_word``, ``split`` (the share of words that are cut up).
    """
    rows = {}
    for name, sentences in inputs.items():
        counted = [n for tokens in sentences for n in _pieces_of_words(tokens)]
        rows[name] = {
            "sentences": len(sentences),
            "words": len(counted),
            "pieces": sum(counted),
            "pieces_per_word": sum(counted) / max(len(counted), 1),
            "split": sum(n > 1 for n in counted) / max(len(counted), 1),
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("corpus").reset_index()


def _pieces_of_words(tokens: Tokens) -> list[int]:
    """Of each word that has pieces, how many."""
    found: dict[int, int] = {}
    for unit in tokens.unit_of.tolist():
        if unit < len(tokens.words):
            found[unit] = found.get(unit, 0) + 1
    return list(found.values())
