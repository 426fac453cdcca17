"""What changes when attention to a kind of token is taken away, layer by layer or head by head.

``to_one_other`` is a control: one ordinary token of each input, drawn at random. How attention is
taken away, and how the change is measured: see ``removal``.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import torch
from jaxtyping import Bool, Float, Int

from bertattn.attention import Tokens
from bertattn.heads import AttentionHead
from bertattn.importance.removal import CHANGES, WAYS, Way, change, remove
from bertattn.importance.targets import TARGETS, by_group, targets_of
from bertattn.measure import batches, progress
from bertattn.model import Interventions
from bertattn.reducer import padded_to
from bertattn.stats import N_GROUPS, Estimate, mean_by_group

if TYPE_CHECKING:
    from bertattn.model import AttentionModel

CONTROL = "to_one_other"
SEED = 0


@dataclass(frozen=True)
class Site:
    """Where attention is taken away: all heads of a layer, or one of them."""

    layer: int
    index: int | None = None

    @property
    def heads(self) -> slice:
        """The heads concerned."""
        return slice(None) if self.index is None else slice(self.index, self.index + 1)

    @property
    def attn_head(self) -> AttentionHead | None:
        """The one head, if it is one."""
        return None if self.index is None else AttentionHead(self.layer, self.index)


@dataclass(eq=False)
class AblationSums:
    """Sums of changes over inputs, by group of documents.

    Attributes:
        sites: Where attention was taken away.
        targets: To what.
        way: How.
        sums: Of the inputs' numbers of ``CHANGES``.
        counts: How many inputs have such a target.
        n_inputs: How many inputs were seen.
        left_out: Counts of rows that stayed as they were.
    """

    sites: tuple[Site, ...]
    targets: tuple[str, ...]
    way: Way
    sums: Float[np.ndarray, "group change site target"]
    counts: Int[np.ndarray, "group target"]
    n_inputs: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    changes: tuple[str, ...] = CHANGES

    @classmethod
    def empty(
        cls,
        n_layers: int,
        targets: Sequence[str] = (*TARGETS, CONTROL),
        way: Way = "renormalised",
        attn_heads: Sequence[AttentionHead] | None = None,
    ) -> "AblationSums":
        """Nothing seen yet.

        Args:
            n_layers: Each layer is a site.
            targets: Kinds of token.
            way: What becomes of the weights.
            attn_heads: Heads, one a site, in place of whole layers.

        Raises:
            ValueError: If there is no such kind of token or way.
        """
        known = (*TARGETS, CONTROL)
        if unknown := [t for t in targets if t not in known]:
            raise ValueError(f"wanted targets out of {', '.join(known)}, got {unknown[0]!r}")
        if way not in WAYS:
            raise ValueError(f"wanted one of {', '.join(WAYS)} as way, got {way!r}")
        sites = tuple(Site(layer) for layer in range(n_layers))
        if attn_heads is not None:
            sites = tuple(Site(h.layer, h.index) for h in attn_heads)
        shape = (N_GROUPS, len(CHANGES), len(sites), len(targets))
        counts = np.zeros((N_GROUPS, len(targets)), dtype=np.int64)
        return cls(sites, tuple(targets), way, np.zeros(shape), counts)

    def add(self, inputs: list[Tokens], changes: np.ndarray, present: np.ndarray) -> None:
        """Add the changes of some inputs.

        Args:
            inputs: The inputs.
            changes: Theirs, "batch target change site".
            present: Which targets they have, "batch target".
        """
        sums, counts = by_group(inputs, changes, present)
        self.sums += sums.transpose(0, 2, 3, 1)
        self.counts += counts
        self.n_inputs += len(inputs)

    def __add__(self, other: "AblationSums") -> "AblationSums":
        same = ("sites", "targets", "way")
        if any(getattr(self, name) != getattr(other, name) for name in same):
            raise ValueError("sums of other sites, targets or ways cannot be added")
        return type(self)(
            self.sites,
            self.targets,
            self.way,
            self.sums + other.sums,
            self.counts + other.counts,
            self.n_inputs + other.n_inputs,
            self.left_out + other.left_out,
        )

    def result(self) -> Estimate:
        """Means, "change site target", and intervals.

        Raises:
            ValueError: If nothing was measured.
        """
        if not self.n_inputs:
            raise ValueError("nothing was measured: the corpus gave no input to the model")
        counts = np.broadcast_to(self.counts[:, None, None, :], self.sums.shape)
        return mean_by_group(self.sums, counts)


def ablate(
    inputs: Iterable[Tokens], model: "AttentionModel", sums: AblationSums, total: int | None = None
) -> int:
    """Run inputs once as they are and once for each site and target of ``sums``.

    Returns:
        The number of inputs.

    Raises:
        ModelError: If the model does not let its attention be changed.
        ValueError: If there was no input.
    """
    opened, before = Interventions(model), sums.n_inputs
    with progress(total) as bar:
        for batch in batches(inputs):
            _ablate_batch(batch, opened, sums)
            bar.update(len(batch))
    if sums.n_inputs == before:
        raise ValueError("the corpus gave no input; is it empty, or is every sentence too long?")
    return sums.n_inputs - before


def _ablate_batch(batch: list[Tokens], opened: Interventions, sums: AblationSums) -> None:
    plain = opened.hidden(batch)
    rows = torch.as_tensor(
        padded_to([np.ones(len(t), dtype=bool) for t in batch], plain.shape[1], 0) > 0,
        device=plain.device,
    )
    columns = [torch.as_tensor(c, device=plain.device) for c in _columns(batch, sums, rows)]
    found = np.zeros((len(batch), len(sums.targets), len(CHANGES), len(sums.sites)))
    for number, site in enumerate(sums.sites):
        for target, of_kind in enumerate(columns):
            removal = _Removal(site, of_kind, rows, sums.way)
            if of_kind.any():
                changed = opened.hidden(batch, removal)
                found[:, target, :3, number] = change(plain, changed, rows).numpy()
                found[:, target, 3, number] = removal.share.cpu().numpy()
                sums.left_out["rows_with_nothing_else"] += removal.n_stuck
    sums.left_out = +sums.left_out
    present = np.stack([c.any(dim=1).cpu().numpy() for c in columns], axis=1)
    sums.add(batch, found, present)


def _columns(
    batch: list[Tokens], sums: AblationSums, rows: torch.Tensor
) -> list[Bool[np.ndarray, "batch token"]]:
    """For each target, which tokens of a padded batch are such."""
    kinds = padded_to([targets_of(tokens) for tokens in batch], rows.shape[1])
    drawn = padded_to([_one_other(tokens) for tokens in batch], rows.shape[1], 0) > 0
    return [drawn if t == CONTROL else kinds == TARGETS.index(t) for t in sums.targets]


def _one_other(tokens: Tokens) -> Bool[np.ndarray, " token"]:
    """One ordinary token, drawn by the input's own pieces, so that batches do not matter."""
    ordinary = np.flatnonzero(targets_of(tokens) == TARGETS.index("to_other"))
    chosen = np.zeros(len(tokens), dtype=bool)
    if len(ordinary):
        chosen[np.random.default_rng([SEED, *tokens.ids.tolist()]).choice(ordinary)] = True
    return chosen


@dataclass(eq=False)
class _Removal:
    """An edit of one site's weights, which keeps what it took away."""

    site: Site
    columns: torch.Tensor
    rows: torch.Tensor
    way: Way
    share: torch.Tensor = field(default_factory=lambda: torch.zeros(0))
    n_stuck: int = 0

    def __call__(self, layer: int, weights: torch.Tensor, _: torch.Tensor) -> torch.Tensor | None:
        if layer != self.site.layer:
            return None
        concerned = weights[:, self.site.heads]
        rows = self.rows[:, None, :]
        taken = (concerned * self.columns[:, None, None, :]).sum(dim=-1) * rows
        self.share = taken.float().mean(dim=1).sum(dim=-1) / self.rows.sum(dim=-1)
        without, stuck = remove(concerned, self.columns, self.rows, self.way)
        self.n_stuck = int((stuck & rows).sum())
        changed = weights.clone()
        changed[:, self.site.heads] = without
        return changed
