"""One run of an attempt beside the key's answer, and how it is shown."""

import inspect
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

SMALL = 40  # numbers that a reader will look at
FORMS: Any = {"float_kind": "{:.3g}".format, "int": str, "bool": str}  # how numpy writes them


@dataclass(frozen=True)
class Trial:
    """What a function was given, what it returned and what was wanted."""

    arguments: tuple
    got: np.ndarray
    wanted: np.ndarray

    @property
    def right(self) -> bool:
        """Whether it is the answer, to six digits."""
        return self.got.shape == self.wanted.shape and close(self.got, self.wanted)

    @property
    def n_numbers(self) -> int:
        """How many numbers there are to read in what it was given."""
        return sum(int(np.size(argument)) for argument in self.arguments)

    @property
    def n_digits(self) -> int:
        """How long they are when they are written down."""
        return sum(len(shown(argument)) for argument in self.arguments)


def close(one: Any, other: Any) -> bool:
    """Whether two arrays of one shape are the same to six digits."""
    return bool(np.allclose(np.asarray(one, float), np.asarray(other, float), atol=1e-6))


def shown(values: Any) -> str:
    """Numbers as a reader would write them down, to three digits, and could paste.

    Example:
        >>> shown(np.array([[0.25, 0.75], [1.0, 0.0]]))
        '[[0.25, 0.75], [1, 0]]'
    """
    array = np.asarray(values)
    if array.dtype.kind == "f":
        array = np.asarray(array + 0.0)  # no -0
    text = np.array2string(array, separator=", ", formatter=FORMS, max_line_width=sys.maxsize)
    return re.sub(r"\s+", " ", text)


def as_call(attempt: Callable[..., Any], arguments: tuple) -> str:
    """Arguments under the names that the attempt gives them.

    Example:
        >>> as_call(lambda weights, n: 0, (np.array([1.0, 2.0]), 3))
        'weights = [1, 2], n = 3'
    """
    try:
        taken = list(inspect.signature(attempt).bind(*arguments).arguments)
    except (TypeError, ValueError):  # a builtin, or one that takes another number of arguments
        taken = []
    texts = [shown(argument) for argument in arguments]
    if len(taken) != len(texts):
        return ", ".join(texts)
    return ", ".join(f"{name} = {text}" for name, text in zip(taken, texts, strict=True))
