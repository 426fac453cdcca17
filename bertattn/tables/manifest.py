"""How a table was made: the manifest, and the line that stands for it."""

import hashlib
import importlib.metadata
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

import bertattn
from bertattn.attention import Kind
from bertattn.coref import Windows
from bertattn.corpora import CorefCorpus, Corpus, Treebank
from bertattn.corpora.plain import guess_layout
from bertattn.pairs import Pairs
from bertattn.segments import Segments, Sentences, Trees
from bertattn.syntax import ALL
from bertattn.tables.drawn import conversion

if TYPE_CHECKING:
    from bertattn.model import AttentionModel

Manifest = dict[str, Any]
LIBRARIES = ("numpy", "tokenizers", "torch", "transformers")


def manifest(
    model: "AttentionModel",
    corpus: Corpus | Treebank | CorefCorpus,
    inputs: Segments | Sentences | Trees | Windows | Pairs,
    unscored: Mapping[str, int] | None = None,
    **options: Any,
) -> Manifest:
    """Everything that a table's numbers depend on, as plain data for JSON.

    Call it after the measurement, so that what was left out has been counted.

    Args:
        model: The model that was run.
        corpus: The text.
        inputs: How the text was cut up.
        unscored: Counts of what a reducer could not score (its ``left_out``).
        **options: Anything else that moved the numbers.
    """
    return {
        **_run_on(model),
        "corpus": corpus.name,
        "corpus_sha256": corpus.sha256,
        "trees": corpus.drawn if isinstance(corpus, Treebank) else "",
        "annotation": getattr(corpus, "annotated_by", ""),
        **_labels(corpus),
        **_read_as(corpus),
        "inputs": inputs.options,
        "left_out": {**inputs.left_out, **(unscored or {})},
        "options": options,
    }


def _labels(corpus: Corpus | Treebank | CorefCorpus) -> Manifest:
    """What labels were turned into, and how well: LAS in per cent, where both are known."""
    if not isinstance(corpus, Treebank) or corpus.labels is None:
        return {}
    return {"labels": {"converted_to": corpus.labels, "las": conversion()[ALL]["f1"]}}


def _read_as(corpus: Corpus | Treebank | CorefCorpus) -> Manifest:
    """How a corpus was read, where that was said and its content does not tell."""
    said: Manifest = {}
    if isinstance(corpus, Corpus):
        if corpus.layout not in (None, guess_layout(corpus.paths[0])):
            said["layout"] = corpus.layout
    elif corpus.format is not None:
        said["format"] = corpus.format
    if isinstance(corpus, Treebank) and not corpus.subtypes:
        said["subtypes"] = False
    return {"read_as": said} if said else {}


def manifest_of_text(model: "AttentionModel", text: str, **options: Any) -> Manifest:
    """The same of one text that a reader typed."""
    return {
        **_run_on(model),
        "corpus": "a text",
        "corpus_sha256": hashlib.sha256(text.encode()).hexdigest(),
        "trees": "",
        "annotation": "",
        "inputs": {"kind": "text"},
        "left_out": {},
        "options": options,
    }


def _run_on(model: "AttentionModel") -> Manifest:
    """What depends on the model and on what is installed."""
    return {
        "model": model.name,
        "weights_sha256": model.sha256,
        "tokenizer_sha256": model.encoder.sha256,
        "device": model.device.type,
        "dtype": model.dtype,
        "threads": model.n_threads,
        "token_types": model.encoder.type_ids,
        "specials": model.encoder.special_names,
        "bertattn": bertattn.__version__,
        "libraries": libraries(),
    }


def libraries() -> dict[str, str]:
    """The versions of the libraries that numbers depend on."""
    return {name: importlib.metadata.version(name) for name in LIBRARIES}


def signature(made: Manifest, n_inputs: int) -> str:
    """What made a table, in a line; its last part is the hash of the manifest."""
    inputs = made["inputs"]
    unusual = {"token_types": "tokenizer", "dtype": "float32"}
    parts = [
        made["model"],
        made["corpus"],
        *(["SILVER"] if made.get("trees") == "silver" else []),
        *([_converted(labels)] if (labels := made.get("labels")) else []),
        *([f"annotated by {by}"] if (by := made.get("annotation")) else []),
        f"{n_inputs} {inputs['kind']}",
        *(f"{key}={value}" for key, value in inputs.items() if key not in ("kind", "n")),
        *(f"{key}={made[key]}" for key, usual in unusual.items() if made.get(key, usual) != usual),
        *(f"{key}={value}" for key, value in made["options"].items()),
        f"bertattn {made['bertattn']}",
        hash_of(made),
    ]
    return "|".join(parts)


def hash_of(made: Manifest) -> str:
    """Six digits that stand for a manifest.

    Example:
        >>> hash_of({"model": "a"}) == hash_of({"model": "b"})
        False
    """
    return hashlib.sha256(json.dumps(made, sort_keys=True).encode()).hexdigest()[:6]


def _converted(labels: Mapping[str, Any]) -> str:
    return f"CONVERTED to {labels['converted_to']} (LAS {labels['las']})"


def signed(table: pd.DataFrame, made: Manifest, n_inputs: int) -> pd.DataFrame:
    """A table that knows how it was made."""
    table.attrs = {"signature": signature(made, n_inputs), "manifest": made}
    return table


def passed_on(table: pd.DataFrame, source: pd.DataFrame) -> pd.DataFrame:
    """A table made from another one, which knows the same."""
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
