"""The paper's objective: a masked language model's loss."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool
from torch.nn import functional

from bertattn.attention import Tokens
from bertattn.corpora import Article
from bertattn.importance.objectives import Each, Step, exact, in_sum
from bertattn.importance.targets import targets_of
from bertattn.measure import batches
from bertattn.model import MaskedHead
from bertattn.segments import Segments
from bertattn.tokens import Encoder


@dataclass(frozen=True)
class MaskedLM:
    """The paper's objective: pieces behind a mask are to be told.

    Some of each input's pieces, 15 % and at least one, are replaced by the mask token (drawn from
    ``seed`` and the input's own pieces, so that batches do not matter). Its loss is the mean cross
    entropy over them. BERT's training left a fifth of the chosen pieces unmasked; here all are
    masked, and the paper does not say what it did.

    Attributes:
        mlm_head: Turns hidden states into scores (``bertattn.model.masked_head``).
        rate: The share that is masked.
        seed: Of the choice.
    """

    mlm_head: MaskedHead
    rate: float = 0.15
    seed: int = 0
    n_losses = 1

    def __post_init__(self) -> None:
        if not 0 < self.rate <= 1:
            raise ValueError(
                f"wanted a share of pieces to mask, over 0 and up to 1, got {self.rate}"
            )

    @property
    def name(self) -> str:
        """Says so where the head is random."""
        return "masked LM with a RANDOM head" if self.mlm_head.random else "masked LM"

    @property
    def options(self) -> dict[str, Any]:
        """Its name and settings."""
        return {"objective": self.name, "masked": self.rate, "mask_seed": self.seed}

    def inputs(self, articles: Iterable[Article], encoder: Encoder, n: int) -> Segments:
        """Segments by the paper's chunking."""
        return Segments(articles, encoder, n=n)

    def steps(self, inputs: Iterable[Tokens], left_out: Counter[str]) -> Iterator[Step]:
        """Batches of inputs with masks in them."""
        for batch in batches(inputs):
            masked = [self.masked(tokens) for tokens in batch]
            hidden = [self._behind_masks(*pair) for pair in zip(batch, masked, strict=True)]
            targets = [targets_of(*pair) for pair in zip(batch, masked, strict=True)]
            each = self._of_inputs(batch, masked)
            yield Step(hidden, targets, masked, in_sum(each), each)

    def masked(self, tokens: Tokens) -> Bool[np.ndarray, " token"]:
        """Which tokens of an input are masked."""
        pieces = np.flatnonzero(~tokens.special)
        n_masked = max(1, round(self.rate * len(pieces)))
        rng = np.random.default_rng([self.seed, *tokens.ids.tolist()])
        chosen = np.zeros(len(tokens), dtype=bool)
        chosen[rng.choice(pieces, n_masked, replace=False)] = True
        return chosen

    def _behind_masks(self, tokens: Tokens, masked: np.ndarray) -> Tokens:
        pieces = np.where(masked, self.mlm_head.mask_piece, np.array(tokens.pieces, dtype=object))
        ids = np.where(masked, self.mlm_head.mask_id, tokens.ids)
        return replace(tokens, pieces=tuple(pieces), ids=ids)

    def _of_inputs(self, batch: list[Tokens], masked: list[np.ndarray]) -> Each:
        places = np.array([(n, i) for n, m in enumerate(masked) for i in np.flatnonzero(m)])
        wanted = np.concatenate([t.ids[m] for t, m in zip(batch, masked, strict=True)])
        shares = np.concatenate([np.full(m.sum(), 1 / m.sum()) for m in masked])

        def each(hidden: torch.Tensor) -> torch.Tensor:
            rows = hidden[places[:, 0], places[:, 1]]
            labels = torch.as_tensor(wanted, device=hidden.device)
            scores = exact(self.mlm_head.scores(rows))
            losses = functional.cross_entropy(scores, labels, reduction="none")
            weighted = losses * torch.as_tensor(shares).to(losses.dtype).to(losses.device)
            of = torch.as_tensor(places[:, 0], device=hidden.device)
            return weighted.new_zeros(len(batch)).index_add(0, of, weighted)

        return each
