"""Arrays on disk, one a sentence: written whole or not at all, and found again by what made them.

A store is a folder that gets its name only when everything in it is written. So a run that is
killed leaves a folder by a temporary name, which nobody reads and a later run sweeps away; of two
runs that make the same store at once the first to finish is kept, and both use it.
"""

import errno
import hashlib
import json
import os
import shutil
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any
from zipfile import BadZipFile

import numpy as np
from jaxtyping import Float16

VALUES, INDEX = "values.f16", "index.npz"
PREFIX, MAKING = "maps-", ".making-"
SWEPT_AFTER = {True: 86_400, False: 30 * 86_400}  # seconds: half made, not used
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class CacheError(OSError):
    """A cache that cannot be written: what stands in the way, and what to do."""


def default_folder() -> Path:
    """Where stores lie: the folder named by ``BERTATTN_CACHE``, else the user's cache."""
    if chosen := os.environ.get("BERTATTN_CACHE"):
        return Path(chosen).expanduser()
    import pooch

    return Path(pooch.os_cache("bertattn")) / "maps"


def key_of(made_from: Mapping[str, Any], sources: Sequence[Path]) -> str:
    """The name of a store: a hash of what it is made from, and of the code that makes it.

    Example:
        >>> key_of({"model": "a"}, []) == key_of({"model": "b"}, [])
        False
    """
    digest = hashlib.sha256(json.dumps(made_from, sort_keys=True, default=str).encode())
    for path in sources:
        digest.update(path.read_bytes())
    return PREFIX + digest.hexdigest()[:20]


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder beside the stores that is gone afterwards; what a killed run leaves is swept."""
    folder = default_folder()
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix=f"{MAKING}{PREFIX}") as made:
        yield Path(made)


class Store:
    """Arrays of float16 by number, read from disk as they are asked for.

    Attributes:
        path: The folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with (path / INDEX).open("rb") as file, np.load(file, allow_pickle=False) as index:
            numbers, shapes, checksum = index["numbers"], index["shapes"], index["checksum"]
        self._values = np.asarray(np.memmap(path / VALUES, dtype=np.float16, mode="r"))
        sizes = shapes.prod(axis=1)
        if len(self._values) != sizes.sum() or zlib.crc32(self._values.data) != checksum:
            raise ValueError(f"{path}: its numbers are not those that were written")
        ends = np.cumsum(sizes)
        self._places = {
            int(number): (int(end - size), int(end), tuple(shape))
            for number, end, size, shape in zip(numbers, ends, sizes, shapes.tolist(), strict=True)
        }

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, number: int) -> Float16[np.ndarray, "..."]:
        start, end, shape = self._places[number]
        return self._values[start:end].reshape(shape)


class Writer:
    """Takes arrays one after another; the store has its name when the block ends well.

    Args:
        folder: Where stores lie.
        key: The name of this one.

    Raises:
        CacheError: If the disk is full or the folder cannot be written.
    """

    def __init__(self, folder: Path, key: str) -> None:
        self.target = folder / key
        self._numbers: list[int] = []
        self._shapes: list[tuple[int, ...]] = []
        self._checksum = 0
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self.path = Path(tempfile.mkdtemp(dir=folder, prefix=f"{MAKING}{key}-"))
        except OSError as error:
            raise self._explained(error) from error
        try:
            self._file: IO[bytes] = (self.path / VALUES).open("wb")
        except OSError as error:
            shutil.rmtree(self.path, ignore_errors=True)
            raise self._explained(error) from error

    def __enter__(self) -> "Writer":
        return self

    def add(self, number: int, array: Float16[np.ndarray, "..."]) -> None:
        """Append the array of one sentence."""
        numbers = np.ascontiguousarray(array).data
        try:
            self._file.write(numbers)
        except OSError as error:
            raise self._explained(error) from error
        self._checksum = zlib.crc32(numbers, self._checksum)
        self._numbers.append(number)
        self._shapes.append(array.shape)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._finish()
        except OSError as fault:
            raise self._explained(fault) from fault
        finally:
            self._discard()

    def _finish(self) -> None:
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        numbers, shapes = np.array(self._numbers), np.array(self._shapes)
        with (self.path / INDEX).open("wb") as file:
            np.savez(file, numbers=numbers, shapes=shapes, checksum=self._checksum)
            file.flush()
            os.fsync(file.fileno())
        try:
            self.path.rename(self.target)
        except OSError as error:  # another run was faster
            if error.errno not in (errno.EEXIST, errno.ENOTEMPTY):
                raise

    def _discard(self) -> None:
        with suppress(OSError):  # it flushes what is left, which a full disk refuses once more
            self._file.close()
        shutil.rmtree(self.path, ignore_errors=True)

    def _explained(self, error: OSError) -> CacheError:
        folder = self.target.parent
        reason = "there is no room left" if error.errno in NO_ROOM else f"{error.strerror}"
        return CacheError(
            f"{folder}: the word maps cannot be kept here: {reason}. Nothing half-written is left. "
            "Make room, ask for fewer sentences, or set BERTATTN_CACHE to another folder"
        )


def stored(key: str, make: Callable[[Writer], None], folder: Path | None = None) -> Store:
    """The store by that name; made if it is not there whole.

    Args:
        key: Its name (``key_of``).
        make: Adds every array to a writer.
        folder: Where stores lie; by default ``default_folder()``.

    Raises:
        CacheError: If it cannot be written.
    """
    folder = folder or default_folder()
    if (found := _opened(folder / key)) is not None:
        return found
    _sweep(folder)
    with Writer(folder, key) as writer:
        make(writer)
    found = _opened(folder / key)
    if found is None:
        raise CacheError(
            f"{folder / key} was written and cannot be read; was it removed meanwhile?"
        )
    return found


def _opened(path: Path) -> Store | None:
    """A store if it is whole; one that is damaged is removed."""
    if not path.exists():
        return None
    try:
        found = Store(path)
    except (OSError, ValueError, KeyError, EOFError, BadZipFile):
        shutil.rmtree(path, ignore_errors=True)
        return None
    with suppress(OSError):  # another user's store may be read and not touched
        os.utime(path)
    return found


def _sweep(folder: Path) -> None:
    """Remove what a killed run left a day ago, and stores that nobody used for a month."""
    now = time.time()
    for path in (*folder.glob(f"{MAKING}{PREFIX}*"), *folder.glob(f"{PREFIX}*")):
        with suppress(OSError):  # another run sweeps too, or it is another user's
            if now - _last_touched(path) > SWEPT_AFTER[path.name.startswith(MAKING)]:
                shutil.rmtree(path, ignore_errors=True)


def _last_touched(path: Path) -> float:
    """When a store was used, or a file of one that is being made was written; else never swept."""
    if path.name.startswith(MAKING):
        return max(p.stat().st_mtime for p in (path, *path.rglob("*")))
    whole = (path / INDEX).exists() and (path / VALUES).exists()
    return path.stat().st_mtime if whole else float("inf")
