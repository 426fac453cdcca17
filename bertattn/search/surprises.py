"""Inputs in which a head does least what it usually does.

What a head does in an input is where its attention goes, the parts p of ``shares``; what it usually
does, the mean u of these over the corpus' inputs of about the same length (within a factor of two;
the input itself is among them). How far the two are apart is the Kullback-Leibler divergence,
summed over the input's n rows, in nats:

    surprise = n * (sum over parts of p ln(p / u))

0 if the head does what it always does. By how much is it likelier, in the logarithm, that n looks
fall as they do if they go by p than if they go by u? Per row the shortest inputs would come first,
since their parts vary most. Each part is mixed with 0.001 of an even share before, so that what
never happens elsewhere is a large surprise and no endless one.
"""

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float, Int, Shaped

from bertattn.files import replacing
from bertattn.heads import AttentionHead
from bertattn.reducer import Batch
from bertattn.search.best import Best, key_of
from bertattn.search.shares import PARTS, Shares, length_class, parts
from bertattn.search.shown import Shown

N_KEPT = 3
LEAST = 20
SMOOTHING = 1e-3
PARTS_PER = 10_000  # shares are kept as whole numbers of so many


@dataclass(frozen=True)
class Surprise:
    """An input in which a head does something else.

    Attributes:
        attn_head: The head.
        nats: How far what it does there is from what it usually does, over all rows.
        part: The part of ``PARTS`` that adds most to it: where attention goes instead.
        share: That part's share there, of 1.
        usual: Its usual share in inputs of about that length.
        words: The input's words.
        source: The name of its sentence, or "".
    """

    attn_head: AttentionHead
    nats: float
    part: str
    share: float
    usual: float
    words: tuple[str, ...]
    source: str = ""


@dataclass(eq=False)
class Surprises:
    """The most surprising inputs of each head: a reducer, whose memory is bounded.

    Attributes:
        usual: What heads usually do (``Shares.result``).
        n_usual: How many inputs of each length that rests on.
        found: The most surprising inputs of each layer and head.
        sentences: What they are.
        n_inputs: How many inputs were seen.
        left_out: Counts of inputs as long as too few others.
        least: How many inputs of about its length an input needs.
    """

    usual: Float[np.ndarray, "length part layer head"]
    n_usual: Int[np.ndarray, " length"]
    found: Best
    sentences: dict[int, Shown] = field(default_factory=dict)
    n_inputs: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    least: int = LEAST

    @classmethod
    def empty(cls, shares: Shares, n: int = N_KEPT, least: int = LEAST) -> "Surprises":
        """Nothing seen yet.

        Args:
            shares: What heads usually do, from a pass before.
            n: How many inputs each head keeps.
            least: How many inputs of about its length an input needs to be asked.
        """
        found = Best.empty(*shares.sums.shape[2:], n)
        return cls(shares.result(), shares.counts, found, least=least)

    def update(
        self, layer: int, weights: Shaped[Any, "batch head token token"], batch: Batch
    ) -> None:
        """Take in one layer's maps of one batch."""
        of_length = length_class(np.array([len(tokens) for tokens in batch.tokens]))
        kept = self.n_usual[of_length] >= self.least
        if layer == 0:
            self._begin(batch, kept)
        if kept.any():
            here = parts(weights, batch)[:, kept].transpose(2, 1, 0)  # [head, input, part]
            usual = self.usual[of_length[kept], :, layer].transpose(2, 0, 1)
            terms = divergence_terms(here, usual)
            most = terms.argmax(axis=-1)
            share = np.take_along_axis(here, most[..., None], axis=-1)[..., 0]
            details = np.stack([most, np.rint(share * PARTS_PER).astype(np.int64)], axis=-1)
            keys = np.array([key_of(tokens) for tokens in batch.tokens], dtype=np.int64)
            n_rows = np.array([len(tokens) for tokens in batch.tokens])[kept]
            self.found.put(n_rows * terms.sum(axis=-1), keys[kept], details, (layer,))

    def _begin(self, batch: Batch, kept: np.ndarray) -> None:
        self.n_inputs += len(batch.tokens)
        if n_rare := int((~kept).sum()):
            self.left_out["inputs_of_rare_length"] += n_rare
        held = {key: self.sentences[key] for key in self.found.used()}
        self.sentences = held | {key_of(t): Shown.of(t) for t in batch.tokens}

    @property
    def n_asked(self) -> int:
        """How many inputs were seen and not left out."""
        return self.n_inputs - self.left_out.total()

    def __add__(self, other: "Surprises") -> "Surprises":
        same = np.array_equal(self.usual, other.usual, equal_nan=True)
        if not same or self.least != other.least:
            raise ValueError("surprises against other shares cannot be added")
        return type(self)(
            self.usual,
            self.n_usual,
            self.found + other.found,
            self.sentences | other.sentences,
            self.n_inputs + other.n_inputs,
            self.left_out + other.left_out,
            self.least,
        )

    def result(self) -> dict[AttentionHead, tuple[Surprise, ...]]:
        """The most surprising inputs of each head, the most surprising first."""
        n_layers, n_heads = self.found.values.shape[:2]
        heads = [
            AttentionHead(layer, index) for layer in range(n_layers) for index in range(n_heads)
        ]
        return {attn_head: self._of(attn_head) for attn_head in heads}

    def _of(self, attn_head: AttentionHead) -> tuple[Surprise, ...]:
        layer, index = attn_head.layer, attn_head.index
        found = []
        for nats, key, (part, share) in self.found.rows((layer, index)):
            shown = self.sentences[key]
            length = int(length_class(np.array([shown.n_tokens]))[0])
            usual = float(self.usual[length, part, layer, index])
            values = (nats, PARTS[part], share / PARTS_PER, usual)
            found.append(Surprise(attn_head, *values, shown.words, shown.source))
        return tuple(found)

    def save(self, path: Path) -> None:
        """Write all of it to an ``.npz`` file, whole or not at all."""
        held = {key: self.sentences[key] for key in self.found.used()}
        text = json.dumps([held, self.n_inputs, self.left_out, self.least])
        arrays = {"usual": self.usual, "n_usual": self.n_usual, **vars(self.found)}
        with replacing(path) as file:
            np.savez(file, text=np.array(text), **arrays)

    @classmethod
    def load(cls, path: Path) -> "Surprises":
        """Read it back."""
        with np.load(path, allow_pickle=False) as stored:
            held, n_inputs, left_out, least = json.loads(str(stored["text"]))
            found = Best(*(stored[name] for name in ("values", "keys", "details")))
            usual, n_usual = stored["usual"], stored["n_usual"]
        sentences = Shown.read(held)
        return cls(usual, n_usual, found, sentences, n_inputs, Counter(left_out), least)


def divergence_terms(
    here: Float[np.ndarray, "*rows part"],
    usual: Float[np.ndarray, "*rows part"],
    smoothing: float = SMOOTHING,
) -> Float[np.ndarray, "*rows part"]:
    """What each part adds to the divergence of what is from what usually is, in nats.

    Example:
        >>> here, usual = np.array([1.0, 0.0]), np.array([0.5, 0.5])
        >>> divergence_terms(here, usual, smoothing=0.0).round(3).tolist()  # ln 2
        [0.693, 0.0]
    """
    n_parts = here.shape[-1]
    p, u = ((1 - smoothing) * shares + smoothing / n_parts for shares in (here, usual))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(p > 0, p * np.log(p / u), 0.0)
