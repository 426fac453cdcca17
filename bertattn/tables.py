"""Scores as tidy tables: how they were made, the paper's finding beside ours.

Here heads take their printed names and layers count from 1.
"""

import hashlib
import importlib.metadata
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

import bertattn
from bertattn.attention import Kind
from bertattn.corpora import Corpus, data_folder
from bertattn.heads import all_heads
from bertattn.segments import Segments, Sentences
from bertattn.surface import MEASURES, SurfaceResult, SurfaceSums

if TYPE_CHECKING:
    from bertattn.model import AttentionModel

Manifest = dict[str, Any]
LIBRARIES = ("numpy", "tokenizers", "torch", "transformers")


def manifest(
    model: "AttentionModel", corpus: Corpus, inputs: Segments | Sentences, **options: Any
) -> Manifest:
    """Everything that a table's numbers depend on, as plain data for JSON.

    Call it after the measurement, so that what was left out has been counted.

    Args:
        model: The model that was run.
        corpus: The text.
        inputs: How the text was cut up.
        **options: Anything else that moved the numbers.
    """
    return {
        "model": model.name,
        "weights_sha256": model.sha256,
        "tokenizer_sha256": model.encoder.sha256,
        "device": model.device.type,
        "dtype": model.dtype,
        "threads": model.n_threads,
        "corpus": corpus.name,
        "corpus_sha256": corpus.sha256,
        "inputs": inputs.options,
        "left_out": dict(inputs.left_out),
        "token_types": model.encoder.type_ids,
        "specials": model.encoder.special_names,
        "options": options,
        "bertattn": bertattn.__version__,
        "libraries": {name: importlib.metadata.version(name) for name in LIBRARIES},
    }


def signature(made: Manifest, n_inputs: int) -> str:
    """What made a table, in a line; its last part is the hash of the manifest."""
    digest = hashlib.sha256(json.dumps(made, sort_keys=True).encode()).hexdigest()
    inputs = made["inputs"]
    unusual = {"token_types": "tokenizer", "dtype": "float32"}
    parts = [
        made["model"],
        made["corpus"],
        f"{n_inputs} {inputs['kind']}",
        *(f"{key}={value}" for key, value in inputs.items() if key not in ("kind", "n")),
        *(f"{key}={made[key]}" for key, usual in unusual.items() if made.get(key, usual) != usual),
        *(f"{key}={value}" for key, value in made["options"].items()),
        f"bertattn {made['bertattn']}",
        digest[:6],
    ]
    return "|".join(parts)


def surface(result: SurfaceResult, made: Manifest) -> pd.DataFrame:
    """Section 3's averages, a row for each head and measure.

    Columns: ``layer`` and ``head`` as printed, ``measure``, ``value`` with the interval
    ``low`` to ``high`` (by document), ``uniform`` (the value if all tokens that may be
    seen were attended to alike), ``n`` (inputs that have the measure), ``groups`` (of
    documents, on which the interval rests). Shares are of 1, entropies in nats.
    """
    n_layers, n_heads = result["to_self"].shape
    heads = all_heads(n_layers, n_heads)
    estimates = result.estimates
    frames = [
        pd.DataFrame(
            {
                "layer": [h.layer + 1 for h in heads],
                "head": [str(h) for h in heads],
                "measure": measure,
                "value": estimates.mean[i].ravel(),
                "low": estimates.low[i].ravel(),
                "high": estimates.high[i].ravel(),
                "uniform": result.uniform[i],
                "n": result.counts[i],
                "groups": estimates.n_groups,
            }
        )
        for i, measure in enumerate(MEASURES)
    ]
    return _signed(pd.concat(frames, ignore_index=True), made, int(result.counts[0]))


def by_group(sums: SurfaceSums) -> pd.DataFrame:
    """The sums and counts that the averages are made of, by group of documents."""
    n_layers, n_heads = sums.sums.shape[2:]
    names = [str(h) for h in all_heads(n_layers, n_heads)]
    groups = np.flatnonzero(sums.counts.any(axis=1))
    index = pd.MultiIndex.from_product(
        [groups, MEASURES, names], names=["group", "measure", "head"]
    )
    frame = pd.DataFrame({"sum": sums.sums[groups].ravel()}, index=index).reset_index()
    frame["count"] = np.repeat(sums.counts[groups].ravel(), len(names))
    return frame


def by_layer(table: pd.DataFrame) -> pd.DataFrame:
    """Mean over the heads of each layer: a row a layer, a column a measure."""
    wide = table.pivot_table(
        index="layer", columns="measure", values="value", sort=False, dropna=False
    )
    return _passed_on(wide.rename_axis(columns=None), table)


def top(table: pd.DataFrame, measure: str, n: int = 5) -> pd.DataFrame:
    """The heads with the most of a measure, with interval and the value by chance."""
    columns = ["head", "value", "low", "high", "uniform", "n", "groups"]
    rows = table[table["measure"] == measure].nlargest(n, "value")
    return _passed_on(rows[columns].reset_index(drop=True), table)


def present(table: pd.DataFrame, measures: Sequence[str]) -> list[str]:
    """Those of some measures that the model has."""
    known = table.loc[table["value"].notna(), "measure"]
    return [measure for measure in measures if (known == measure).any()]


def strong_heads(table: pd.DataFrame, measure: str, over: float = 0.5) -> list[str]:
    """The heads with more than so much of a measure, the strongest first."""
    rows = table[(table["measure"] == measure) & (table["value"] > over)]
    return rows.sort_values("value", ascending=False)["head"].tolist()


def beside_paper(table: pd.DataFrame) -> pd.DataFrame:
    """The findings of section 3 for BERT-base, and the same questions asked of this table."""
    paper = pd.read_csv(data_folder() / "paper" / "surface.csv")
    ours = {
        "previous_heads": _listed(strong_heads(table, "to_previous")),
        "next_heads": _listed(strong_heads(table, "to_next")),
        "self_share": _range(by_layer(table)["to_self"]),
        "separator_layers": _layers_over(table, "to_separator"),
        "separator_to_itself": _range(by_layer(table)["from_separator"]),
        "start_layers": _layers_over(table, "to_start"),
        "start_entropy_last": _nats(by_layer(table)["start_entropy"].iloc[-1]),
    }
    paper["ours"] = paper.pop("key").map(ours)
    return _passed_on(paper, table)


def _listed(heads: list[str]) -> str:
    return f"{len(heads)} head{'s' * (len(heads) > 1)}: {', '.join(heads)}" if heads else "none"


def _nats(value: float) -> str:
    return "does not apply" if np.isnan(value) else f"{value:.2f} nats"


def _range(values: pd.Series) -> str:
    if values.isna().all():
        return "does not apply"
    return f"{values.min():.2f} to {values.max():.2f} by layer"


def _layers_over(table: pd.DataFrame, measure: str, over: float = 0.5) -> str:
    means = by_layer(table)[measure]
    if means.isna().all():
        return "does not apply"
    layers = means.index[means > over].tolist()
    most = f"most {means.max():.2f}, in layer {means.idxmax()}"
    return f"{layer_names(layers)} ({most})" if layers else f"no layer ({most})"


def layer_names(layers: list[int]) -> str:
    """Layers as print names them.

    Example:
        >>> layer_names([2, 3])
        'layers 2, 3'
    """
    return f"layer{'s' * (len(layers) > 1)} {', '.join(map(str, layers))}"


def _signed(table: pd.DataFrame, made: Manifest, n_inputs: int) -> pd.DataFrame:
    table.attrs = {"signature": signature(made, n_inputs), "manifest": made}
    return table


def _passed_on(table: pd.DataFrame, source: pd.DataFrame) -> pd.DataFrame:
    table.attrs = dict(source.attrs)
    return table


def left_out(counts: Mapping[str, int]) -> str:
    """What a measurement could not keep, as a sentence.

    Example:
        >>> left_out({"pieces_kept": 900, "pieces_trimmed": 100, "single_sentences": 1})
        '10% of pieces trimmed; 1 input of a single sentence'
    """
    parts = []
    if cut := counts.get("pieces_trimmed"):
        share = cut / (cut + counts["pieces_kept"])
        parts.append(f"{share:.0%} of pieces trimmed" if share > 0.005 else f"{cut} pieces trimmed")
    if n := counts.get("single_sentences"):
        parts.append(f"{n} input{'s' * (n > 1)} of a single sentence")
    others = sorted(set(counts) - {"pieces_kept", "pieces_trimmed", "single_sentences"})
    parts += [f"{counts[key]} {key.replace('_', ' ')}" for key in others]
    return "; ".join(parts) or "nothing left out"


def kind_name(made: Manifest, kind: Kind) -> str:
    """What a special token of this model is called, such as "[SEP]" or "</s>"."""
    return made["specials"].get(kind.name.lower(), f"a {kind.name.lower()} token")
