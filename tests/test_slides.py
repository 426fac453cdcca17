"""Talks made of the notebooks that are kept."""

import re
import subprocess
import sys

import bs4
import nbformat
import pytest

from tests.conftest import ROOT
from tests.sources import load

slides = load("slides")
pytestmark = pytest.mark.filterwarnings("ignore")  # nbconvert has its own

PNG = "iVBORw0KGgo="


def cell(kind, source, tags=(), **data):
    made = getattr(nbformat.v4, f"new_{kind}_cell")(source, metadata={"tags": list(tags)})
    if data:
        output = nbformat.v4.new_output(
            "display_data",
            data={name.replace("_", "/"): value for name, value in data.items()},
            metadata={"image/png": {"alt": 'a "plain" <picture>'}},
        )
        made.outputs = [output]
    return made


@pytest.fixture
def notebook():
    cells = [
        cell("markdown", "# 02 · Trial"),
        cell("code", "import this"),
        cell("markdown", "## The parameters"),
        cell("code", "MODEL = 1", ["parameters"]),
        cell("markdown", "## The picture"),
        cell("code", "draw()", image_png=PNG, text_plain="alt"),
        cell("markdown", "What is behind a picture."),
        cell("code", "table", text_html="<table><tr><td>1</td></tr></table>"),
        cell("markdown", "It is behind a table."),
        cell("code", "1", text_plain="[menus: head - run this cell to use them]"),
        cell("markdown", "What is before a view."),
        cell("code", "view", text_html="<div>view<script>live()</script></div>"),
        cell("markdown", "What is behind a view."),
        cell("code", "2", text_plain="2"),
        cell("code", "exercises.reveal(1)", ["exercise"]),
        cell("markdown", "## Exercises\n\nAsk."),
        cell("markdown", "**1.** Question."),
        cell("markdown", "## In short", ["fragment"]),
    ]
    made = nbformat.v4.new_notebook(cells=cells)
    made.metadata["title"] = "02 · Trial & error"
    return made


def kinds(notebook):
    return [c.metadata.slideshow.slide_type for c in slides.tagged(notebook).cells]


def test_headings_and_what_is_behind_pictures_begin_slides(notebook):
    assert kinds(notebook) == [
        *("slide", "skip"),
        *("skip", "skip"),
        *("slide", "-"),
        *("slide", "-"),
        *("fragment", "-"),
        *("slide", "-"),
        *("slide", "-"),
        *("skip", "skip", "skip"),
        "fragment",  # its own tag says so
    ]


@pytest.fixture
def page(notebook):
    return bs4.BeautifulSoup(slides.page(notebook), "html.parser")


def test_a_page_has_a_section_for_each_slide_and_nothing_that_is_left_out(page):
    sections = page.find_all("section")
    assert [s.get_text(" ", strip=True).split()[0] for s in sections] == [
        "02",
        "The",
        "What",
        "What",
        "What",
    ]
    text = page.main.get_text()
    assert "import this" not in text
    assert "MODEL" not in text
    assert "Question" not in text
    assert "run this cell" not in text
    assert "draw()" in page.find("details", class_="code").get_text()


def test_a_picture_keeps_its_text_and_a_view_its_script(page):
    assert page.find("img")["alt"] == 'a "plain" <picture>'
    assert "live()" in [script.get_text() for script in page.main.find_all("script")]
    assert page.title.get_text() == "02 · Trial & error"


def test_a_page_needs_nothing_from_elsewhere(page):
    assert not page.find_all(src=re.compile("^(?!data:)"))
    assert not page.find_all("link")
    assert "@import" not in page.style.get_text()
    assert "url(" not in page.style.get_text()


def test_a_kept_notebook_becomes_a_talk(tmp_path):
    script = [sys.executable, str(ROOT / "notebooks" / "slides.py"), "02", "--to", str(tmp_path)]
    done = subprocess.run(script, capture_output=True, text=True, check=True)
    assert done.stdout == f"slides are in {tmp_path}/\n"
    made = bs4.BeautifulSoup((tmp_path / "02_surface_patterns.html").read_text(), "html.parser")
    assert len(made.find_all("section")) >= 8
    assert all(len(image["alt"]) > 40 for image in made.find_all("img"))
    assert [p.name for p in tmp_path.iterdir()] == ["02_surface_patterns.html"]
