"""How an attention head is named.

Code counts layers and heads from 0; print and tables carry the paper's names, which
count from 1: ``AttentionHead(7, 9)`` is the paper's head "8-10".
"""

import re
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class AttentionHead:
    """One attention head of a model, named as in Clark et al. 2019.

    Attributes:
        layer: The layer, counted from 0.
        index: The head within its layer, counted from 0.

    Raises:
        ValueError: If either number is negative.

    Example:
        >>> head = AttentionHead(7, 9)
        >>> print(head)
        8-10
        >>> AttentionHead.parse("8-10") == head
        True
    """

    layer: int
    index: int

    def __post_init__(self) -> None:
        if self.layer < 0 or self.index < 0:
            raise ValueError(
                f"an attention head is counted from 0, got layer {self.layer}, "
                f"index {self.index}; the paper's names count from 1: AttentionHead.parse('8-10')"
            )

    def __str__(self) -> str:
        return f"{self.layer + 1}-{self.index + 1}"

    @classmethod
    def parse(cls, name: str) -> "AttentionHead":
        """Read a head's printed name, "layer-head" counted from 1.

        Raises:
            ValueError: If the name is not two numbers from 1 up with a hyphen between.
        """
        match = re.fullmatch(r"\s*([1-9]\d*)-([1-9]\d*)\s*", name)
        if match is None:
            raise ValueError(f"wanted a head's name such as '8-10', counted from 1, got {name!r}")
        return cls(int(match[1]) - 1, int(match[2]) - 1)


def all_heads(n_layers: int, n_heads: int) -> list[AttentionHead]:
    """Every head of a model, layer by layer.

    Example:
        >>> [str(head) for head in all_heads(2, 2)]
        ['1-1', '1-2', '2-1', '2-2']
    """
    return [AttentionHead(layer, index) for layer in range(n_layers) for index in range(n_heads)]
