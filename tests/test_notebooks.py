"""Budgets and manners of the notebooks; what they print is compared by nbval."""

import ast
import json
import re
import statistics
from itertools import pairwise

import nbformat
import pytest

from tests.conftest import ROOT
from tests.sources import SOURCES, build

NOTEBOOKS = sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))
LARGE_VIEWS = 2
VIEW = re.compile(r"\b(?:menus\(|HeadView\(|ModelView\(|ClusterView\(|HeadMap[.(])")
MORE_VIEWS = {"08_explore_your_own_text": 4}  # its readers type: a text, a query, a head to lose


@pytest.fixture(scope="module", params=NOTEBOOKS, ids=lambda path: path.stem)
def path(request):
    return request.param


@pytest.fixture(scope="module")
def notebook(path):
    return nbformat.read(path, as_version=4)


def code(notebook):
    return [c for c in notebook.cells if c.cell_type == "code"]


def tagged(cell, tag):
    return tag in cell.metadata.get("tags", [])


def test_there_are_notebooks():
    assert len(NOTEBOOKS) == len(list((ROOT / "notebooks" / "src").glob("*.py"))) >= 4


def test_a_notebook_is_valid_and_small(path, notebook):
    nbformat.validate(notebook)
    assert path.stat().st_size < 1_000_000


def test_cells_are_short():
    """As many lines as budgets allow, over the whole series."""
    lengths = sorted(
        len(c.source.splitlines()) for p in NOTEBOOKS for c in code(nbformat.read(p, as_version=4))
    )
    assert statistics.median(lengths) <= 3
    assert lengths[len(lengths) * 9 // 10] <= 10
    assert lengths[-1] <= 20


def test_a_sentence_stands_between_two_code_cells(notebook):
    kinds = [c.cell_type for c in notebook.cells]
    assert ("code", "code") not in set(pairwise(kinds))
    assert kinds[0] == "markdown"


def test_logic_lives_in_the_package(notebook):
    for cell in code(notebook):
        tree = ast.parse(cell.source)
        defined = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.ClassDef)]
        assert not defined or tagged(cell, "exercise"), cell.source
        loops = [n for n in ast.walk(tree) if isinstance(n, ast.For | ast.While)]
        assert not loops, cell.source


def test_first_cell_imports_and_second_holds_the_parameters(notebook):
    first, second = code(notebook)[:2]
    assert "plots.set_theme()" in first.source
    assert tagged(second, "parameters")
    assert not [c for c in code(notebook)[2:] if tagged(c, "parameters")]


def test_every_code_cell_was_run_in_order_without_error(notebook):
    assert [c.execution_count for c in code(notebook)] == list(range(1, len(code(notebook)) + 1))
    for cell in code(notebook):
        for output in cell.outputs:
            assert output.output_type != "error"
            assert output.get("name") != "stderr"


def test_no_trace_of_when_and_where_it_was_run(path, notebook):
    text = path.read_text()
    assert "widgets" not in notebook.metadata
    assert "widget-view" not in text
    assert "iopub.execute_input" not in text
    assert not re.search(r"/(?:home|root|tmp|work|Users)/", text)
    assert not re.search(r"0x[0-9a-f]{8}", text)


def test_every_picture_has_its_text(notebook):
    pictures = [
        o for c in code(notebook) for o in c.outputs if "image/png" in o.get("data", {})
    ]  # fmt: skip
    assert pictures
    for picture in pictures:
        alt = picture.metadata["image/png"]["alt"]
        assert len(alt) > 40
        assert alt == picture.data["text/plain"]


def test_there_is_a_control_and_not_too_many(path, notebook):
    n_controls = sum(len(VIEW.findall(c.source)) for c in code(notebook))
    assert 1 <= n_controls <= MORE_VIEWS.get(path.stem, LARGE_VIEWS)


def test_exercises_are_not_tried(notebook):
    cells = [c for c in code(notebook) if tagged(c, "exercise")]
    assert len(cells) >= 2
    for cell in cells:
        shown = [o.data["text/plain"] for o in cell.outputs if "data" in o]
        assert shown == ["not tried yet"]


@pytest.fixture(params=SOURCES, ids=lambda source: source.stem)
def source(request):
    """A source as it will be built: these rules hold before it is run."""
    return build.read(request.param)


def prose(notebook):
    return "\n".join(c.source for c in notebook.cells if c.cell_type == "markdown")


def section(notebook, title):
    """The cells of a section, in the order in which they stand."""
    inside = False
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and cell.source.startswith("## "):
            inside = cell.source.startswith(f"## {title}")
        if inside:
            yield cell


def test_the_opening_says_what_is_learned_needed_and_how_long_it_takes(source):
    opening = source.cells[0].source
    _, _, objectives = opening.partition("After this notebook you can\n")
    assert 4 <= len(re.findall(r"^- ", objectives, re.MULTILINE)) <= 7
    assert "*Prerequisites:*" in opening
    assert re.search(r"\*Time:\*(?:.|\n)*two\s+cores", opening)
    assert re.search(r"\*\*(?:.|\n)*\?\*\*", opening)  # the question


def test_exercises_rise_from_a_guess_to_a_project(source):
    exercises = [c.source for c in code(source) if tagged(c, "exercise")]
    n_code = sum("exercises.check(" in text for text in exercises)
    questions = re.findall(r"^\*\*(\d+)\.", prose(source), re.MULTILINE)
    assert [int(number) for number in questions] == list(range(1, len(questions) + 1))
    assert n_code >= 2
    assert prose(source).count("<details><summary>Answer") >= 1
    assert "(Open)" in prose(source)
    assert len(questions) >= 4
    *_, last = (c for c in section(source, "Exercises") if c.cell_type == "markdown")
    assert "(Open)" in last.source


def test_guesses_are_made_before_anything_is_run_and_revealed_after(source):
    first = [c for c in section(source, "What would you expect?") if c.cell_type == "code"]
    guesses = [c for c in code(source) if "exercises.predict(" in c.source]
    revealed = [c for c in code(source) if "exercises.reveal(" in c.source]
    assert guesses == first
    assert len(revealed) == len(guesses) >= 1
    places = [source.cells.index(c) for c in [*guesses, *revealed]]
    assert places == sorted(places)


def test_no_answer_is_seen_before_it_is_asked_for(source):
    assert "SOLUTION" not in "\n".join(c.source for c in source.cells)
    asked = [c for c in code(source) if tagged(c, "exercise") and "reveal(" not in c.source]
    assert prose(source).count("<details><summary>Hint") >= len(asked)
    for cell in source.cells:
        assert "<details open" not in cell.source
        assert cell.source.count("<details>") == cell.source.count("</details>")
        if cell.cell_type == "markdown":  # so that a set has room for each answer
            assert cell.source.count("<summary>Answer") + cell.source.count("(Open)") <= 1


SHAPE = ["What would you expect?", "The definition", "The picture", "Reading it",
         "Beside the paper", "Exercises", "In short"]  # fmt: skip


def test_a_notebook_has_the_one_shape(path, notebook):
    if path.stem.startswith("00"):
        return
    headings = re.findall(
        r"^## (.+)$",
        "\n".join(c.source for c in notebook.cells if c.cell_type == "markdown"),
        re.MULTILINE,
    )
    places = [next(i for i, h in enumerate(headings) if h.startswith(part)) for part in SHAPE]
    assert places == sorted(places)


def test_links_lead_to_notebooks(notebook):
    for cell in notebook.cells:
        for target in re.findall(r"\]\(([\w.]+\.ipynb)\)", cell.source):
            assert (ROOT / "notebooks" / target).exists()


def test_formulas_need_no_network(notebook):
    """Exported HTML has no MathJax, so formulas are written in HTML and Unicode."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            assert not re.search(r"\$[^$\n]+\$", cell.source)


def test_the_notebook_is_stored_as_the_build_writes_it(path):
    stored = path.read_text()
    assert json.loads(stored)["nbformat_minor"] == 5
    assert stored == nbformat.writes(nbformat.read(path, as_version=4)) + "\n"
