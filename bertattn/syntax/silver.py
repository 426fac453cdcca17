"""Putting scores on the sample's silver trees right by the sentences that were checked."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bertattn import corpora
from bertattn.corpora import ParsedSentence, Treebank
from bertattn.measure import measure
from bertattn.segments import Trees
from bertattn.syntax.counts import SyntaxCounts

if TYPE_CHECKING:
    from bertattn.model import AttentionModel


@dataclass(frozen=True, eq=False)
class Checked:
    """Counts on the sentences that were checked: by their silver trees, and as they were read."""

    silver: SyntaxCounts
    checked: SyntaxCounts


def checked_part(model: "AttentionModel", inputs: Trees, counts: SyntaxCounts) -> Checked | None:
    """Count the checked sentences twice, documents grouped as in ``counts``.

    Args:
        model: The model.
        inputs: What was measured.
        counts: What was counted, of which the options are kept.

    Returns:
        None for any treebank but the whole sample: of nothing else is the checked part a draw.
    """
    treebank, sample = inputs.sentences, corpora.treebank("sample")
    if not isinstance(treebank, Treebank) or treebank.paths != sample.paths or inputs.n is not None:
        return None
    checked = list(corpora.treebank("sample-checked"))
    names = {sentence.id for sentence in checked}
    silver = [sentence for sentence in treebank if sentence.id in names]
    return Checked(*(_counted(model, s, inputs, counts) for s in (silver, checked)))


def _counted(
    model: "AttentionModel",
    sentences: Iterable[ParsedSentence],
    inputs: Trees,
    counts: SyntaxCounts,
) -> SyntaxCounts:
    kept = list(sentences)
    relations = tuple(sorted({relation for s in kept for relation in s.relations}))
    n_layers, n_heads = counts.right.shape[-2:]
    found = SyntaxCounts.empty(n_layers, n_heads, relations, counts.options)
    measure(Trees(kept, inputs.encoder, documents=inputs.documents), model, found)
    return found
