"""A run once more: its model, corpus and inputs, opened from the manifest of a table."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import bertattn
from bertattn import corpora
from bertattn.coref import Windows
from bertattn.corpora import CorefCorpus, Corpus, Treebank
from bertattn.model import AttentionModel, load
from bertattn.pairs import Pairs
from bertattn.segments import Segments, Sentences, Trees
from bertattn.tables import Manifest
from bertattn.tables.manifest import libraries

Text = Corpus | Treebank | CorefCorpus
Inputs = Segments | Sentences | Trees | Windows | Pairs
KINDS = ("segments", "sentences", "sentences in adjacent pairs", "parsed sentences", "windows")
REMEDY = "anyway=True opens it in spite of that"


class Opened(NamedTuple):
    """What a run was made of.

    Attributes:
        model: The model.
        corpus: The text, as it was read.
        inputs: The text, cut up as it was.
        options: Anything else that moved the numbers, for the reducer or the table.
    """

    model: AttentionModel
    corpus: Text
    inputs: Inputs
    options: dict[str, Any]


def opened(
    made: Manifest,
    *,
    model: AttentionModel | str | Path | None = None,
    corpus: str | Path | None = None,
    anyway: bool = False,
) -> Opened:
    """Open what a table was made of, and prove by hashes that it is the same.

    The manifest holds names, not places: of a hub's model, a folder or a file of one's own say
    where it is.

    Args:
        made: The manifest: ``table.attrs["manifest"]``, or that in the JSON beside a table.
        model: The model, or its hub's name or folder; by default the name in the manifest.
        corpus: The corpus's name, file or folder; by default the name in the manifest.
        anyway: Whether to open what is no longer as it was.

    Raises:
        ValueError: If the manifest is not of one run over a corpus, or if weights, tokenizer or
            corpus are not what they were.

    Example:
        >>> from bertattn import export
        >>> made = export.precomputed("surface")["surface"].attrs["manifest"]
        >>> again = opened(made)
        >>> again.model.name, again.inputs.n, again.inputs.seed
        ('minilm', 200, 0)
    """
    _check(made)
    if not isinstance(model, AttentionModel):
        model = load(
            made["model"] if model is None else model,
            device=made["device"],
            dtype=made["dtype"],
            type_ids=made["token_types"],
        )
    text = _text(made, made["corpus"] if corpus is None else corpus)
    if (differing := list(changed(made, model, text))) and not anyway:
        raise ValueError(f"{'; '.join(differing)}; {REMEDY}")
    return Opened(model, text, _inputs(made["inputs"], text, model), dict(made["options"]))


def changed(made: Manifest, model: AttentionModel, corpus: Text) -> Iterator[str]:
    """What is no longer as it was, in words: corpus, weights, tokenizer."""
    if corpus.sha256 != made["corpus_sha256"]:
        yield f"the corpus {made['corpus']!r} is not what it was"
    if model.sha256 != made["weights_sha256"]:
        yield f"the weights of {made['model']!r} are not what they were"
    if model.encoder.sha256 != made["tokenizer_sha256"]:
        yield f"the tokenizer of {made['model']!r} is not what it was"


def versions(made: Manifest) -> Iterator[str]:
    """What numbers need not depend on, but may in their last digits: versions of libraries."""
    now = {"bertattn": bertattn.__version__, **libraries()}
    then = {"bertattn": made.get("bertattn", "unknown"), **made.get("libraries", {})}
    for name, version in then.items():
        if now.get(name) != version:
            yield f"{name} {version} then, {now.get(name, 'none')} now: last digits may differ"


def _check(made: Manifest) -> None:
    if made.get("kind") == "comparison":
        raise ValueError("a comparison is of two runs: open those of 'first' and 'second' in it")
    if "parts" in made:
        raise ValueError("the table was made of several runs: open each of 'parts' in its manifest")
    kind = made.get("inputs", {}).get("kind")
    if kind not in KINDS:
        raise ValueError(f"wanted the manifest of a run over a corpus, got one of inputs {kind!r}")


def _text(made: Manifest, name: str | Path) -> Text:
    """The corpus, read as it was; what cannot be read is left out, and counted, as then."""
    read_as = made.get("read_as", {})
    if made["inputs"]["kind"] == "windows":
        return corpora.coreference(name, skip=True, **read_as)
    if made["trees"]:
        labels = made.get("labels", {}).get("converted_to")
        return corpora.treebank(name, skip=True, labels=labels, **read_as)
    return corpora.load(name, **read_as)


def _inputs(cut: Mapping[str, Any], text: Any, model: AttentionModel) -> Inputs:
    """The text cut up; ``cut`` is what ``options`` of the inputs said."""
    rest = {key: value for key, value in cut.items() if key != "kind"}
    if cut["kind"] == "parsed sentences":
        return Trees(text, model.encoder, **rest)
    if cut["kind"] == "windows":
        return Windows(text, model.encoder, **rest)
    articles = text.articles if isinstance(text, Treebank) else text
    if cut["kind"] == "sentences":
        return Sentences(articles, model.encoder, **rest)
    if cut["kind"] == "segments":
        return Segments(
            articles, model.encoder, n=rest["n"], max_pieces=rest["pieces"], seed=rest["seed"]
        )
    return Pairs(articles, model.encoder, **rest)
