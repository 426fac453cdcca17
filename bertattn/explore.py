"""From what a reader types to what is shown: a text, a model, a query, a head to take away."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

import pandas as pd
from matplotlib.axes import Axes

from bertattn import importance, plots, tables
from bertattn.attention import Tokens
from bertattn.heads import AttentionHead
from bertattn.model import AttentionModel, load, random_init
from bertattn.search import Found, Query, find
from bertattn.views import HeadView

RANDOM = ", random layers"


def choices(name: str) -> list[str]:
    """A model and its control, as ``model`` names them.

    Example:
        >>> choices("minilm")
        ['minilm', 'minilm, random layers']
    """
    return [name, f"{name}{RANDOM}"]


@cache
def model(name: str) -> AttentionModel:
    """A model by name, loaded once and kept; with ", random layers" after it, the paper's control.

    Raises:
        ModelError: If there is no such model.
    """
    if name.endswith(RANDOM):
        return random_init(name.removesuffix(RANDOM))
    return load(name)


def head_view(attn_head: AttentionHead, text: str, model_name: str) -> HeadView:
    """Any head of any of these models, on a text that a reader types.

    Args:
        attn_head: The head that is shown at first.
        text: The text.
        model_name: See ``model``.

    Raises:
        ModelError: If there is no such model.
        ValueError: If the text is empty, or longer than the model reads.
    """
    return HeadView(model(model_name).attention(text), heads=[attn_head])


@dataclass(frozen=True, eq=False)
class Searched:
    """A model's heads in parsed sentences, to be asked queries; what was found is kept.

    Attributes:
        inputs: The sentences (``segments.Trees``).
        model: The model.
    """

    inputs: Sequence[Tokens]
    model: AttentionModel
    _known: dict[str, Found] = field(default_factory=dict, repr=False)

    def found(self, query: str) -> Found:
        """What a typed query finds.

        Args:
            query: See ``search.Query.parse``.

        Raises:
            ValueError: If it is no query, or there is no such head, relation or part of speech.
        """
        asked = Query.parse(query)
        if str(asked) not in self._known:
            self._known[str(asked)] = find(asked, self.inputs, self.model)
        return self._known[str(asked)]

    def hits(self, query: str) -> Axes:
        """The clearest hits of a typed query, as lines."""
        return plots.hits(self.found(query))


def without(changed: AttentionModel, text: str, attn_head: AttentionHead) -> Axes:
    """What changes in a typed text without one head, beside every other.

    A model that does not let its attention be changed is answered with a sentence.

    Raises:
        ValueError: If the text is empty, or there is no such head.
    """
    return plots.without(changes(changed, text), attn_head)


@cache
def changes(changed: AttentionModel, text: str) -> pd.DataFrame:
    """What changes in a text without each head in turn (``tables.without``), measured once."""
    found = importance.without_each_or_why_not(changed, changed.encoder.text(text))
    return tables.without(found, tables.manifest_of_text(changed, text))
