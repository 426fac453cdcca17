"""The sets of notebooks for a course, and the marks that they come from."""

import ast
import re
import subprocess
import sys

import nbformat
import pytest

from tests.conftest import ROOT
from tests.sources import SOURCES, build, load, solutions

teaching = load("teaching")
pytestmark = pytest.mark.filterwarnings("ignore")  # nbconvert has its own

FUNCTION = """def f(x):
    ### BEGIN SOLUTION
    half = x / 2

    return half
    ### END SOLUTION


exercises.check("half", f)"""
ANSWER = """answer = ...
### BEGIN SOLUTION
answer = 2 / 3
### END SOLUTION
exercises.check("two thirds", answer)"""


def test_a_student_gets_stubs():
    assert solutions.without(FUNCTION) == (
        'def f(x):\n    return ...\n\n\nexercises.check("half", f)'
    )
    assert solutions.without(ANSWER) == 'answer = ...\nexercises.check("two thirds", answer)'


def test_an_instructor_sees_solutions_without_marks():
    assert solutions.shown(ANSWER) == (
        'answer = ...\nanswer = 2 / 3\nexercises.check("two thirds", answer)'
    )


@pytest.mark.parametrize("mark", [solutions.BEGIN, solutions.END])
def test_half_a_mark_is_refused(mark):
    with pytest.raises(ValueError, match="a solution is not marked at both ends"):
        solutions.without(ANSWER.replace(mark, ""))


@pytest.fixture(scope="module")
def student(tmp_path_factory):
    folder = tmp_path_factory.mktemp("student")
    teaching.write_student({}, folder)
    return folder


@pytest.fixture(scope="module")
def instructor(tmp_path_factory):
    folder = tmp_path_factory.mktemp("instructor")
    teaching.write_instructor({}, folder)
    return folder


def notebook(path):
    made = nbformat.read(path, as_version=4)
    nbformat.validate(made)
    return made


def of_student(student, source):
    return notebook(student / f"{source.stem}.ipynb")


def of_instructor(instructor, source):
    return notebook(instructor / "source" / source.stem / f"{source.stem}.ipynb")


each_source = pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)


@each_source
def test_the_students_set_holds_no_solution_and_no_output(student, source):
    made = of_student(student, source)
    text = "\n".join(cell.source for cell in made.cells)
    assert "SOLUTION" not in text
    assert "<summary>Answer" not in text
    assert not [cell for cell in made.cells if cell.get("outputs") or cell.get("execution_count")]
    for model in re.findall(teaching.ANSWER, all_text(build.read(source))):
        assert model not in text


def all_text(made):
    return "\n".join(cell.source for cell in made.cells)


@each_source
def test_both_sets_ask_what_the_source_asks(student, instructor, source):
    read = build.read(source)
    n_words = len(teaching.ANSWER.findall(all_text(read))) + all_text(read).count("(Open)")
    made = of_student(student, source)
    assert [c.source for c in made.cells].count(teaching.YOURS) == n_words >= 2
    code = [c.source for c in read.cells if c.cell_type == "code"]
    assert [c.source for c in made.cells if c.cell_type == "code"] == code
    assert len(by_hand(of_instructor(instructor, source))) == n_words


def graded(made):
    return [c for c in made.cells if c.metadata.get("nbgrader", {}).get("grade")]


def by_hand(made):
    return [c for c in graded(made) if c.cell_type == "markdown"]


@each_source
def test_every_solution_is_a_cell_that_nbgrader_strips(instructor, source):
    made = of_instructor(instructor, source)
    for cell in made.cells:
        has = cell.cell_type == "code" and solutions.BEGIN in cell.source
        assert cell.metadata.get("nbgrader", {}).get("solution", False) is (
            has or cell in by_hand(made)
        )
    ids = [c.metadata["nbgrader"]["grade_id"] for c in made.cells if "nbgrader" in c.metadata]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[A-Za-z0-9_-]+", name) for name in ids)


@each_source
def test_every_check_is_run_again_by_a_locked_cell_behind_it(instructor, source):
    made = of_instructor(instructor, source)
    asked = [
        re.search(r'exercises\.check\(\s*"([^"]+)"', c.source)[1]
        for c in build.read(source).cells
        if c.cell_type == "code" and "exercises.check(" in c.source
    ]
    tests = [c for c in graded(made) if c.cell_type == "code"]
    for name, test in zip(asked, tests, strict=True):
        call = ast.parse(test.source).body[0].value
        assert call.args[0].value == name
        keys = {"grade": True, "solution": False, "locked": True, "schema_version": 3}
        assert keys.items() <= test.metadata["nbgrader"].items()
        before = made.cells[made.cells.index(test) - 1]
        assert solutions.BEGIN in before.source


def test_a_locked_cell_passes_for_the_solution_and_fails_for_the_stub(instructor):
    from bertattn import exercises

    made = of_instructor(instructor, SOURCES[0])
    solved, test = next(
        (one, two)
        for one, two in zip(made.cells, made.cells[1:], strict=False)
        if two.source.startswith("verdict")
    )
    exec(solutions.shown(solved.source) + "\n" + test.source, {"exercises": exercises})
    with pytest.raises(AssertionError, match="not tried yet"):
        exec(solutions.without(solved.source) + "\n" + test.source, {"exercises": exercises})


def test_model_answers_are_the_solutions_of_what_is_graded_by_hand(instructor):
    made = of_instructor(instructor, SOURCES[0])
    answer, project = by_hand(made)
    assert answer.source.startswith("With dozens of heads, some head will do almost anything")
    assert project.source == teaching.BY_HAND
    assert (answer.metadata["nbgrader"]["points"], project.metadata["nbgrader"]["points"]) == (
        3,
        10,
    )


def test_links_of_the_sets_lead_somewhere(student, instructor):
    for folder in (student, instructor):
        for path in folder.rglob("*.ipynb"):
            for target in re.findall(r"\]\(([^)#:]+)\)", all_text(notebook(path))):
                assert (path.parent / target).exists(), f"{path.name}: {target}"


def test_a_set_says_what_it_needs(student, instructor):
    assert "pip install" in (student / "README.md").read_text()
    assert (student / "requirements.lock").exists()
    assert "nbgrader generate_assignment" in (instructor / "README.md").read_text()
    assert 'code_stub = {"python": "..."}' in (instructor / "nbgrader_config.py").read_text()


def command(*arguments):
    script = [sys.executable, str(ROOT / "notebooks" / "teaching.py"), *arguments]
    return subprocess.run(script, capture_output=True, text=True)


def test_parameters_of_a_set_may_be_others(tmp_path):
    done = command("student", "-p", "CORPUS=my.txt", "--to", str(tmp_path))
    assert done.stdout == f"the student's notebooks are in {tmp_path}/\n"
    sources = [c.source for c in notebook(tmp_path / "02_surface_patterns.ipynb").cells]
    assert "CORPUS = 'my.txt'" in sources  # as given, for the student's machine
    wrong = command("student", "-p", "CORPSE=1", "--to", str(tmp_path))
    assert wrong.returncode == 1
    assert "no notebook has a parameter CORPSE; there are: ABLATED" in wrong.stderr
