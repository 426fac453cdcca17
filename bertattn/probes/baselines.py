"""What needs no training of a network: right-branching, the best offset, and the control task."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from jaxtyping import Int

from bertattn.attention import Tokens
from bertattn.probes.data import NO_TARGET, ProbeData, Words
from bertattn.probes.predictions import Prediction

OFFSETS = tuple(offset for offset in range(-5, 6) if offset)
BEHAVIOURS = ("self", "first", "last")


def right_branching(data: ProbeData, numbers: Sequence[int]) -> list[Prediction]:
    """Every word's governor is the next word, the last word's is ROOT."""
    return [_chain(data.words[number], number) for number in numbers]


def _chain(words: Words, number: int) -> Prediction:
    """Edges leave out punctuation, so that the words on both of its sides are neighbours."""
    governors = np.append(np.arange(2, len(words.rows) + 1), 0)
    kept = np.flatnonzero(words.in_edges).tolist()
    return Prediction(number, governors, governors, set(pairwise(kept)))


def best_offset(data: ProbeData) -> int:
    """The offset from a word to its governor that is right most often in the training part."""
    return max(OFFSETS, key=lambda offset: _n_right(data, offset))


def _n_right(data: ProbeData, offset: int) -> int:
    right = 0
    for number in data.parts.train:
        words = data.words[number]
        at = at_offset(len(words.governors), offset)
        right += int((at == words.governors)[~words.punctuation].sum())
    return right


def at_offset(n_words: int, offset: int) -> Int[np.ndarray, " word"]:
    """The candidate at an offset from each word; -2, a miss, where there is no word.

    Example:
        >>> at_offset(3, 1).tolist()
        [2, 3, -2]
    """
    place = np.arange(n_words) + offset
    return np.where((place >= 0) & (place < n_words), place + 1, -2)


def fixed_offset(data: ProbeData, numbers: Sequence[int], offset: int) -> list[Prediction]:
    """Every word's governor stands at one offset; that makes no tree."""
    return [Prediction(n, at_offset(len(data.words[n].rows), offset)) for n in numbers]


def control_targets(inputs: Sequence[Tokens], seed: int = 0) -> list[np.ndarray]:
    """The control task of Hewitt and Liang 2019 for dependencies, a target for each word.

    Every word type is dealt one of three behaviours at random: its governor is itself, the first
    word, or the last word of the sentence. Only memory of word types can learn that, so a probe
    that does well on it learns by itself what a high score on trees was to show of the
    representation. Words that have no pieces, or would have such a governor, are not asked.
    """
    types = sorted({word for tokens in inputs for word in tokens.words})
    dealt = np.random.default_rng(seed).integers(len(BEHAVIOURS), size=len(types))
    behaviour = dict(zip(types, dealt.tolist(), strict=True))
    return [_behaving(tokens, behaviour) for tokens in inputs]


def _behaving(tokens: Tokens, behaviour: dict[str, int]) -> np.ndarray:
    n_words = len(tokens.words)
    choices = np.stack([np.arange(1, n_words + 1), np.ones(n_words), np.full(n_words, n_words)])
    dealt = [behaviour[word] for word in tokens.words]
    wanted = choices[dealt, np.arange(n_words)].astype(np.int64)
    silent = np.array(tokens.words_without_pieces, dtype=np.int64)
    wanted[np.isin(wanted, silent + 1)] = NO_TARGET
    wanted[silent] = NO_TARGET
    return wanted
