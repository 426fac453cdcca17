"""Exercises on single maps: notebooks 01 to 03."""

from typing import Any

from bertattn import surface, words
from bertattn.exercises import inputs
from bertattn.exercises.verdicts import Exercise
from bertattn.heads import AttentionHead

FUNCTIONS = {
    "most attended": Exercise(
        lambda weights: weights.argmax(axis=1),
        inputs.one_map,
        "a row says where a token looks, so its largest entry is along axis 1",
    ),
    "merge words": Exercise(
        words.unit_weights,
        inputs.map_and_units,
        "columns are summed and rows are averaged, so rows still sum to 1",
    ),
    "to previous": Exercise(
        lambda weights: surface.at_offset(weights, -1),
        lambda rng: (inputs.attention(rng, 3),) if rng.random() < 0.2 else (inputs.attention(rng),),
        "row i, column i - 1; the first token has no previous one but still counts in n",
    ),
    "to columns": Exercise(
        lambda weights, columns: weights[:, columns].sum() / len(weights),
        inputs.map_and_columns,
        "the sum of the chosen columns, averaged over all rows",
    ),
    "entropy": Exercise(
        lambda weights: surface.entropy(weights, smoothing=0.0),
        inputs.with_zeros,
        "0 for a row that looks at one token, ln n for a row that looks at all alike",
    ),
    "from others": Exercise(
        lambda weights, columns: (
            weights[~columns][:, columns].sum() / max(int((~columns).sum()), 1)
        ),
        inputs.map_and_columns,
        "rows that are not separators, columns that are; the average is over those rows only",
    ),
}
ANSWERS: dict[str, tuple[Any, str]] = {
    "head name": (
        str(AttentionHead(2, 10)),
        "code counts from 0, print from 1: add 1 to both; the answer is a text",
    ),
    "row sum": (1, "weights are taken after the softmax: what do its outputs sum to?"),
    "chance": (2 / 128, "two of 128 tokens, and every token gets the same share"),
}
