"""Writes the site: pages, a search index, a style and a script; nothing comes from elsewhere."""

import json
import posixpath
import shutil
from collections.abc import Sequence
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from pygments.formatters import HtmlFormatter

import bertattn
from docs.site import links
from docs.site.contents import ROOT
from docs.site.pages import HOME, Page, SiteError, page, sources

HERE = Path(__file__).resolve().parent
FOLDER = ROOT / "build" / "site"
LIGHT, DARK = "default", "github-dark"
GROUPS = {"notebooks": "Notebooks", "docs": "Guides"}


def build(folder: Path = FOLDER, root: Path = ROOT) -> list[Page]:
    """Write the site, and check every link in it.

    Args:
        folder: Where; what is there is replaced when all pages could be made.
        root: The repository.

    Raises:
        SiteError: If a page cannot be made, or a link leads nowhere.
    """
    names = sources(root)
    pages = [page(name, frozenset(names), root) for name in names]
    shutil.rmtree(folder, ignore_errors=True)
    for one in pages:
        _write(folder / one.target, _whole(one, pages))
    for file in sorted(frozenset().union(*(one.files for one in pages))):
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / file, folder / file)
    _write(folder / "search-index.js", f"globalThis.bertattnIndex = {search_index(pages)};\n")
    shutil.copyfile(HERE / "search.js", folder / "search.js")
    _write(folder / "site.css", (HERE / "site.css").read_text("utf-8") + colours())
    if faults := links.faults(folder):
        raise SiteError("\n".join(faults))
    return pages


def search_index(pages: Sequence[Page]) -> str:
    """Titles, headings and words of all pages, as JSON."""
    content = [
        {
            "title": one.title,
            "page": one.target,
            "sections": [[part.place, part.heading, part.text] for part in one.sections],
        }
        for one in pages
    ]
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


def menu(pages: Sequence[Page]) -> dict[str, list[Page]]:
    """Pages by the group they stand under in the menu, the home page alone."""
    grouped: dict[str, list[Page]] = {"": [], "Notebooks": [], "Guides": [], "Project": []}
    for one in pages:
        top = one.source.partition("/")[0]
        group = "" if one.source == HOME else GROUPS.get(top, "Project")
        grouped[group].append(one)
    return grouped


def colours() -> str:
    """Colours of code, light and dark."""
    light = HtmlFormatter(style=LIGHT).get_style_defs(".highlight")
    dark = HtmlFormatter(style=DARK).get_style_defs(".highlight")
    return f"{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}\n"


def _whole(one: Page, pages: Sequence[Page]) -> str:
    """A page with header, menu and footer."""
    here = posixpath.dirname(one.target)
    environment = Environment(
        loader=FileSystemLoader(HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    return environment.get_template("page.html.j2").render(
        page=one,
        body=Markup(one.body),
        groups=menu(pages),
        to=lambda target: posixpath.relpath(target, here or "."),
        version=bertattn.__version__,
    )


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
