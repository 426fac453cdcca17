"""Several files, read as one without being copied together."""

import io
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any


class Joined(io.RawIOBase):
    """Several files, read as if they were one.

    Example:
        >>> import tempfile
        >>> folder = Path(tempfile.mkdtemp())
        >>> for name in ("ab", "cd"):
        ...     _ = (folder / name).write_text(name)
        >>> io.BufferedReader(Joined(sorted(folder.iterdir()))).read(3)
        b'abc'
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = paths
        self._starts = [0, *accumulate(path.stat().st_size for path in paths)]
        self._at = 0

    def readable(self) -> bool:  # noqa: D102
        return True

    def seekable(self) -> bool:  # noqa: D102
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:  # noqa: D102
        before = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._starts[-1]}[whence]
        self._at = before + offset
        return self._at

    def readinto(self, buffer: Any, /) -> int:  # noqa: D102
        if self._at >= self._starts[-1]:
            return 0
        number = bisect_right(self._starts, self._at) - 1
        with self._paths[number].open("rb", buffering=0) as file:
            file.seek(self._at - self._starts[number])
            n_read = file.readinto(buffer) or 0
        self._at += n_read
        return n_read
