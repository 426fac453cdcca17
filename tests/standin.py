"""A model and a reducer without torch, quick to bring up in another process."""

import json
import os
import signal
import time
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from bertattn.attention import Tokens
from bertattn.files import replacing
from bertattn.reducer import Batch


def tokens(number: int, document: int | None = None, n: int = 8) -> Tokens:
    """An input that is known by its ids."""
    ids = np.arange(n) + 100 * number
    kinds = np.array([2, *[0] * (n - 2), 3])
    words = tuple("abcdefghijklmnop"[: n - 2])
    unit_of = np.array([n - 2, *range(n - 2), n - 1])
    place = number if document is None else document
    pieces = ("[CLS]", *words, "[SEP]")
    return Tokens(pieces, ids, ids * 0, unit_of, kinds, words, place)


class StandIn:
    """Every head attends by a random draw from the input's ids and its own number."""

    n_layers, n_heads, causal = 2, 3, False
    shape = (2, 3)

    def __init__(self, seed: int = 0, recipe_seed: int | None = None, seconds: float = 0.0) -> None:
        self.seed = seed
        self.sha256 = f"{seed}" * 64
        self.seconds = seconds
        self.dtype, self.device = "float32", SimpleNamespace(type="cpu")
        self.encoder = SimpleNamespace(sha256="0" * 64, type_ids="tokenizer")
        shown = seed if recipe_seed is None else recipe_seed
        self.recipe = partial(StandIn, shown, seconds=seconds)

    def run(self, inputs, observers) -> None:
        batch = Batch.of(inputs)
        time.sleep(self.seconds)
        for layer in range(self.n_layers):
            weights = np.stack([self._map(t, layer, batch.kinds.shape[1]) for t in inputs])
            for observer in observers:
                observer.update(layer, weights, batch)

    def _map(self, one: Tokens, layer: int, width: int) -> np.ndarray:
        rng = np.random.default_rng([self.seed, layer, int(one.ids[0])])
        weights = rng.dirichlet(np.ones(len(one)), size=(self.n_heads, len(one)))
        more = width - len(one)
        return np.pad(weights, [(0, 0), (0, more), (0, more)]).astype(np.float32)


@dataclass(eq=False)
class Seen:
    """Which documents came by, how often; some it will not take.

    Attributes:
        poison: Documents at which it raises.
        deadly: Documents at which its process is killed.
    """

    poison: tuple[int, ...] = ()
    deadly: tuple[int, ...] = ()
    documents: list[int] = field(default_factory=list)
    total: float = 0.0

    def update(self, layer, weights, batch) -> None:
        if layer == 0:
            documents = batch.documents.tolist()
            if bad := set(documents) & set(self.poison):
                raise ArithmeticError(f"document {min(bad)} is poison")
            if set(documents) & set(self.deadly):
                os.kill(os.getpid(), signal.SIGKILL)
            self.documents.extend(documents)
        self.total += float(weights[:, 0, 0].sum())

    def fresh(self) -> "Seen":
        return Seen(self.poison, self.deadly)

    def __add__(self, other: "Seen") -> "Seen":
        both = self.documents + other.documents
        return Seen(self.poison, self.deadly, both, self.total + other.total)

    def result(self) -> list[int]:
        return sorted(self.documents)

    def save(self, path: Path) -> None:
        with replacing(path) as file:
            file.write(json.dumps(vars(self)).encode())

    @classmethod
    def load(cls, path: Path) -> "Seen":
        stored = json.loads(path.read_text())
        stored["poison"], stored["deadly"] = tuple(stored["poison"]), tuple(stored["deadly"])
        return cls(**stored)
