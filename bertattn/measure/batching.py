"""Inputs of similar length together, and a bar that says how far a run is."""

import os
import sys
from collections.abc import Iterable, Iterator

from tqdm import tqdm

from bertattn.attention import Tokens
from bertattn.reducer import width

BATCH_PIECES = 512
WINDOW_PIECES = 16_384


def batches(
    inputs: Iterable[Tokens],
    batch_pieces: int = BATCH_PIECES,
    window_pieces: int = WINDOW_PIECES,
) -> Iterator[list[Tokens]]:
    """Group inputs of similar length, longest first, ``batch_pieces`` a batch with padding.

    Inputs of about ``window_pieces`` pieces are held and sorted at a time. An input longer
    than ``batch_pieces`` makes a batch of its own.
    """
    for held in windows(inputs, window_pieces):
        held.sort(key=len, reverse=True)
        while held:
            n_fit = max(1, batch_pieces // width(len(held[0])))
            yield held[:n_fit]
            del held[:n_fit]


def windows(inputs: Iterable[Tokens], n_pieces: int) -> Iterator[list[Tokens]]:
    """Inputs as they come, about ``n_pieces`` pieces at a time."""
    held: list[Tokens] = []
    n_held = 0
    for tokens in inputs:
        held.append(tokens)
        n_held += len(tokens)
        if n_held >= n_pieces:
            yield held
            held, n_held = [], 0
    if held:
        yield held


def progress(total: int | None) -> tqdm:
    """A bar on stderr, unless the environment says ``BERTATTN_PROGRESS=0``."""
    off = os.environ.get("BERTATTN_PROGRESS") == "0"
    return tqdm(total=total, unit=" inputs", file=sys.stderr, disable=off, leave=False)
