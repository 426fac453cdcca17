"""Pages of the site: notebooks and Markdown as HTML, their links, and what can be searched."""

import posixpath
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

import nbformat
from bs4 import BeautifulSoup, Tag
from nbconvert import HTMLExporter
from nbconvert.filters.markdown_mistune import markdown2html_mistune

from docs.site.contents import ROOT

HOME = "README.md"
ENDINGS = {".md": ".html", ".ipynb": ".html"}
HEADINGS = ["h1", "h2", "h3"]
NO_WORDS = "No description has been provided for this image"  # what nbconvert writes for none
OUTPUTS = "output_wrapper"  # of cells: shown, and not searched
TABLES = "table.dataframe, .text > table, .text_cell_render > table"  # may be wider than a phone


class SiteError(ValueError):
    """A page that cannot be published: which one, what is wrong."""


@dataclass(frozen=True)
class Section:
    """A stretch of a page that a search can find: where it is, its heading, its words."""

    place: str
    heading: str
    text: str


@dataclass(frozen=True)
class Page:
    """A page of the site.

    Attributes:
        source: The file it is made from, from the root of the repository.
        target: The file it becomes, from the root of the site.
        title: Its first heading.
        body: HTML between header and footer.
        sections: What a search can find.
        files: Files of the repository that it shows or links to, and that are no pages.
    """

    source: str
    target: str
    title: str
    body: str
    sections: tuple[Section, ...]
    files: frozenset[str]


def sources(root: Path = ROOT) -> list[str]:
    """The pages' files in the order of the menu: the home page, notebooks, other pages."""
    notebooks = sorted(root.glob("notebooks/*.ipynb"), key=lambda p: (p.stem != "index", p.name))
    pages = [*root.glob("docs/*.md"), *root.glob("*.md"), *root.glob("benchmarks/*.md")]
    pages += root.glob("data/**/*.md")
    found = [path.relative_to(root).as_posix() for path in [*notebooks, *sorted(pages)]]
    return [HOME, *(name for name in found if name != HOME)]


def target_of(source: str) -> str:
    """The file of the site that a file of the repository becomes.

    Example:
        >>> target_of("docs/CLI.md"), target_of("README.md"), target_of("LICENSE")
        ('docs/CLI.html', 'index.html', 'LICENSE')
    """
    if source == HOME:
        return "index.html"
    stem, ending = posixpath.splitext(source)
    return stem + ENDINGS.get(ending, ending)


def page(source: str, known: frozenset[str], root: Path = ROOT) -> Page:
    """Make a page.

    Args:
        source: A file, from the root of the repository.
        known: All files that become pages.
        root: The repository.

    Raises:
        SiteError: If it has no heading, a picture without words, or a link that leads nowhere.
    """
    soup = BeautifulSoup(_html(root / source), "html.parser")
    for anchor in soup.select("a.anchor-link"):
        anchor.decompose()
    headings = _name_headings(soup)
    if not headings:
        raise SiteError(f"{source}: wanted a heading, found none")
    _check_pictures(soup, source)
    files = frozenset(_lead_links(soup, source, known, root))
    for table in soup.select(TABLES):
        table.wrap(soup.new_tag("div", attrs={"class": "scroll", "tabindex": "0"}))
    title = _words(headings[0])
    return Page(source, target_of(source), title, str(soup), tuple(_sections(soup)), files)


def _html(path: Path) -> str:
    """A notebook's cells, or a Markdown page, without header and footer."""
    if path.suffix == ".ipynb":
        exporter = HTMLExporter(
            template_name="basic", exclude_input_prompt=True, exclude_output_prompt=True
        )
        return str(exporter.from_notebook_node(nbformat.read(path, as_version=4))[0])
    return f'<div class="text">{markdown2html_mistune(path.read_text("utf-8"))}</div>'


def _prose(soup: BeautifulSoup, names: list[str]) -> Iterator[Tag]:
    """Elements by name, but for those of outputs."""
    return (tag for tag in soup.find_all(names) if not tag.find_parent(class_=OUTPUTS))


def _name_headings(soup: BeautifulSoup) -> list[Tag]:
    """Give headings the ids by which GitHub knows them, a number behind those that repeat."""
    seen: Counter[str] = Counter()
    headings = list(_prose(soup, HEADINGS))
    for heading in headings:
        slug = slug_of(_words(heading))
        heading["id"] = f"{slug}-{seen[slug]}" if seen[slug] else slug
        seen[slug] += 1
    return headings


def slug_of(heading: str) -> str:
    """A heading as an id.

    Example:
        >>> slug_of("What would you expect?")
        'what-would-you-expect'
    """
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


def _check_pictures(soup: BeautifulSoup, source: str) -> None:
    for image in soup.find_all("img"):
        if str(image.get("alt", "")).strip() in ("", NO_WORDS):
            raise SiteError(f"{source}: a picture has no text for those who cannot see it")


def _lead_links(
    soup: BeautifulSoup, source: str, known: frozenset[str], root: Path
) -> Iterator[str]:
    """Make links lead to the site's pages; give back the files that must be copied beside them."""
    for tag in _prose(soup, ["a", "img"]):
        name = "href" if tag.name == "a" else "src"
        parts = urlsplit(str(tag.get(name, "")))
        if parts.scheme or not parts.path:
            continue
        file = posixpath.normpath(posixpath.join(posixpath.dirname(source), unquote(parts.path)))
        if not (root / file).is_file():
            raise SiteError(f"{source}: a link to {parts.path}, which is no file")
        if file not in known:
            yield file
        here = posixpath.dirname(target_of(source))
        led = posixpath.relpath(target_of(file), here or ".")
        tag[name] = parts._replace(path=led).geturl()


def _sections(soup: BeautifulSoup) -> Iterator[Section]:
    """The words under each heading, without those of outputs."""
    place, heading, words = "", "", [""]
    for tag in _prose(soup, [*HEADINGS, "p", "li", "pre", "td", "th", "summary"]):
        if tag.name in HEADINGS:
            if place:
                yield Section(place, heading, " ".join(words).strip())
            place, heading, words = str(tag["id"]), _words(tag), []
        elif not tag.find_parent(["p", "li", "pre", "td"]):
            words.append(_words(tag))
    if place:
        yield Section(place, heading, " ".join(words).strip())


def _words(tag: Tag) -> str:
    return " ".join(tag.get_text("" if tag.name == "pre" else " ").split())
