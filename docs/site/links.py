"""Checks the links of a folder of HTML: inside to a file and a place, elsewhere by their form."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

from bs4 import BeautifulSoup

ADDRESSES = {"a": "href", "link": "href", "img": "src", "script": "src"}


def faults(folder: Path) -> list[str]:
    """What is wrong with the links of all pages; nothing is asked of the network.

    Args:
        folder: The site.
    """
    return [
        f"{path.relative_to(folder)}: {fault}"
        for path in sorted(folder.rglob("*.html"))
        for address, loaded in _addresses(path)
        if (fault := _fault(address, path, folder, loaded=loaded))
    ]


def _fault(address: str, page: Path, folder: Path, *, loaded: bool) -> str:
    parts = urlsplit(address)
    if parts.scheme == "data" and loaded:
        return ""
    if parts.scheme or parts.netloc:
        if loaded:
            return f"loads {address[:80]}, which needs a network"
        return "" if well_formed(address) else f"{address!r} is no address"
    file = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if not file.is_file() or not file.is_relative_to(folder.resolve()):
        return f"{address!r} leads to no file of the site"
    if parts.fragment and file.suffix == ".html" and unquote(parts.fragment) not in places(file):
        return f"{address!r} leads to no place in {file.name}"
    return ""


def well_formed(address: str) -> bool:
    """Has an address elsewhere the form of one?

    Example:
        >>> well_formed("https://arxiv.org/abs/1906.04341"), well_formed("https://arxiv org")
        (True, False)
    """
    parts = urlsplit(address)
    secure = parts.scheme in ("http", "https") and "." in parts.netloc
    return secure and not any(letter.isspace() for letter in address)


@cache
def places(path: Path) -> frozenset[str]:
    """The ids of a page."""
    soup = BeautifulSoup(path.read_text("utf-8"), "html.parser")
    return frozenset(str(tag["id"]) for tag in soup.find_all(id=True))


def _addresses(path: Path) -> Iterator[tuple[str, bool]]:
    """Addresses of a page, and whether the page loads what is there by itself."""
    soup = BeautifulSoup(path.read_text("utf-8"), "html.parser")
    for tag in soup.find_all(list(ADDRESSES)):
        if (address := tag.get(ADDRESSES[tag.name])) is not None:
            yield str(address), tag.name != "a"
