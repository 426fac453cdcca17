"""What heads' removal came to: numbers with and without them, by group of documents."""

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float, Int

from bertattn.importance.knockout import HeadWay
from bertattn.importance.picks import Pick
from bertattn.stats import Estimate, mean_by_group


@dataclass(eq=False)
class Removals:
    """Numbers with and without heads, by group of documents.

    Attributes:
        picks: Which heads were taken away together.
        way: How.
        names: What was asked.
        worse: 1 for each of which more is worse, -1 for those of which less is.
        sums: Without the heads.
        plain: Of the model as it is.
        counts: Of how many inputs, pairs or arcs.
        n_inputs: How many texts.
        left_out: Counts of what could not be asked.
    """

    picks: tuple[Pick, ...]
    way: HeadWay
    names: tuple[str, ...]
    worse: Int[np.ndarray, " name"]
    sums: Float[np.ndarray, "pick group name"]
    plain: Float[np.ndarray, "group name"]
    counts: Int[np.ndarray, "group name"]
    n_inputs: int = 0
    left_out: Counter[str] = field(default_factory=Counter)

    @property
    def costs(self) -> Float[np.ndarray, "pick group name"]:
        """Sums of what the removal costs: how much more of what is worse, or less of the better."""
        return self.worse * (self.sums - self.plain)

    def estimate(self, costs: Float[np.ndarray, "group name"]) -> Estimate:
        """Means of costs, one a name, and intervals by document; NaN where nothing was asked."""
        each = [mean_by_group(costs[:, i], self.counts[:, i]) for i in range(len(self.names))]
        mean, low, high = (
            np.array([float(getattr(one, end)) for one in each]) for end in ("mean", "low", "high")
        )
        return Estimate(mean, low, high, max(one.n_groups for one in each))

    def intact(self) -> Float[np.ndarray, " name"]:
        """The numbers of the model as it is."""
        return self.estimate(self.plain).mean

    def __add__(self, other: "Removals") -> "Removals":
        same = ("picks", "way", "names")
        if any(getattr(self, name) != getattr(other, name) for name in same):
            raise ValueError("removals of other heads, ways or outcomes cannot be added")
        return Removals(
            self.picks,
            self.way,
            self.names,
            self.worse,
            self.sums + other.sums,
            self.plain + other.plain,
            self.counts + other.counts,
            self.n_inputs + other.n_inputs,
            self.left_out + other.left_out,
        )
