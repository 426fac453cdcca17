"""How often each head finds an antecedent: a reducer (Clark et al. 2019, section 4.3)."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from array_api_compat import is_torch_array
from jaxtyping import Float, Int, Shaped

from bertattn.coref import rules
from bertattn.coref.items import CANDIDATES, DISTANCES, Items, items_of, window_of
from bertattn.coref.windows import Window
from bertattn.corpora.mentions import KINDS
from bertattn.files import replacing
from bertattn.reducer import Batch, as_numpy
from bertattn.words import Members

N_GROUPS = 200
DIRECTIONS = ("mention->antecedent", "antecedent->mention")


@dataclass(frozen=True, eq=False)
class Guesses:
    """What every head chooses among all words for the asked mentions of a window.

    Attributes:
        window: The window.
        head_words: The head words of the asked mentions.
        kinds: The numbers of their kinds.
        right: The head words of each one's antecedents.
        chosen: The word chosen, of all words.
        document: The number of its document.
    """

    window: Window
    head_words: Int[np.ndarray, " item"]
    kinds: Int[np.ndarray, " item"]
    right: tuple[tuple[int, ...], ...]
    chosen: Int[np.ndarray, "direction layer head item"]
    document: int

    def __str__(self) -> str:
        return f"{self.window.document}: {' '.join(self.window.words[:6])} ..."


@dataclass(eq=False)
class CorefCounts:
    """Right and all, by group of documents, kind of mention and distance.

    Attributes:
        right: How many mentions each head finds an antecedent of, for each set of candidates.
        right_rules: The same of each rule.
        total: How many mentions are asked.
        n_candidates: Candidates in sum, for each set and kind.
        chance: Shares of candidates that are right, in sum.
        from_word: The row of a split word, see ``words.merge``.
        keep: Of how many windows the guesses are kept.
        guesses: The kept guesses.
        left_out: Counts of what has no score.
        n_windows: How many windows were seen.
    """

    right: Int[np.ndarray, "group kind distance set direction layer head"]
    right_rules: Int[np.ndarray, "group kind distance rule"]
    total: Int[np.ndarray, "group kind distance"]
    n_candidates: Int[np.ndarray, "set kind"]
    chance: Float[np.ndarray, "set kind"]
    from_word: Literal["mean", "first"] = "mean"
    causal: bool = False
    keep: int = 0
    guesses: list[Guesses] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    n_windows: int = 0
    _plan: "_Plan | None" = field(default=None, repr=False)

    @classmethod
    def empty(
        cls,
        n_layers: int,
        n_heads: int,
        from_word: Literal["mean", "first"] = "mean",
        keep: int = 0,
    ) -> "CorefCounts":
        """Nothing seen yet."""
        cells = (N_GROUPS, len(KINDS), len(DISTANCES) + 1)
        n_sets = len(CANDIDATES)
        return cls(
            np.zeros((*cells, n_sets, 2, n_layers, n_heads), dtype=np.int32),
            np.zeros((*cells, len(rules.RULES)), dtype=np.int32),
            np.zeros(cells, dtype=np.int32),
            np.zeros((n_sets, len(KINDS)), dtype=np.int64),
            np.zeros((n_sets, len(KINDS))),
            from_word,
            keep=keep,
        )

    def update(
        self, layer: int, weights: Shaped[Any, "batch head token token"], batch: Batch
    ) -> None:
        """Count one layer's hits of one batch."""
        if layer == 0:
            self._plan = self._begin(weights, batch)
        plan = self._plan
        assert plan is not None, "layers come in order, the first one first"
        items = plan.items
        if not len(items):
            return
        near = weights if is_torch_array(plan.members.share) else as_numpy(weights)
        between = plan.members.between_words(near)
        outward = as_numpy(between[items.input, :, items.head_word, :])
        inward = as_numpy(between[items.input, :, :, items.head_word])
        for direction, rows in enumerate((outward, inward)):
            for number, allowed in enumerate(items.candidates):
                chosen = np.where(allowed[:, None], rows, -1.0).argmax(axis=-1)
                hits = items.right[np.arange(len(items))[:, None], chosen]
                self._add(self.right[..., number, direction, layer, :], hits, plan)
                if number == 0:
                    plan.keep(direction, layer, chosen)

    def fresh(self) -> "CorefCounts":
        """An empty one with the same options."""
        n_layers, n_heads = self.right.shape[-2:]
        return self.empty(n_layers, n_heads, self.from_word, self.keep)

    def __add__(self, other: "CorefCounts") -> "CorefCounts":
        if self.from_word != other.from_word:
            raise ValueError("counts with split words merged in different ways cannot be added")
        sums = {name: getattr(self, name) + getattr(other, name) for name in ARRAYS}
        return type(self)(
            **sums,
            from_word=self.from_word,
            causal=self.causal or other.causal,
            keep=self.keep + other.keep,
            guesses=self.guesses + other.guesses,
            left_out=self.left_out + other.left_out,
            n_windows=self.n_windows + other.n_windows,
        )

    def result(self) -> dict[str, Float[np.ndarray, "direction layer head"]]:
        """The accuracy of every head over all mentions, for each set of candidates."""
        right, total = self.right.sum(axis=(0, 1, 2)), self.total.sum()
        with np.errstate(invalid="ignore"):
            return dict(zip(CANDIDATES, right / total, strict=True))

    def save(self, path: Path) -> None:
        """Write the counts to an ``.npz`` file, whole or not at all; kept guesses are not."""
        with replacing(path) as file:
            np.savez(
                file,
                from_word=self.from_word,
                causal=self.causal,
                n_windows=self.n_windows,
                left_out=np.array([f"{k}={v}" for k, v in self.left_out.items()], dtype=str),
                **{name: getattr(self, name) for name in ARRAYS},
            )

    @classmethod
    def load(cls, path: Path) -> "CorefCounts":
        """Read the counts back."""
        with np.load(path, allow_pickle=False) as stored:
            pairs = (text.rpartition("=") for text in stored["left_out"].tolist())
            return cls(
                **{name: stored[name] for name in ARRAYS},
                from_word=str(stored["from_word"]),  # type: ignore[arg-type]
                causal=bool(stored["causal"]),
                left_out=Counter({key: int(value) for key, _, value in pairs}),
                n_windows=int(stored["n_windows"]),
            )

    def _begin(self, weights: Any, batch: Batch) -> "_Plan":
        """What is the same for all layers of a batch; what needs no attention is counted here."""
        on_device = is_torch_array(weights) and weights.device.type != "cpu"
        as_array = (lambda a: weights.new_tensor(a)) if on_device else np.asarray
        members = Members.of(batch, self.from_word, as_array)
        items, left_out = items_of(batch, members.share.shape[1])
        self.left_out += left_out
        self.n_windows += len(batch.tokens)
        self.causal |= batch.causal
        plan = _Plan.of(items, members, self.right.shape[1:3])
        self._add(self.right_rules, items.by_rule, plan)
        self._add(self.total[..., None], np.ones((len(items), 1), dtype=bool), plan)
        of_kind = np.equal.outer(items.kind, np.arange(len(KINDS)))
        self.n_candidates += items.candidates.sum(axis=2) @ of_kind.astype(np.int64)
        self.chance += items.chance @ of_kind
        for number, tokens in enumerate(batch.tokens):
            mine = np.flatnonzero(items.input == number)
            if len(self.guesses) < self.keep and len(mine):
                self.guesses.append(self._guesses(tokens, items, mine))
                plan.kept.append((mine, self.guesses[-1]))
        return plan

    def _guesses(self, tokens: Any, items: Items, mine: np.ndarray) -> Guesses:
        shape = (*self.right.shape[-3:], len(mine))
        right = tuple(tuple(np.flatnonzero(items.right[i]).tolist()) for i in mine)
        chosen = np.zeros(shape, dtype=np.int16)
        window = window_of(tokens.source)
        heads, kinds = items.head_word[mine], items.kind[mine]
        return Guesses(window, heads, kinds, right, chosen, tokens.document)

    def _add(self, sums: np.ndarray, hits: np.ndarray, plan: "_Plan") -> None:
        """Add the hits of "item candidate" to their cells of group, kind and distance."""
        if len(plan.order):
            added = np.add.reduceat(hits[plan.order], plan.starts, axis=0, dtype=np.int32)
            group, kind, distance = plan.cells
            sums[group, kind, distance] += added


ARRAYS = ("right", "right_rules", "total", "n_candidates", "chance")


@dataclass(frozen=True, eq=False)
class _Plan:
    """What a batch's layers share; items sorted by cell, and where each cell's begin."""

    items: Items
    members: Members
    order: np.ndarray
    starts: np.ndarray
    cells: tuple[np.ndarray, ...]
    kept: list[tuple[np.ndarray, Guesses]] = field(default_factory=list)

    @classmethod
    def of(cls, items: Items, members: Members, n_cells: tuple[int, ...]) -> "_Plan":
        shape = (N_GROUPS, *n_cells)
        place = (items.document % N_GROUPS, items.kind, items.distance)
        keys = np.ravel_multi_index(place, shape)
        order = np.argsort(keys, kind="stable")
        found, starts = np.unique(keys[order], return_index=True)
        return cls(items, members, order, starts, np.unravel_index(found, shape))

    def keep(self, direction: int, layer: int, chosen: np.ndarray) -> None:
        for mine, guesses in self.kept:
            guesses.chosen[direction, layer] = chosen[mine].T
