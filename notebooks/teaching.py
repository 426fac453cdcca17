"""Two sets of notebooks for a course, from the one source, not run.

teaching.py student [-p NAME=VALUE]  without solutions and model answers, with room for one's own
teaching.py instructor               with them, as nbgrader wants them: it strips and grades
"""

import argparse
import ast
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import nbformat
from nbformat import NotebookNode

import build
import solutions

BESIDE = build.HERE / "sets"  # what lies beside the notebooks of a set
ANSWER = re.compile(r"<details>\s*<summary>Answer</summary>\s*(.*?)\s*</details>\n?", re.DOTALL)
PROJECT = "(Open)"
YOURS = "*Your answer:*"
BY_HAND = (
    "*Graded by hand.* A project answers its question with numbers from tables that the notebook "
    "made, says from how many they were chosen and how sure they are, and names a simpler "
    "explanation that was tried."
)
POINTS = {"check": 2, "answer": 3, "project": 10}
LINK = re.compile(r"\]\((\w+)\.ipynb\)")
AWAY = re.compile(r"\[([^]]+)\]\(\.\./([^)]+)\)")  # to a file that is not in the set


def for_students(notebook: NotebookNode) -> NotebookNode:
    """A notebook without model answers; solutions have left when it was read."""
    cells = []
    for cell in notebook.cells:
        asks = _asks_for_words(cell)
        cells.append(_without_answer(cell))
        if asks:
            cells.append(_after(cell, nbformat.v4.new_markdown_cell(YOURS)))
    notebook.cells = cells
    return notebook


def for_nbgrader(notebook: NotebookNode) -> NotebookNode:
    """A notebook whose solutions are marked, with metadata that nbgrader grades by.

    A function or an answer is graded by a cell behind it that runs the check again; what is written
    in words, by hand; a guess gets no points.
    """
    notebook.cells = [new for cell in notebook.cells for new in _graded(cell)]
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = LINK.sub(r"](../\1/\1.ipynb)", cell.source)
    return notebook


def _graded(cell: NotebookNode) -> Iterator[NotebookNode]:
    if cell.cell_type == "code" and solutions.BEGIN in cell.source:
        cell.metadata["nbgrader"] = _metadata(cell.id, solution=True)
        yield cell
        if check := _check(cell.source):
            test = nbformat.v4.new_code_cell(f"verdict = {check}\nassert verdict.right, verdict")
            yield _after(cell, test, points=POINTS["check"], locked=True)
    elif _asks_for_words(cell):
        model = ANSWER.search(cell.source)
        words = nbformat.v4.new_markdown_cell(model[1] if model else BY_HAND)
        points = POINTS["answer" if model else "project"]
        yield _without_answer(cell)
        yield _after(cell, words, points=points, solution=True)
    else:
        yield _without_answer(cell)


def _metadata(
    grade_id: str, *, points: int | None = None, solution: bool = False, locked: bool = False
) -> dict[str, object]:
    graded = {} if points is None else {"points": points}
    flags = {"grade": points is not None, "solution": solution, "locked": locked, "task": False}
    return {**flags, **graded, "grade_id": f"cell-{grade_id}", "schema_version": 3}


def _after(cell: NotebookNode, new: NotebookNode, **graded: object) -> NotebookNode:
    """A cell named after the one that it follows."""
    new["id"] = f"{cell.id}-answer"
    if graded:
        new.metadata["nbgrader"] = _metadata(new.id, **graded)
    return new


def _check(source: str) -> str | None:
    """The call of ``exercises.check`` with which an exercise ends."""
    call = ast.parse(source).body[-1]
    text = ast.unparse(call)
    return text if text.startswith("exercises.check(") else None


def _asks_for_words(cell: NotebookNode) -> bool:
    is_question = bool(ANSWER.search(cell.source)) or PROJECT in cell.source
    return cell.cell_type == "markdown" and is_question


def _without_answer(cell: NotebookNode) -> NotebookNode:
    if cell.cell_type == "markdown":
        cell.source = AWAY.sub(r"\1 (\2 of the package)", ANSWER.sub("", cell.source)).rstrip()
    return cell


def write_student(changes: dict[str, object], folder: Path) -> None:
    """The students' set: notebooks, and how to get what they need."""
    folder.mkdir(parents=True, exist_ok=True)
    for source in build.sources():
        notebook = build.with_parameters(for_students(build.read(source)), changes)
        nbformat.write(notebook, folder / f"{source.stem}.ipynb")
    shutil.copy(BESIDE / "student.md", folder / "README.md")
    shutil.copy(build.HERE.parent / "requirements.lock", folder)


def write_instructor(changes: dict[str, object], folder: Path) -> None:
    """The instructor's set: a course folder of nbgrader, an assignment a notebook."""
    for source in build.sources():
        assignment = folder / "source" / source.stem
        assignment.mkdir(parents=True, exist_ok=True)
        notebook = for_nbgrader(build.read(source, lambda marked: marked))
        notebook = build.with_parameters(notebook, changes)
        nbformat.write(notebook, assignment / f"{source.stem}.ipynb")
    shutil.copy(BESIDE / "instructor.md", folder / "README.md")
    shutil.copy(BESIDE / "nbgrader_config.py", folder)


def main() -> None:
    """Read the command line."""
    parser = build.parser(__doc__, ["student", "instructor"])
    parser.add_argument("--to", type=Path, metavar="FOLDER")
    arguments: argparse.Namespace = parser.parse_args()
    folder = arguments.to or Path("build") / arguments.command
    changes = dict(arguments.parameter)  # paths as given: the set is for another machine
    build.known(changes, [build.read(source) for source in build.sources()])
    write = {"student": write_student, "instructor": write_instructor}[arguments.command]
    write(changes, folder)
    print(f"the {arguments.command}'s notebooks are in {folder}/")


if __name__ == "__main__":
    main()
