"""How often each head is right about each relation: a reducer."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from array_api_compat import is_torch_array
from jaxtyping import Float, Int, Shaped

from bertattn.files import replacing
from bertattn.reducer import Batch, as_numpy
from bertattn.syntax import rules
from bertattn.syntax.arcs import ROOT, Arcs, arcs_of, is_punctuation, sentence_of
from bertattn.syntax.guesses import Guesses
from bertattn.syntax.predictions import governors
from bertattn.words import Members

N_GROUPS = 200


@dataclass(frozen=True)
class Options:
    """What moves the numbers; each is in every table's signature.

    Attributes:
        from_word: The row of a split word: the "mean" of its pieces (the paper) or the "first" (the
            released code).
        poss_rule: Whether, for ``poss``, the prediction made for the possessive counts, for heads
            and baselines alike.
        punct_candidates: Whether punctuation may be predicted as governor.
    """

    from_word: Literal["mean", "first"] = "mean"
    poss_rule: bool = True
    punct_candidates: bool = True


@dataclass(eq=False)
class SyntaxCounts:
    """Right and all, by group of documents: up to 200 documents are each a group of their own.

    Attributes:
        relations: The names of the relations.
        right: How many arcs each head predicts.
        right_rules: The same of each rule of ``rules.NAMES``.
        total: How many arcs there are that can be seen.
        n_words: How many words there are, each of which gets a prediction.
        n_classed: How many have a part of speech that ``rules`` knows.
        options: What moves the numbers.
        keep: Of how many sentences the predictions are kept.
        guesses: The kept predictions.
        left_out: Counts of what has no score.
        n_sentences: How many sentences were seen.
    """

    relations: tuple[str, ...]
    right: Int[np.ndarray, "group relation direction layer head"]
    right_rules: Int[np.ndarray, "group relation direction rule"]
    total: Int[np.ndarray, "group relation direction"]
    n_words: Int[np.ndarray, " group"]
    n_classed: Int[np.ndarray, " group"]
    options: Options = Options()
    keep: int = 0
    guesses: list[Guesses] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    n_sentences: int = 0
    _plan: "_Plan | None" = field(default=None, repr=False)

    @classmethod
    def empty(
        cls,
        n_layers: int,
        n_heads: int,
        relations: Sequence[str],
        options: Options = Options(),
        keep: int = 0,
    ) -> "SyntaxCounts":
        """Nothing seen yet; the root, which no word governs, is a relation of its own."""
        names = tuple(dict.fromkeys([*relations, ROOT]))
        groups, n_relations = N_GROUPS, len(names)
        return cls(
            names,
            np.zeros((groups, n_relations, 2, n_layers, n_heads), dtype=np.int32),
            np.zeros((groups, n_relations, 2, len(rules.NAMES)), dtype=np.int32),
            np.zeros((groups, n_relations, 2), dtype=np.int32),
            np.zeros(groups, dtype=np.int64),
            np.zeros(groups, dtype=np.int64),
            options,
            keep,
        )

    def update(
        self, layer: int, weights: Shaped[Any, "batch head token token"], batch: Batch
    ) -> None:
        """Count one layer's hits of one batch."""
        if layer == 0:
            self._plan = self._begin(weights, batch)
        plan = self._plan
        assert plan is not None, "layers come in order, the first one first"
        near = weights if is_torch_array(plan.members.share) else as_numpy(weights)
        found = governors(plan.members.between_words(near), plan.candidates)
        self._add(self.right[:, :, :, layer], found, plan)
        for number, guesses in enumerate(plan.kept):
            guesses.governors[:, layer] = found[:, number, :, : len(guesses.sentence)]

    def fresh(self) -> "SyntaxCounts":
        """An empty one with the same options."""
        n_layers, n_heads = self.right.shape[-2:]
        return self.empty(n_layers, n_heads, self.relations, self.options, self.keep)

    def __add__(self, other: "SyntaxCounts") -> "SyntaxCounts":
        if (self.relations, self.options) != (other.relations, other.options):
            raise ValueError("counts of other relations or options cannot be added")
        return type(self)(
            self.relations,
            self.right + other.right,
            self.right_rules + other.right_rules,
            self.total + other.total,
            self.n_words + other.n_words,
            self.n_classed + other.n_classed,
            self.options,
            self.keep + other.keep,
            self.guesses + other.guesses,
            self.left_out + other.left_out,
            self.n_sentences + other.n_sentences,
        )

    def result(self) -> dict[str, Float[np.ndarray, "direction layer head"]]:
        """The accuracy of every head for each relation; NaN where there is no arc."""
        right, total = self.right.sum(axis=0), self.total.sum(axis=0)
        with np.errstate(invalid="ignore"):
            accuracy = right / total[..., None, None]
        return dict(zip(self.relations, accuracy, strict=True))

    def save(self, path: Path) -> None:
        """Write the counts to an ``.npz`` file, whole or not at all; kept predictions are not."""
        with replacing(path) as file:
            np.savez(
                file,
                relations=np.array(self.relations),
                options=np.array([repr(v) for v in vars(self.options).values()]),
                left_out=np.array([f"{k}={v}" for k, v in self.left_out.items()], dtype=str),
                n_sentences=self.n_sentences,
                **{name: getattr(self, name) for name in ARRAYS},
            )

    @classmethod
    def load(cls, path: Path) -> "SyntaxCounts":
        """Read the counts back."""
        with np.load(path, allow_pickle=False) as stored:
            from_word, *flags = stored["options"].tolist()
            options = Options(from_word.strip("'"), *(flag == "True" for flag in flags))
            pairs = (text.rpartition("=") for text in stored["left_out"].tolist())
            return cls(
                relations=tuple(stored["relations"].tolist()),
                **{name: stored[name] for name in ARRAYS},
                options=options,
                left_out=Counter({key: int(value) for key, _, value in pairs}),
                n_sentences=int(stored["n_sentences"]),
            )

    def _begin(self, weights: Any, batch: Batch) -> "_Plan":
        """What is the same for all layers of a batch; what needs no attention is counted here."""
        index = {name: number for number, name in enumerate(self.relations)}
        arcs, left_out = arcs_of(batch, index, self.options.poss_rule)
        self.left_out += left_out
        self.n_sentences += len(batch.tokens)
        on_device = is_torch_array(weights) and weights.device.type != "cpu"
        as_array = (lambda a: weights.new_tensor(a)) if on_device else np.asarray
        members = Members.of(batch, self.options.from_word, as_array)
        plan = _Plan.of(arcs, len(self.relations), members, self._candidates(batch))
        for tokens in batch.tokens:
            n_words = len(tokens.words) - len(tokens.words_without_pieces)
            self.n_words[tokens.document % N_GROUPS] += n_words
            classed = sum(tag in rules.CLASS_OF for tag in sentence_of(tokens.source).tags)
            self.n_classed[tokens.document % N_GROUPS] += classed
            if len(self.guesses) < self.keep:
                self.guesses.append(self._guesses(tokens))
                plan.kept.append(self.guesses[-1])
        tags = [sentence_of(tokens.source).tags for tokens in batch.tokens]
        by_rule = rules.governors(tags, members.share.shape[1])
        by_rule = np.broadcast_to(by_rule.swapaxes(0, 1), (2, len(tags), *by_rule.shape[::2]))
        self._add(self.right_rules, by_rule, plan)
        self._add(self.total[..., None], None, plan)
        return plan

    def _candidates(self, batch: Batch) -> np.ndarray | None:
        """Which words may be chosen; None: all of them."""
        silent = any(tokens.words_without_pieces for tokens in batch.tokens)
        if self.options.punct_candidates and not silent:
            return None
        n_words = max(len(tokens.words) for tokens in batch.tokens)
        allowed = np.zeros((len(batch.tokens), n_words), dtype=bool)
        for row, tokens in zip(allowed, batch.tokens, strict=True):
            row[: len(tokens.words)] = True
            row[list(tokens.words_without_pieces)] = False
            if not self.options.punct_candidates:
                row[: len(tokens.words)] &= ~is_punctuation(sentence_of(tokens.source))
        return allowed

    def _guesses(self, tokens: Any) -> Guesses:
        sentence = sentence_of(tokens.source)
        shape = (*self.right.shape[2:], len(sentence))
        return Guesses(sentence, np.zeros(shape, dtype=np.int16), tokens.document)

    def _add(self, sums: np.ndarray, found: np.ndarray | None, plan: "_Plan") -> None:
        """Add the hits of "direction batch candidate word" predictions to their groups."""
        for direction in range(2):
            arcs, places, starts = plan.by_key[direction]
            if len(places):
                hits = np.ones((len(arcs[0]), 1), dtype=bool)
                if found is not None:
                    number, asked, governor = arcs
                    by_word = found[direction].transpose(2, 0, 1)
                    rows = by_word.reshape(-1, by_word.shape[2])
                    hits = rows[asked * by_word.shape[1] + number] == governor[:, None]
                added = np.add.reduceat(hits.view(np.int8), starts, axis=0, dtype=np.int32)
                sums.reshape(-1, *sums.shape[2:])[places, direction] += added


ARRAYS = ("right", "right_rules", "total", "n_words", "n_classed")
Sorted = tuple[tuple[np.ndarray, np.ndarray, np.ndarray], np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False)
class _Plan:
    """What a batch's layers share.

    ``by_key`` holds for each direction the visible arcs sorted by group and relation, the places of
    these pairs, and where each one's arcs begin.
    """

    members: Members
    candidates: np.ndarray | None
    by_key: list[Sorted]
    kept: list[Guesses] = field(default_factory=list)

    @classmethod
    def of(
        cls, arcs: Arcs, n_relations: int, members: Members, candidates: np.ndarray | None
    ) -> "_Plan":
        keys = (arcs.document % N_GROUPS) * n_relations + arcs.relation
        return cls(members, candidates, [_sorted(arcs, keys, seen) for seen in arcs.visible])


def _sorted(arcs: Arcs, keys: np.ndarray, visible: np.ndarray) -> Sorted:
    kept = np.flatnonzero(visible)
    order = kept[np.argsort(keys[kept], kind="stable")]
    places, starts = np.unique(keys[order], return_index=True)
    return (arcs.input[order], arcs.asked[order], arcs.governor[order]), places, starts
