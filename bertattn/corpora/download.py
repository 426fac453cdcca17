"""Corpora that others made: fetched once, proven by their checksums, their licences shown.

``python -m bertattn.corpora.download gum-sd`` fetches one, without a name all of them. They go to
the folder that the variable ``BERTATTN_DATA`` names, else to the user's cache.
"""

import argparse
import csv
import hashlib
import logging
import os
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from tqdm import tqdm

from bertattn.corpora.articles import CorpusError

SOURCES = Path(__file__).with_name("sources.csv")
COMMAND = "python -m bertattn.corpora.download"


class Source(NamedTuple):
    """One file of a corpus: where it is, how long, its checksum, its licence."""

    dataset: str
    url: str
    bytes: int
    sha256: str
    licence: str

    @property
    def name(self) -> str:
        """The file's name."""
        return Path(urlsplit(self.url).path).name


def names() -> list[str]:
    """The corpora that can be fetched."""
    return list(dict.fromkeys(source.dataset for source in sources()))


@cache
def sources() -> tuple[Source, ...]:
    """Every file of every corpus, as the table beside this module has them."""
    with SOURCES.open(encoding="utf-8", newline="") as file:
        _, *rows = csv.reader(file)
    return tuple(Source(name, url, int(size), *rest) for name, url, size, *rest in rows)


def folder() -> Path:
    """Where fetched corpora lie."""
    if chosen := os.environ.get("BERTATTN_DATA"):
        return Path(chosen).expanduser()
    import pooch

    return Path(pooch.os_cache("bertattn"))


def paths(dataset: str) -> tuple[Path, ...]:
    """The files of a corpus that was fetched, in order of their names, checksums proven.

    Raises:
        CorpusError: If it was not fetched, or a file is not what it was.
    """
    files = [source for source in sources() if source.dataset == dataset]
    found = sorted((folder() / dataset / source.name, source) for source in files)
    for path, source in found:
        if not path.exists():
            raise CorpusError(path, 0, f"{dataset!r} is not here; fetch it: {COMMAND} {dataset}")
        if hashlib.sha256(path.read_bytes()).hexdigest() != source.sha256:
            remedy = f"delete it and fetch it again: {COMMAND} {dataset}"
            raise CorpusError(path, 0, f"the file is not what was published; {remedy}")
    return tuple(path for path, _ in found)


def fetch(dataset: str, files: Sequence[Source] | None = None, retries: int = 2) -> list[Path]:
    """Fetch what is missing of a corpus; files that are there and right stay.

    A file is written to a temporary name, its checksum is proven, then it takes its place: what was
    interrupted is begun anew, and what was finished is not fetched twice.

    Args:
        dataset: Its name.
        files: Its files; by default those of the table.
        retries: How often a file is tried again.

    Raises:
        CorpusError: If there is no such corpus, no network, no such file, or a wrong checksum.
    """
    files = files or [source for source in sources() if source.dataset == dataset]
    if not files:
        raise CorpusError(dataset, 0, f"no such corpus; there are: {', '.join(names())}")
    off = os.environ.get("BERTATTN_PROGRESS") == "0"
    total = sum(source.bytes for source in files)
    with tqdm(total=total, unit="B", unit_scale=True, desc=dataset, disable=off) as bar:
        found = []
        for source in files:
            found.append(_fetched(source, folder() / dataset, retries))
            bar.update(source.bytes)
    return found


def _fetched(source: Source, target: Path, retries: int) -> Path:
    import pooch
    import requests

    pooch.get_logger().setLevel(logging.WARNING)
    manager = pooch.create(
        path=target,
        base_url="",
        registry={source.name: f"sha256:{source.sha256}"},
        urls={source.name: source.url},
        retry_if_failed=retries,
    )
    try:
        return Path(manager.fetch(source.name, downloader=pooch.HTTPDownloader(timeout=30)))
    except requests.HTTPError as error:
        status = error.response.status_code if error.response is not None else "no answer"
        raise CorpusError(source.url, 0, f"the server says {status}; was it moved?") from error
    except requests.RequestException as error:
        remedy = "is there a network? What was fetched stays; run the command again"
        raise CorpusError(source.url, 0, f"cut off or not reached: {remedy}") from error
    except ValueError as error:  # pooch's word for a checksum that is wrong
        reason = "what came is not what was published (checksum); nothing of it was kept"
        raise CorpusError(source.url, 0, f"{reason}; run the command again") from error


def licences(dataset: str) -> str:
    """The licences of a corpus's files, each once."""
    found = dict.fromkeys(s.licence for s in sources() if s.dataset == dataset)
    return "; or ".join(found)


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(names())}; default: all")
    for dataset in parser.parse_args(arguments).names or names():
        try:
            print(told(dataset))
        except CorpusError as error:
            sys.exit(str(error))


def told(dataset: str) -> str:
    """Fetch a corpus and say where it is and what its licences are.

    Raises:
        CorpusError: As ``fetch``.
    """
    found = fetch(dataset)
    return f"{dataset}: {len(found)} files in {found[0].parent}\n  licence: {licences(dataset)}"


if __name__ == "__main__":
    main()
