"""How far apart all heads are over a stream of maps: a reducer (Clark et al. 2019, section 6)."""

import json
import zlib
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from array_api_compat import array_namespace, is_torch_array
from jaxtyping import Float, Int, Shaped

from bertattn.attention import Kind, Tokens
from bertattn.clusters.distances import Distances
from bertattn.clusters.jensen_shannon import between_heads
from bertattn.files import replacing
from bertattn.reducer import Batch, as_numpy

N_GROUPS = 20
Sink = Literal["none", "start", "separator", "both", "first"]
SINK_KINDS: dict[str, tuple[Kind, ...]] = {
    "none": (),
    "start": (Kind.START,),
    "separator": (Kind.SEPARATOR,),
    "both": (Kind.START, Kind.SEPARATOR),
    "first": (),
}


@dataclass(frozen=True)
class Options:
    """What moves the distances; each is in every table's signature.

    Rows are smoothed first and lose the sink then, so that a row which puts all on the sink is
    defined: what is left of it is uniform.

    Attributes:
        smoothing: The part of the uniform distribution mixed into each row; the paper's is 0.001. 0
            will do where no sink is removed: the divergence is finite without.
        rows: The share of each input's rows that is taken, spread evenly over it; 1.0: all.
        without: Whose columns are removed before the rest is made to sum to 1 again: those of
            "none" (the paper), of the "start" token, of each "separator", of "both", or the "first"
            position (the sink of models that have no start token).
        row_seed: Of the choice of rows.

    Raises:
        ValueError: If smoothing or rows are out of range, if there is no such sink, or if a sink is
            to be removed without smoothing.
    """

    smoothing: float = 0.001
    rows: float = 1.0
    without: Sink = "none"
    row_seed: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.smoothing < 1:
            raise ValueError(f"wanted a smoothing from 0 to less than 1, got {self.smoothing}")
        if not 0 < self.rows <= 1:
            raise ValueError(f"wanted a share of rows above 0 and up to 1, got {self.rows}")
        if self.without not in SINK_KINDS:
            known = ", ".join(map(repr, get_args(Sink)))
            raise ValueError(f"wanted a sink of {known}, got {self.without!r}")
        if self.without != "none" and not self.smoothing:
            raise ValueError(
                "a row that puts all on the sink is nothing without it: give a smoothing above 0, "
                "such as the paper's 0.001"
            )


@dataclass(eq=False)
class DistanceSums:
    """Sums of the Jensen-Shannon divergence between all pairs of heads, in nats: a reducer.

    The maps of one batch are kept until its last layer has come.

    Attributes:
        sums: Over rows, by group of documents: up to 20 are each a group of their own.
        n_rows: How many rows each group has.
        n_layers: How many layers the model has.
        options: What moves the distances.
        left_out: Counts of rows that have no column besides the sink's, and of inputs without such
            a sink, of which nothing was removed.
        n_inputs: How many inputs were seen.
    """

    sums: Float[np.ndarray, "group head head"]
    n_rows: Int[np.ndarray, " group"]
    n_layers: int
    options: Options = Options()
    left_out: Counter[str] = field(default_factory=Counter)
    n_inputs: int = 0
    _plan: "_Plan | None" = field(default=None, repr=False)

    @classmethod
    def empty(cls, n_layers: int, n_heads: int, options: Options = Options()) -> "DistanceSums":
        """Nothing seen yet."""
        n = n_layers * n_heads
        rows = np.zeros(N_GROUPS, dtype=np.int64)
        return cls(np.zeros((N_GROUPS, n, n)), rows, n_layers, options)

    def update(
        self, layer: int, weights: Shaped[Any, "batch head token token"], batch: Batch
    ) -> None:
        """Keep one layer's rows of one batch; compare all heads when the last has come."""
        if layer == 0:
            self._plan = _Plan.of(batch, self.options)
        plan = self._plan
        assert plan is not None, "layers come in order, the first one first"
        plan.layers.append(plan.shares(weights, self.options.smoothing))
        if layer == self.n_layers - 1:
            self._add(plan)
            self._plan = None

    def _add(self, plan: "_Plan") -> None:
        """Add the batch's rows to their groups, which follow one another in the plan."""
        xp = array_namespace(plan.lengths)
        for group in np.unique(plan.groups):
            first, last = np.flatnonzero(plan.groups == group)[[0, -1]]
            rows = xp.concat([layer[:, first : last + 1] for layer in plan.layers])
            self.sums[group] += between_heads(rows, self.options.smoothing)
            self.n_rows[group] += last + 1 - first
        self.left_out += plan.left_out
        self.n_inputs += plan.n_inputs

    def fresh(self) -> "DistanceSums":
        """An empty one with the same options."""
        n_heads = self.sums.shape[-1] // self.n_layers
        return self.empty(self.n_layers, n_heads, self.options)

    def __add__(self, other: "DistanceSums") -> "DistanceSums":
        if (self.options, self.n_layers, self.sums.shape) != (
            other.options,
            other.n_layers,
            other.sums.shape,
        ):
            raise ValueError("distances of other options or of another model cannot be added")
        return type(self)(
            self.sums + other.sums,
            self.n_rows + other.n_rows,
            self.n_layers,
            self.options,
            self.left_out + other.left_out,
            self.n_inputs + other.n_inputs,
        )

    def result(self) -> Distances:
        """The distances.

        Raises:
            ValueError: If no row was measured.
        """
        if not self.n_rows.any():
            raise ValueError("no row was measured: the corpus gave no input, or sinks alone")
        filled = np.flatnonzero(self.n_rows)
        return Distances(self.sums[filled], self.n_rows[filled], self.n_layers, self.n_inputs)

    def save(self, path: Path) -> None:
        """Write the sums to an ``.npz`` file, whole or not at all."""
        rest = {
            "n_layers": self.n_layers,
            "options": asdict(self.options),
            "left_out": self.left_out,
            "n_inputs": self.n_inputs,
        }
        with replacing(path) as file:
            np.savez(file, sums=self.sums, n_rows=self.n_rows, rest=np.array(json.dumps(rest)))

    @classmethod
    def load(cls, path: Path) -> "DistanceSums":
        """Read the sums back."""
        with np.load(path, allow_pickle=False) as stored:
            rest = json.loads(stored["rest"].item())
            options = Options(**rest.pop("options"))
            left_out = Counter(rest.pop("left_out"))
            sums, n_rows = stored["sums"], stored["n_rows"]
            return cls(sums, n_rows, options=options, left_out=left_out, **rest)


def sampled_rows(tokens: Tokens, share: float, seed: int = 0) -> Int[np.ndarray, " row"]:
    """A share of an input's rows, evenly spread, every row with the same probability.

    Where they begin depends on the input's ids and the seed alone, so that batches may come in any
    order.

    Example:
        >>> ids = np.arange(8)
        >>> tokens = Tokens(tuple("abcdefgh"), ids, ids, ids, ids * 0, ())
        >>> len(sampled_rows(tokens, 0.25)), len(sampled_rows(tokens, 1.0))
        (2, 8)
    """
    begin = np.random.default_rng([seed, zlib.crc32(tokens.ids.astype("<i8").tobytes())]).random()
    return np.flatnonzero(np.diff(np.floor(np.arange(len(tokens) + 1) * share + begin)))


@dataclass(frozen=True, eq=False)
class _Plan:
    """Which rows of a batch are taken, in order of their groups, and what its layers gave so far.

    ``columns`` is 1 where a row has a column: not on padding, nor on a sink that is removed.
    """

    input: Int[np.ndarray, " row"]
    row: Int[np.ndarray, " row"]
    groups: Int[np.ndarray, " row"]
    columns: Float[Any, "row one token"]
    lengths: Float[Any, "row one one"]
    without: Sink
    n_inputs: int
    left_out: Counter[str]
    layers: list[Any] = field(default_factory=list)

    @classmethod
    def of(cls, batch: Batch, options: Options) -> "_Plan":
        kinds = as_numpy(batch.kinds)
        present: np.ndarray = (kinds >= 0) & ~np.isin(kinds, SINK_KINDS[options.without])
        if options.without == "first":
            present[:, 0] = False
        untouched = int((present == (kinds >= 0)).all(axis=1).sum())
        defined = np.asarray(present.any(axis=1))
        chosen = [sampled_rows(t, options.rows, options.row_seed) for t in batch.tokens]
        place = np.repeat(np.arange(len(chosen)), [len(rows) for rows in chosen])
        order = np.argsort(batch.documents[place] % N_GROUPS, kind="stable")
        order = order[defined[place[order]]]
        place, row = place[order], np.concatenate(chosen)[order]
        lost = sum(map(len, chosen)) - len(order)
        return cls(
            place,
            row,
            batch.documents[place] % N_GROUPS,
            _on_device(present[place][:, None].astype(np.float32), batch),
            _on_device(np.array([len(t) for t in batch.tokens], np.float32)[place], batch)[
                :, None, None
            ],
            options.without,
            len(batch.tokens),
            +Counter(
                rows_of_the_sink_alone=lost,
                inputs_without_the_sink=untouched if options.without != "none" else 0,
            ),
        )

    def shares(self, weights: Any, smoothing: float) -> Shaped[Any, "head row token"]:
        """One layer's rows: smoothed, then without the sink."""
        xp = array_namespace(weights)
        taken = weights[self.input, :, self.row]
        taken = (taken * (1 - smoothing) + smoothing / self.lengths) * self.columns
        if self.without != "none":
            taken /= xp.sum(taken, axis=-1)[..., None]
        return xp.permute_dims(taken, (1, 0, 2))


def _on_device(array: np.ndarray, batch: Batch) -> Any:
    """A numpy array where the batch's arrays stand."""
    like = batch.lengths
    return like.new_tensor(array) if is_torch_array(like) else array
