"""Two ways of taking an attention head away, once its output is made.

==== ===================================================================================
zero its output becomes 0: it moves nothing. But what it always moves, whatever the text,
     acts as a bias on which later layers have come to rely, and that is lost too
mean its output becomes its mean over the tokens of a corpus: what is lost is only what it
     says of *this* text
==== ===================================================================================
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float

from bertattn.attention import Tokens
from bertattn.heads import AttentionHead
from bertattn.measure import batches, progress
from bertattn.model.outlets import Outlets

HeadWay = Literal["mean", "zero"]
HEAD_WAYS = ("mean", "zero")

Means = Float[torch.Tensor, "layer head dimension"]
Outputs = Float[torch.Tensor, "batch token head dimension"]


@dataclass(frozen=True, eq=False)
class Knockout:
    """What becomes of heads' outputs: those of some heads are 0, or their mean.

    Attributes:
        heads: The heads.
        means: Every head's mean output; None for 0.
    """

    heads: Sequence[AttentionHead]
    means: Means | None = None

    def __call__(self, layer: int, outputs: Outputs) -> Outputs | None:
        """Other outputs of a layer, or None where it keeps all its heads (see ``Outlets``)."""
        indices = [attn_head.index for attn_head in self.heads if attn_head.layer == layer]
        if not indices:
            return None
        changed = outputs.clone()
        changed[:, :, indices] = 0.0 if self.means is None else self.means[layer, indices]
        return changed


def mean_outputs(inputs: Sequence[Tokens], outlets: Outlets) -> Means:
    """Every head's mean output, over all tokens of all inputs.

    Args:
        inputs: What the model reads; of the model's usual kind, and other text than is measured.
        outlets: Where the outputs come out.

    Raises:
        ValueError: If there is no input.
    """
    sums: dict[int, torch.Tensor] = {}
    n_tokens = 0
    with progress(len(inputs)) as bar:
        for batch in batches(inputs):

            def add(layer: int, outputs: torch.Tensor, batch: list[Tokens] = batch) -> None:
                pairs = zip(outputs.cpu().double(), batch, strict=True)
                own = torch.stack([one[: len(tokens)].sum(dim=0) for one, tokens in pairs])
                sums[layer] = sums.get(layer, 0) + own.sum(dim=0)

            outlets.hidden(batch, add)
            n_tokens += sum(map(len, batch))
            bar.update(len(batch))
    if not n_tokens:
        raise ValueError("wanted text to take the heads' mean outputs of, got none")
    stacked = torch.stack([sums[layer] for layer in sorted(sums)]) / n_tokens
    return stacked.to(outlets.model.device, outlets.model.module.dtype)
