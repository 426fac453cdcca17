"""Folders of results: none is written into by mistake, and none is left half written."""

import json
from pathlib import Path

RUN = "run.json"


def check(folder: Path | None, *, force: bool) -> None:
    """Refuse a folder that holds something, before anything is computed.

    Args:
        folder: The folder, if one was asked for.
        force: Whether it may hold something.

    Raises:
        ValueError: If it holds something and may not, or if it is no folder.
    """
    if folder is None or not folder.exists():
        return
    if not folder.is_dir():
        raise ValueError(f"--out {folder}: wanted a folder, this is a file; give another name")
    if any(folder.iterdir()) and not force:
        raise ValueError(
            f"--out {folder}: the folder is not empty; give another one, or --force to replace the "
            "results that lie there (the rest stays)"
        )


def put(made: Path, folder: Path) -> None:
    """Give a folder that was filled beside another one its place.

    Files that an earlier run left there are replaced; of others none is touched.

    Args:
        made: The folder that was filled, on the same disk.
        folder: Where its files shall be.
    """
    if folder.exists():
        _replace(folder, made)
    else:
        made.rename(folder)


def _replace(folder: Path, made: Path) -> None:
    """Move what was made over what an earlier run left; of other files none is touched."""
    names = [path.name for path in made.iterdir()]
    for name in set(_earlier(folder)) - set(names):
        (folder / name).unlink(missing_ok=True)
    for name in names:
        (made / name).replace(folder / name)


def _earlier(folder: Path) -> list[str]:
    """The files that an earlier run says it wrote: plain names in this folder."""
    if not (folder / RUN).exists():
        return []
    try:
        files = json.loads((folder / RUN).read_text("utf-8"))["files"]
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{folder / RUN}: not written by bertattn; delete it") from error
    return [name for name in files if Path(name).name == name]
