"""Sums of partitions, added in pairs by their place and not by who is first."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import reduce
from operator import add

from bertattn.measure.partitions import Sums


@dataclass(frozen=True, eq=False)
class Block:
    """The sums of consecutive partitions.

    Attributes:
        start: The number of the first one.
        digests: A hash of each one's inputs.
        n_inputs: How many inputs they have together.
        sums: The reducers.
    """

    start: int
    digests: tuple[str, ...]
    n_inputs: int
    sums: Sums

    def __len__(self) -> int:
        return len(self.digests)

    @property
    def stop(self) -> int:
        """The number after its last partition."""
        return self.start + len(self)

    def __add__(self, after: "Block") -> "Block":
        return Block(
            self.start,
            self.digests + after.digests,
            self.n_inputs + after.n_inputs,
            tuple(map(add, self.sums, after.sums)),
        )


class Tree:
    """Blocks that add up: two of equal size side by side become one, as in a binary counter.

    Which partitions are added to which depends on their numbers alone, so that float sums are the
    same in whatever order partitions are finished; and of n partitions in order about log2(n)
    blocks are held.

    Example:
        >>> tree = Tree()
        >>> for number in (2, 0, 3, 1, 4):
        ...     _ = tree.add(Block(number, ("",), 1, ([number],)))
        >>> [(block.start, len(block), block.sums) for block in tree]
        [(0, 4, ([0, 1, 2, 3],)), (4, 1, ([4],))]
    """

    def __init__(self, blocks: Iterable[Block] = ()) -> None:
        self._blocks: dict[tuple[int, int], Block] = {}
        for block in blocks:
            self.add(block)

    def __iter__(self) -> Iterator[Block]:
        return iter(sorted(self._blocks.values(), key=lambda block: block.start))

    def __len__(self) -> int:
        return len(self._blocks)

    def add(self, block: Block) -> Block:
        """Take a block in; what it has become part of is returned."""
        while (beside := self._blocks.pop(_sibling(block), None)) is not None:
            block = block + beside if block.start < beside.start else beside + block
        self._blocks[block.start, len(block)] = block
        return block

    def total(self) -> Block | None:
        """All blocks together, added in order; None where there is none."""
        return reduce(add, self) if self._blocks else None

    def digest(self, number: int) -> str | None:
        """The hash of a partition's inputs, if a block has it."""
        for size in sorted({size for _, size in self._blocks}):
            block = self._blocks.get((number // size * size, size))
            if block is not None:
                return block.digests[number - block.start]
        return None


def _sibling(block: Block) -> tuple[int, int]:
    """Start and size of the block beside: 6 and 7 are a pair, as are 4-5 and 6-7."""
    return block.start ^ len(block), len(block)
