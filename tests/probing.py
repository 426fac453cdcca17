"""What tests of probes share: sentences with random trees, and heads planted in random maps."""

from collections.abc import Sequence

import numpy as np

from bertattn.attention import Tokens
from bertattn.corpora import ParsedSentence
from bertattn.probes import Parts, ProbeData
from bertattn.segments import Trees
from bertattn.tokens import Encoder
from bertattn.vectors import WordVectors

VOCABULARY = ("the", "keeper", "fed", "octopus", "and", "it", "her", "did", "animal", "make")
N_HEADS = 6
PLANTED = 4


class Listed:
    """Maps in memory."""

    def __init__(self, maps: Sequence[np.ndarray]) -> None:
        self._maps = list(maps)

    def __getitem__(self, number: int) -> np.ndarray:
        return self._maps[number]


def random_tree(n_words: int, rng: np.random.Generator) -> tuple[int | None, ...]:
    """Each word but the first of a random order hangs under one that comes before it."""
    order = rng.permutation(n_words).tolist()
    governors: list[int | None] = [None] * n_words
    for place, word in enumerate(order[1:], start=1):
        governors[word] = order[int(rng.integers(place))]
    return tuple(governors)


def sentence(
    name: str, governors: Sequence[int | None], words: Sequence[str] = ()
) -> ParsedSentence:
    words = tuple(words) or tuple(VOCABULARY[i % len(VOCABULARY)] for i in range(len(governors)))
    relations = tuple("root" if g is None else "dep" for g in governors)
    return ParsedSentence(name, words, ("NN",) * len(words), tuple(governors), relations)


def sentences(n: int, seed: int = 0, longest: int = 8) -> list[ParsedSentence]:
    rng = np.random.default_rng(seed)
    made = []
    for number in range(n):
        governors = random_tree(int(rng.integers(3, longest + 1)), rng)
        words = rng.choice(VOCABULARY, size=len(governors)).tolist()
        made.append(sentence(f"s{number}", governors, words))
    return made


def random_map(n_words: int, rng: np.random.Generator, n_heads: int = N_HEADS) -> np.ndarray:
    rows = rng.dirichlet(np.full(n_words + 2, 0.5), size=(n_heads, n_words + 2))
    return rows.transpose(1, 2, 0).astype(np.float16)


def planted_map(one: ParsedSentence, rng: np.random.Generator) -> np.ndarray:
    """Random heads; the planted one looks at each word's governor, the root at the start token."""
    n = len(one.words)
    maps = random_map(n, rng)
    maps[:n, :, PLANTED] = 0.1 / (n + 1)
    for word, governor in enumerate(one.governors):
        maps[word, n if governor is None else governor, PLANTED] = 0.9
    return maps


def toy_vectors(n_dimensions: int = 12, seed: int = 0) -> WordVectors:
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=(len(VOCABULARY), n_dimensions)).astype(np.float32)
    return WordVectors("toy", matrix, {word: i for i, word in enumerate(VOCABULARY)})


def planted_data(encoder: Encoder, n: int = 60, parts: Parts | None = None) -> ProbeData:
    rng = np.random.default_rng(1)
    inputs = list(Trees(sentences(n), encoder))
    maps = Listed([planted_map(t.source, rng) for t in inputs])
    cut = n // 3
    order = list(range(n))
    parts = parts or Parts(order[: 2 * cut], order[2 * cut : -cut // 2], order[-cut // 2 :])
    return ProbeData.of(inputs, maps, toy_vectors(), parts)


def of_inputs(inputs: Sequence[Tokens], parts: Parts | None = None, seed: int = 2) -> ProbeData:
    """Data with random maps."""
    rng = np.random.default_rng(seed)
    maps = Listed([random_map(len(t.words), rng) for t in inputs])
    everything = list(range(len(inputs)))
    return ProbeData.of(
        inputs, maps, toy_vectors(), parts or Parts(everything, everything, everything)
    )
