"""Who misses a token that nobody may look at, and which maps foretell it.

A map says how much of token j goes into token i. So does an experiment: forbid every token, in
every head and layer, to look at j (``importance.remove``: the other weights are scaled up), and see
how far the final state of i moves. Maps that say true agree with it in the order of the j.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from scipy.stats import rankdata

from bertattn.attention import Tokens
from bertattn.importance import remove
from bertattn.measure import progress
from bertattn.model import Interventions, NormModel
from bertattn.norms.rollout import rollout
from bertattn.stats import N_GROUPS, Estimate, group_of, mean_by_group

if TYPE_CHECKING:
    from bertattn.model import AttentionModel

Maps = Float[np.ndarray, "layer head token token"]
LEAST_TOKENS = 4  # to look at, for an order of them to say anything


def nearness(maps: Maps) -> Float[np.ndarray, "token token"]:
    """1 for a neighbour, 1/2 for the next but one: what knows of no attention at all."""
    places = np.arange(maps.shape[-1])
    return 1 / np.maximum(abs(places[:, None] - places), 1)


WAYS: dict[str, tuple[str, Callable[[Maps], Float[np.ndarray, "token token"]]]] = {
    "rollout of weights": ("weights", lambda maps: rollout(maps)[-1]),
    "rollout of norms": ("norms", lambda maps: rollout(maps)[-1]),
    "weights of the last layer": ("weights", lambda maps: maps[-1].mean(axis=0)),
    "norms of the last layer": ("norms", lambda maps: maps[-1].mean(axis=0)),
    "weights of all layers": ("weights", lambda maps: maps.mean(axis=(0, 1))),
    "norms of all layers": ("norms", lambda maps: maps.mean(axis=(0, 1))),
    "nearness": ("weights", nearness),
}


@dataclass(eq=False)
class Agreement:
    """How well maps foretell who misses whom: rank correlations, by group of documents.

    Attributes:
        sums: Over inputs, of the mean over an input's tokens.
        counts: How many inputs.
        ways: What foretells.
        left_out: Counts of what has no order: inputs too short, tokens that see too few others, and
            rows that look at nothing else, which removal leaves as they are.
    """

    sums: Float[np.ndarray, "group way"]
    counts: Int[np.ndarray, " group"]
    ways: tuple[str, ...] = tuple(WAYS)
    left_out: Counter[str] = field(default_factory=Counter)

    @classmethod
    def empty(cls) -> "Agreement":
        """Nothing seen yet."""
        return cls(np.zeros((N_GROUPS, len(WAYS))), np.zeros(N_GROUPS, dtype=np.int64))

    @property
    def n_inputs(self) -> int:
        """How many inputs were seen."""
        return int(self.counts.sum())

    def result(self) -> Estimate:
        """The mean correlation of each way, and its interval."""
        return self._mean(self.sums)

    def over(self, other: str) -> Estimate:
        """What each way has over another one, on the same documents."""
        return self._mean(self.sums - self.sums[:, [self.ways.index(other)]])

    def _mean(self, sums: np.ndarray) -> Estimate:
        if not self.n_inputs:
            raise ValueError(
                f"nothing was measured: wanted inputs of more than {LEAST_TOKENS} tokens"
            )
        return mean_by_group(sums, np.broadcast_to(self.counts[:, None], sums.shape))


def agree(
    inputs: Iterable[Tokens],
    model: "AttentionModel",
    by_norm: NormModel,
    sums: Agreement,
    total: int | None = None,
) -> int:
    """Run inputs once for each of their tokens, and hold maps against what is missed.

    Returns:
        The number of inputs that had an order.

    Raises:
        ModelError: If the model does not let its attention be changed.
    """
    opened, before = Interventions(model), sums.n_inputs
    with progress(total) as bar:
        for tokens in inputs:
            lost = missed(opened, tokens, sums.left_out)
            maps = {
                "weights": model.attention(tokens).weights,
                "norms": by_norm.attention(tokens).weights,
            }
            foretold = {way: made(maps[kind]) for way, (kind, made) in WAYS.items()}
            found = correlations(foretold, lost, model.causal, sums.left_out)
            if found is not None:
                group = group_of(np.array([tokens.document]))
                sums.sums[group] += found
                sums.counts[group] += 1
            bar.update(1)
    return sums.n_inputs - before


def missed(
    opened: Interventions, tokens: Tokens, left_out: Counter[str] | None = None
) -> Float[np.ndarray, "from to"]:
    """How far the final state of each token moves when no token may look at another one.

    Entry (i, j) is 1 - cosine of the states of i as it is and without attention to j, of any token,
    in any layer or head.

    Args:
        opened: The model.
        tokens: The input; it is run once for each of its tokens.
        left_out: Takes the number of rows that looked at nothing else.
    """
    n = len(tokens)
    stuck_rows = 0

    def without_each(_: int, weights: torch.Tensor, __: torch.Tensor) -> torch.Tensor:
        nonlocal stuck_rows
        width = weights.shape[-1]
        columns = torch.eye(n, width, dtype=torch.bool, device=weights.device)
        rows = torch.ones(n, width, dtype=torch.bool, device=weights.device)
        others, stuck = remove(weights, columns, rows)
        stuck_rows += int(stuck[:, :, :n].sum())
        return others

    plain = opened.hidden([tokens])[0, :n]
    changed = opened.hidden([tokens] * n, without_each)[:, :n]
    cosines = torch.nn.functional.cosine_similarity(changed.double(), plain.double(), dim=-1)
    if left_out is not None and stuck_rows:
        left_out["rows_that_look_at_nothing_else"] += stuck_rows
    return (1 - cosines).clamp(min=0).T.cpu().numpy()


def correlations(
    foretold: Mapping[str, Float[np.ndarray, "from to"]],
    lost: Float[np.ndarray, "from to"],
    causal: bool,
    left_out: Counter[str],
) -> Float[np.ndarray, " way"] | None:
    """Spearman's rank correlation of each way with what is missed, mean over tokens.

    For each token the others that it can see are put in order; a way that gives all of them the
    same counts as 0.

    Args:
        foretold: What is held against it, by way.
        lost: What is missed (``missed``).
        causal: Whether a token sees only those before it.
        left_out: Takes the number of tokens without an order, and of inputs without any.
    """
    others = _others(len(lost), causal)
    asked = np.flatnonzero(others.sum(axis=1) >= LEAST_TOKENS)
    if few := len(lost) - len(asked):
        left_out["tokens_that_see_too_few_others"] += few
    if not len(asked):
        left_out["inputs_too_short_for_an_order"] += 1
        return None
    rows = [
        [_spearman(way[i, others[i]], lost[i, others[i]]) for way in foretold.values()]
        for i in asked
    ]
    return np.mean(rows, axis=0)


def _others(n: int, causal: bool) -> Bool[np.ndarray, "from to"]:
    others = ~np.eye(n, dtype=bool)
    return np.tril(others) if causal else others


def _spearman(first: np.ndarray, second: np.ndarray) -> float:
    """Pearson's correlation of the ranks, equal ones at their mean."""
    x, y = (ranks - ranks.mean() for ranks in (rankdata(first), rankdata(second)))
    scale = np.sqrt((x @ x) * (y @ y))
    return float(x @ y / scale) if scale > 0 else 0.0
