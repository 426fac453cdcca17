"""Slides from the notebooks that are kept, each one page that needs no network.

A heading begins a slide, and so does what stands behind a picture, or before one that follows other
output; what is said about output in words appears after it. Cells that import, set
parameters or ask an exercise are left out. A tag "slide", "fragment" or "skip" says otherwise.
"""

import argparse
from itertools import pairwise
from pathlib import Path

import nbformat
from nbconvert import HTMLExporter
from nbformat import NotebookNode

import build

HERE = Path(__file__).resolve().parent / "slides"
KINDS = ("slide", "fragment", "skip")
LEFT_OUT = ("parameters", "exercise")
LEFT_OUT_SECTIONS = ("## Exercises", "## The parameters")  # sections that are no part of a talk


def tagged(notebook: NotebookNode) -> NotebookNode:
    """A notebook whose cells say what they are in a talk, as nbconvert and reveal.js have it."""
    full = said = left_out = code_yet = False
    for cell, following in pairwise([*notebook.cells, nbformat.v4.new_markdown_cell()]):
        own = [tag for tag in cell.metadata.get("tags", []) if tag in KINDS]
        is_heading = cell.cell_type == "markdown" and cell.source.startswith("#")
        if is_heading:
            left_out = cell.source.startswith(LEFT_OUT_SECTIONS)
        skipped = left_out or _is_left_out(cell) or (cell.cell_type == "code" and not code_yet)
        code_yet |= cell.cell_type == "code"
        begins = is_heading or full or (said and _draws(following))
        kind = "skip" if skipped else "slide" if begins else "fragment" if said else "-"
        cell.metadata["slideshow"] = {"slide_type": own[0] if own else kind}
        if not skipped:
            full, said = _draws(cell), cell.cell_type == "code"
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if not _is_menu(output)]
    return notebook


def _is_menu(output: NotebookNode) -> bool:
    """Whether an output is the stand-in of menus, which need Python."""
    return output.get("data", {}).get("text/plain", "").startswith("[menus:")


def _is_left_out(cell: NotebookNode) -> bool:
    return bool(set(LEFT_OUT) & set(cell.metadata.get("tags", [])))


def _draws(cell: NotebookNode) -> bool:
    """Whether a cell's output fills a screen: a picture or a view, and not a table."""
    shown = [output.get("data", {}) for output in cell.get("outputs", [])]
    return any("image/png" in data or "<script" in data.get("text/html", "") for data in shown)


def exporter() -> HTMLExporter:
    """What writes slides as HTML."""
    return HTMLExporter(template_name="slides", extra_template_basedirs=[str(HERE.parent)])


def page(notebook: NotebookNode) -> str:
    """A notebook that was run, as one page of slides."""
    resources = {
        "style": (HERE / "slides.css").read_text(encoding="utf-8"),
        "script": (HERE / "slides.js").read_text(encoding="utf-8"),
    }
    html, _ = exporter().from_notebook_node(tagged(notebook), resources)
    return html.replace(".ipynb", ".html")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="only notebooks that begin so, such as 02")
    parser.add_argument("--to", type=Path, default=Path("build/slides"), metavar="FOLDER")
    arguments = parser.parse_args()
    arguments.to.mkdir(parents=True, exist_ok=True)
    for source in build.sources(arguments.names):
        notebook = nbformat.read(build.HERE / f"{source.stem}.ipynb", as_version=4)
        html = page(notebook)
        (arguments.to / f"{source.stem}.html").write_text(html, encoding="utf-8")
    print(f"slides are in {arguments.to}/")


if __name__ == "__main__":
    main()
