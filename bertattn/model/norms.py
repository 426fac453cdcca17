"""A model that shows how much of each token a head moves, in place of its attention weights.

For one input, layer and head, with weights a[i, j], value vectors v[j] = x[j] W_V + b_V and the
head's slice W_O of the layer's output matrix (Kobayashi et al. 2020, section 3):

======= ======================================================================
f(x[j]) v[j] W_O: what the head makes of token j, in the space of hidden states
lengths |a[i, j] f(x[j])| = a[i, j] |f(x[j])|
shares  lengths, each row divided by its sum
======= ======================================================================

The value's bias is in f, as in that paper; the output's bias belongs to no token and is in neither.
Lengths of several tokens may point against one another: their sum is not the length of the sum.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal, get_args

import torch
from jaxtyping import Float

from bertattn.attention import Tokens
from bertattn.model.capture import AttentionModel, in_full
from bertattn.model.interventions import Interventions
from bertattn.model.projections import Slices, output_slices
from bertattn.reducer import Batch, Observer

Form = Literal["shares", "lengths"]


class NormModel(AttentionModel):
    """A model whose maps are norms: whatever reads maps of a model reads these, unchanged.

    It shares all with the model that it is made of, and shows observers (and so ``measure`` and
    ``attention``) other maps. What does not read maps (gradients, removal) sees the model itself.

    Attributes:
        plain: The model.
        form: "shares", whose rows sum to 1 as those of weights do; or "lengths", as they are.
        left_out: Counts rows in which nothing was moved at all: they have no shares and stay 0.

    Raises:
        ModelError: If values cannot be read, or what the output matrix makes of them.
        ValueError: If there is no such form, or the model's maps are norms already.
    """

    def __init__(self, model: AttentionModel, form: Form = "shares") -> None:
        if form not in get_args(Form):
            raise ValueError(f"wanted maps as 'shares' or 'lengths', got {form!r}")
        if isinstance(model, NormModel):
            raise ValueError(f"the maps of {model.name} are norms already: give its model")
        self._opened = Interventions(model)
        self._roots = [_root(slices) for slices in output_slices(self._opened)]
        self.__dict__.update({k: v for k, v in vars(model).items() if k != "sha256"})
        self.plain, self.form = model, form
        self.left_out: Counter[str] = Counter()
        self.name = f"{model.name}-norms" if form == "shares" else f"{model.name}-lengths"
        self.recipe = partial(_again, model.recipe, form) if model.recipe else None

    def __repr__(self) -> str:
        return f"NormModel({self.plain!r}, {self.form!r})"

    @property
    def sha256(self) -> str:
        """The hash of the weights and of what is made of them: caches tell the two apart."""
        return hashlib.sha256(f"{self.plain.sha256} {self.form}".encode()).hexdigest()

    def run(self, inputs: Sequence[Tokens], observers: Sequence[Observer]) -> None:
        """One forward pass over inputs of similar length; each layer's norms go to observers."""
        batch = Batch.of(inputs, self.shown, self.max_pieces, self.causal)
        valid = torch.as_tensor(batch.kinds) >= 0

        def show(layer: int, weights: torch.Tensor, values: torch.Tensor) -> None:
            moved = lengths(in_full(weights), values.float(), self._roots[layer])
            if self.form == "shares":
                moved, empty = shares(moved)
                if n_empty := int((empty & valid[:, None]).sum()):
                    self.left_out["rows_that_move_nothing"] += n_empty
            shown = self.shown(moved)
            for observer in observers:
                observer.update(layer, shown, batch)

        self._opened.hidden(inputs, show)


def lengths(
    weights: Float[torch.Tensor, "batch head token token"],
    values: Float[torch.Tensor, "batch head token dimension"],
    slices: Float[torch.Tensor, "head dimension output"],
) -> Float[torch.Tensor, "batch head token token"]:
    """How long the vectors are that each weight moves: a[i, j] |v[j] W_O|.

    Example:
        >>> weights = torch.tensor([[[[0.5, 0.5], [0.0, 1.0]]]])
        >>> values = torch.tensor([[[[3.0, 4.0], [0.0, 0.0]]]])  # lengths 5 and 0
        >>> lengths(weights, values, torch.eye(2)[None]).tolist()
        [[[[2.5, 0.0], [0.0, 0.0]]]]
    """
    norms = torch.linalg.vector_norm(values @ slices, dim=-1)
    return weights * norms[:, :, None, :]


def shares(
    moved: Float[torch.Tensor, "*batch token"],
) -> tuple[Float[torch.Tensor, "*batch token"], torch.Tensor]:
    """Rows divided by their sums, and which rows sum to 0 and so stay as they are."""
    total = moved.sum(dim=-1, keepdim=True)
    empty = total <= 0
    return moved / total.masked_fill(empty, 1.0), empty[..., 0]


def _root(slices: Slices) -> Float[torch.Tensor, "head dimension root"]:
    """Smaller matrices that give values the same lengths: of W = R' Q', with orthogonal Q, the R'.

    An output of hundreds of dimensions is not needed for the length of what comes from a few dozen.
    """
    return torch.linalg.qr(slices.mT, mode="r").R.mT


def _again(recipe: Callable[[], AttentionModel], form: Form) -> NormModel:
    return NormModel(recipe(), form)
