"""Documents to choose heads by, and other documents to score the choice on."""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from bertattn.attention import Tokens


def halves(inputs: Sequence[Tokens], seed: int = 0) -> tuple[list[Tokens], list[Tokens]]:
    """Deal whole documents out at random, half of them to choose by and half to score on.

    Raises:
        ValueError: If there are fewer than two documents.
    """
    documents = np.unique([tokens.document for tokens in inputs])
    if len(documents) < 2:
        raise ValueError(
            f"wanted two documents at least, one to choose heads by and one to score them on, got "
            f"{len(documents)}; give a longer corpus, or name the documents in it"
        )
    order = np.random.default_rng(seed).permutation(documents)
    choosing = set(order[: len(order) // 2].tolist())
    return (
        [tokens for tokens in inputs if tokens.document in choosing],
        [tokens for tokens in inputs if tokens.document not in choosing],
    )


def a_few_of_each(inputs: Iterable[Tokens], n_each: int, n: int | None = None) -> list[Tokens]:
    """The first sentences of each document, so that few texts are of many documents.

    Args:
        inputs: The texts, in order.
        n_each: At most so many of a document.
        n: At most so many documents.
    """
    seen: Counter[int] = Counter()
    few = []
    for tokens in inputs:
        if tokens.document not in seen and n is not None and len(seen) >= n:
            continue
        seen[tokens.document] += 1
        if seen[tokens.document] <= n_each:
            few.append(tokens)
    return few
