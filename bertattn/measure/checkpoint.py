"""A folder that keeps the sums of finished partitions: whole or not there, whatever happens.

Each block of partitions is a folder that gets its name only when all in it is written and its
checksums are known; those it covers are removed after that. ``run.json`` says what the sums are of.
A run that is killed leaves a folder by a temporary name, which the next one removes.
"""

import hashlib
import importlib.metadata
import json
import logging
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import bertattn
from bertattn.files import flush, replacing
from bertattn.measure.adding import Block
from bertattn.measure.partitions import Sizes, Sums

if TYPE_CHECKING:
    from bertattn.model import AttentionModel

RUN, LOCK, INDEX = "run.json", "lock", "block.json"
PREFIX, MAKING, BLOCKS = "block-", ".making-", "block-[0-9]*-[0-9]*"
PARTS = ("attention", "reducer", "words", "stats", "model", "measure")  # whose code moves numbers
LIBRARIES = ("numpy", "torch", "transformers")
log = logging.getLogger("bertattn")


class CheckpointError(RuntimeError):
    """A checkpoint of another run, or one that cannot be written."""


class Checkpoint:
    """The finished blocks of one run, in a folder that no other run uses meanwhile.

    Attributes:
        folder: The folder.
        blocks: The blocks that were whole when it was opened.
    """

    def __init__(self, folder: Path, empties: Sums) -> None:
        self.folder = folder
        self._types = [type(reducer) for reducer in empties]
        self.blocks = list(self._whole())

    def save(self, block: Block) -> None:
        """Write a block; those that it covers are removed.

        Raises:
            CheckpointError: If it cannot be written.
        """
        with _explained(self.folder):
            self._write(block)
        for path in self._paths():
            if path != self._path(block) and _span(path)[0] in range(block.start, block.stop):
                shutil.rmtree(path, ignore_errors=True)

    def _write(self, block: Block) -> None:
        making = Path(tempfile.mkdtemp(dir=self.folder, prefix=MAKING))
        try:
            names = [f"{number}.npz" for number in range(len(block.sums))]
            for name, reducer in zip(names, block.sums, strict=True):
                reducer.save(making / name)
            index = {
                "digests": block.digests,
                "n_inputs": block.n_inputs,
                "checksums": {name: _checksum(making / name) for name in names},
            }
            with replacing(making / INDEX) as file:
                file.write(json.dumps(index).encode())
            making.rename(self._path(block))
            flush(self.folder)
        finally:
            shutil.rmtree(making, ignore_errors=True)

    def _path(self, block: Block) -> Path:
        return self.folder / f"{PREFIX}{block.start:09}-{len(block)}"

    def _paths(self) -> list[Path]:
        """Largest first, so that what a block covers is found after it."""
        return sorted(self.folder.glob(BLOCKS), key=lambda path: -_span(path)[1])

    def _whole(self) -> Iterator[Block]:
        """What can be read; leavings of a killed run, and what is damaged or covered, go."""
        for path in self.folder.glob(f"{MAKING}*"):
            shutil.rmtree(path, ignore_errors=True)
        seen: set[int] = set()
        for path in self._paths():
            start, size = _span(path)
            if start not in seen and (block := self._read(path)) is not None:
                seen.update(range(start, start + size))
                yield block
                continue
            if start not in seen:
                log.warning("%s is damaged, and is measured again", path)
            shutil.rmtree(path, ignore_errors=True)

    def _read(self, path: Path) -> Block | None:
        """A block, if every byte is the one that was written."""
        start, size = _span(path)
        with suppress(FileNotFoundError, NotADirectoryError, json.JSONDecodeError):
            index = json.loads((path / INDEX).read_text())
            checksums, digests = index["checksums"], tuple(index["digests"])
            right = all(_checksum(path / name) == wanted for name, wanted in checksums.items())
            if right and len(digests) == size:
                sums = (kind.load(path / f"{n}.npz") for n, kind in enumerate(self._types))
                return Block(start, digests, index["n_inputs"], tuple(sums))
        return None


@contextmanager
def opened(
    folder: Path, model: "AttentionModel", empties: Sums, sizes: Sizes
) -> Iterator[Checkpoint]:
    """The checkpoint in a folder, which is made if it is not there; for one run at a time.

    Raises:
        CheckpointError: If it is of another run, in use, or cannot be written.
    """
    folder = folder.expanduser()
    made = made_from(model, empties, sizes)
    with ExitStack() as held:
        with _explained(folder):
            held.enter_context(_locked(folder))
            _check(folder, made)
            kept = Checkpoint(folder, empties)
        yield kept


def made_from(model: "AttentionModel", empties: Sums, sizes: Sizes) -> dict[str, str]:
    """What the sums depend on besides the inputs, each by the name that an error gives it."""
    versions = [f"{name} {importlib.metadata.version(name)}" for name in LIBRARIES]
    reducers = {f"reducer {n}": described(reducer) for n, reducer in enumerate(empties)}
    return {
        **identity(model),
        **reducers,
        "way of cutting the corpus up": str(sizes),
        "code": code_of(empties),
        "versions": ", ".join([f"bertattn {bertattn.__version__}", *versions]),
    }


def identity(model: "AttentionModel") -> dict[str, str]:
    """What tells models apart: their weights, their tokenizers, and how they are run."""
    heads = f"{model.n_layers} layers of {model.n_heads} heads"
    return {
        "model": f"weights {model.sha256[:16]}, {heads}",
        "tokenizer": f"{model.encoder.sha256[:16]}, token types {model.encoder.type_ids}",
        "kind of arithmetic": f"{model.dtype} on {model.device.type}",
    }


def described(reducer: Any) -> str:
    """A reducer's options, and the shapes of its arrays.

    Example:
        >>> from bertattn.surface import SurfaceSums
        >>> described(SurfaceSums.empty(2, 3)).startswith("SurfaceSums(sums=float64 (")
        True
    """
    shown = {
        name: f"{value.dtype} {value.shape}" if isinstance(value, np.ndarray) else repr(value)
        for name, value in vars(reducer).items()
    }
    return f"{type(reducer).__name__}({', '.join(f'{k}={v}' for k, v in shown.items())})"


def code_of(empties: Sums) -> str:
    """A hash of the sources that make the numbers: this package's, and the reducers' own."""
    root = Path(bertattn.__file__).parent
    modules = {type(reducer).__module__ for reducer in empties}
    parts = {*PARTS, *(name.split(".")[1] for name in modules if name.startswith("bertattn."))}
    digest = hashlib.sha256()
    for part in sorted(parts):
        for path in sorted([root / f"{part}.py", *(root / part).rglob("*.py")]):
            if path.exists():
                digest.update(path.read_bytes())
    for reducer in empties:
        digest.update(_own_source(type(reducer)))
    return digest.hexdigest()[:16]


def _own_source(kind: type) -> bytes:
    """The file of a class that was made elsewhere; nothing if it was typed into a notebook."""
    import inspect

    with suppress(OSError, TypeError):
        return Path(inspect.getfile(kind)).read_bytes()
    return b""


def _check(folder: Path, made: dict[str, str]) -> None:
    """Say what a folder holds if it is new; refuse it if it holds something else."""
    if not (folder / RUN).exists():
        if found := next(folder.glob(BLOCKS), None):
            raise CheckpointError(
                f"{folder} holds {found.name} and no {RUN} that says of what; give another folder"
            )
        with replacing(folder / RUN) as file:
            file.write(json.dumps(made, indent=1).encode())
    kept = json.loads((folder / RUN).read_text())
    differing = [name for name in {**kept, **made} if kept.get(name) != made.get(name)]
    if differing:
        then_now = "; ".join(_difference(n, kept.get(n), made.get(n)) for n in differing)
        raise CheckpointError(
            f"{folder} is the checkpoint of a run with another {' and another '.join(differing)} "
            f"({then_now}). Go on with what it was made with, or give another folder"
        )


def _difference(name: str, then: str | None, now: str | None) -> str:
    return f"{name} then: {then or 'none'}, now: {now or 'none'}"


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Have a folder to oneself; the system lets go of it when the process ends, however it does."""
    import fcntl

    folder.mkdir(parents=True, exist_ok=True)
    with (folder / LOCK).open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise CheckpointError(
                f"{folder} is in use by another run; wait for it, or give another folder"
            ) from error
        yield


@contextmanager
def _explained(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise CheckpointError(
            f"{folder}: the checkpoint cannot be written: {error.strerror or error}. What was "
            "finished before is whole; make room or give another folder, and run again"
        ) from error


def _span(path: Path) -> tuple[int, int]:
    start, size = path.name.removeprefix(PREFIX).split("-")
    return int(start), int(size)


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
