"""Makes the notebooks from their sources: ``src/NN_name.py`` is what people edit.

build.py commit [NAME ...]   run the sources and write the notebooks that are kept
build.py check               say which kept notebooks are older than source or package
build.py testable            name the kept notebooks whose outputs can be compared here
build.py run [-p NAME=VALUE] run with other parameters; notebooks and HTML go to build/

What a kept notebook needs beyond the usual install, ``extras`` tells.
"""

import argparse
import ast
import asyncio
import base64
import hashlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import jupytext
import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbconvert import HTMLExporter
from nbformat import NotebookNode
from tqdm import tqdm

import extras
import solutions

HERE = Path(__file__).resolve().parent
SOURCES = HERE / "src"
PACKAGE = HERE.parent / "bertattn"
DOCS = HERE.parent / "docs"
CELL_SECONDS = 3600
AT_A_TIME = 2  # each has a kernel of its own
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}
ENVIRONMENT = {
    "BERTATTN_PROGRESS": "0",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "TOKENIZERS_PARALLELISM": "false",
}


def sources(names: Sequence[str] = ()) -> list[Path]:
    """The sources in order, all or those whose name begins with one of ``names``."""
    found = sorted(SOURCES.glob("[0-9]*.py"))
    chosen = [p for p in found if not names or p.stem.startswith(tuple(names))]
    if not chosen:
        sys.exit(f"no notebook begins with {', '.join(names)}; there are: {_stems(found)}")
    return chosen


def read(source: Path, treated: Callable[[str], str] = solutions.without) -> NotebookNode:
    """A source as a notebook not yet run, with cell ids that are the same each time.

    Args:
        source: The file.
        treated: What becomes of a code cell, in which solutions are marked.
    """
    notebook = jupytext.read(source, fmt="py:percent")
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"{source.stem[:2]}-{number:03d}"
        cell.metadata = {"tags": cell.metadata["tags"]} if "tags" in cell.metadata else {}
        if cell.cell_type == "code":
            cell.source = treated(cell.source)
    notebook.metadata = {
        "kernelspec": KERNEL,
        "language_info": {"name": "python"},
        "title": notebook.cells[0].source.partition("\n")[0].lstrip("# "),
    }
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    return notebook


def execute(notebook: NotebookNode, name: str) -> NotebookNode:
    """Run a notebook from top to bottom; what no reader needs is taken out of the outputs."""
    client = NotebookClient(
        notebook,
        timeout=CELL_SECONDS,
        kernel_name="python3",
        record_timing=False,
        extra_arguments=["--IPKernelApp.log_level=ERROR"],
        resources={"metadata": {"path": str(HERE)}},
    )
    try:
        asyncio.run(client.async_execute())  # closes its event loop; execute() leaves it open
    except CellExecutionError as error:
        ours = error.ename in ("CorpusError", "ModelError")
        sys.exit(f"{name} stopped: {error.evalue}" if ours else f"{name} stopped:\n{error}")
    notebook.metadata.pop("widgets", None)
    notebook.metadata["language_info"] = {"name": "python"}
    for output in outputs(notebook):
        output.get("data", {}).pop(WIDGET_VIEW, None)
    return notebook


def side_by_side(notebooks: dict[str, NotebookNode]) -> Iterator[NotebookNode]:
    """Run notebooks, two at a time where there are two cores; give them back in order."""
    n_cores = os.cpu_count() or 1
    with ThreadPoolExecutor(min(AT_A_TIME, n_cores)) as pool:
        running = [pool.submit(execute, notebooks[name], name) for name in notebooks]
        try:
            for one in tqdm(running, unit=" notebooks"):
                yield one.result()
        finally:
            pool.shutdown(cancel_futures=True)


def outputs(notebook: NotebookNode) -> Iterator[NotebookNode]:
    """All outputs of all code cells."""
    for cell in notebook.cells:
        yield from cell.get("outputs", [])


def code_hash() -> str:
    """The hash of all that a notebook's outputs come from besides its own source."""
    digest = hashlib.sha256()
    folder = HERE.parent / "data"
    data = [path for kind in ("*.txt", "*.csv", "*.conll*") for path in folder.rglob(kind)]
    code = [path for kind in ("*.py", "*.js", "*.css") for path in PACKAGE.rglob(kind)]
    for path in sorted([*code, *data]):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def skipped(source: Path) -> str:
    """Why a kept notebook can be neither made nor compared here; empty if it can."""
    notebook = read(source)
    reason = extras.why_skipped(notebook.cells[_parameters_cell(notebook)].metadata["tags"])
    return f"{source.stem}.ipynb: {reason}" if reason else ""


def testable() -> list[Path]:
    """The kept notebooks whose outputs can be compared here; why others cannot goes to stderr."""
    reasons = {source: skipped(source) for source in sources()}
    extras.tell(reasons.values())
    return [HERE / f"{source.stem}.ipynb" for source, reason in reasons.items() if not reason]


def commit(names: Sequence[str]) -> None:
    """Run the sources and write the notebooks that are kept."""
    reasons = {source: skipped(source) for source in sources(names)}
    chosen, made_by = [source for source, reason in reasons.items() if not reason], code_hash()
    executed = side_by_side({source.stem: read(source) for source in chosen})
    for source, notebook in zip(chosen, executed, strict=True):
        noise = [o.text for o in outputs(notebook) if o.get("name") == "stderr"]
        if noise:
            sys.exit(f"{source.stem} writes to stderr, which differs by machine:\n{noise[0]}")
        notebook.metadata["made_by"] = made_by
        keep_figures(notebook)
        nbformat.write(notebook, HERE / f"{source.stem}.ipynb")
    extras.tell(reasons.values())


def keep_figures(notebook: NotebookNode) -> None:
    """Write the pictures of cells with a tag "docs:NAME" to docs/, for the README."""
    for cell in notebook.cells:
        for tag in cell.metadata.get("tags", []):
            if tag.startswith("docs:"):
                png = next(o.data["image/png"] for o in cell.outputs if "image/png" in o.data)
                (DOCS / f"{tag.removeprefix('docs:')}.png").write_bytes(base64.b64decode(png))


def check() -> list[str]:
    """What is wrong with the kept notebooks: missing, or older than source or package."""
    faults = []
    for source in sources():
        kept = HERE / f"{source.stem}.ipynb"
        if not kept.exists():
            faults.append(f"{kept.name} is missing")
            continue
        notebook = nbformat.read(kept, as_version=4)
        if [_essence(c) for c in notebook.cells] != [_essence(c) for c in read(source).cells]:
            faults.append(f"{kept.name} is not what src/{source.name} says")
        elif reason := skipped(source):
            print(f"{reason}; whether it is older than the package is not asked", file=sys.stderr)
        elif notebook.metadata.get("made_by") != code_hash():
            faults.append(f"{kept.name} was run before the package or its data changed")
    return faults


def run(names: Sequence[str], changes: dict[str, Any], folder: Path) -> None:
    """Run with other parameters; write executed notebooks and HTML, leave the kept ones alone."""
    notebooks = {source.stem: read(source) for source in sources(names)}
    changes = known(changes, notebooks.values())
    folder.mkdir(parents=True, exist_ok=True)
    exporter = HTMLExporter(
        template_name="template", extra_template_basedirs=[str(HERE)], embed_images=True
    )
    changed = {stem: with_parameters(notebook, changes) for stem, notebook in notebooks.items()}
    for stem, notebook in zip(changed, side_by_side(changed), strict=True):
        nbformat.write(notebook, folder / f"{stem}.ipynb")
        html, _ = exporter.from_notebook_node(notebook)
        html = html.replace(".ipynb", ".html")
        (folder / f"{stem}.html").write_text(html, encoding="utf-8")
    print(f"notebooks and their HTML are in {folder}/: {', '.join(notebooks)}")


def known(changes: dict[str, Any], notebooks: Iterable[NotebookNode]) -> dict[str, Any]:
    """Changes of parameters that some notebook has, paths as seen from where notebooks run."""
    there = {name for notebook in notebooks for name in _parameters(notebook)}
    if unknown := set(changes) - there:
        names = ", ".join(unknown), ", ".join(sorted(there))
        sys.exit("no notebook has a parameter {}; there are: {}".format(*names))
    return {name: _from_here(value) for name, value in changes.items()}


def _from_here(value: Any) -> Any:
    """A path that exists where the command was given, made good for where notebooks run."""
    if isinstance(value, str) and value and Path(value).exists():
        return str(Path(value).resolve())
    return value


def with_parameters(notebook: NotebookNode, changes: dict[str, Any]) -> NotebookNode:
    """Put a cell with the changed parameters behind the cell that sets them."""
    wanted = {k: v for k, v in changes.items() if k in _parameters(notebook)}
    if wanted:
        text = "\n".join(f"{name} = {value!r}" for name, value in wanted.items())
        cell = nbformat.v4.new_code_cell(text, id="parameters-changed")
        notebook.cells.insert(_parameters_cell(notebook) + 1, cell)
    return notebook


def _parameters(notebook: NotebookNode) -> list[str]:
    tree = ast.parse(notebook.cells[_parameters_cell(notebook)].source)
    targets = [node.targets[0] for node in tree.body if isinstance(node, ast.Assign)]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _parameters_cell(notebook: NotebookNode) -> int:
    tagged = (i for i, c in enumerate(notebook.cells) if "parameters" in c.metadata.get("tags", []))
    return next(tagged)


def _essence(cell: NotebookNode) -> tuple:
    return cell.id, cell.cell_type, cell.source, cell.metadata.get("tags")


def _stems(paths: Sequence[Path]) -> str:
    return ", ".join(path.stem for path in paths)


def _parameter(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"wanted NAME=VALUE, got {text!r}")
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return name, value


def parser(description: str | None, commands: Sequence[str]) -> argparse.ArgumentParser:
    """A command line of a command and of parameters to change."""
    made = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    made.add_argument("command", choices=commands)
    made.add_argument(
        "-p", "--parameter", type=_parameter, action="append", default=[], metavar="NAME=VALUE"
    )
    return made


def main() -> None:
    """Read the command line."""
    command_line = parser(__doc__, ["commit", "check", "run", "testable"])
    command_line.add_argument("names", nargs="*", help="only notebooks that begin so, such as 02")
    command_line.add_argument("--to", type=Path, default=Path("build/notebooks"), metavar="FOLDER")
    arguments = command_line.parse_args()
    os.environ.update({k: v for k, v in ENVIRONMENT.items() if k not in os.environ})
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    match arguments.command:
        case "commit":
            commit(arguments.names)
        case "run":
            run(arguments.names, dict(arguments.parameter), arguments.to)
        case "testable":
            print(*testable(), sep="\n")
        case "check":
            faults = check()
            sys.exit("\n".join([*faults, "run: make commit-notebooks"]) if faults else 0)


if __name__ == "__main__":
    main()
