"""The shape of the project: who may import whom, what is pinned, what is promised."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from tests.conftest import ROOT

PACKAGE = ROOT / "bertattn"

# each may import only from those before it
ORDER = [
    "heads",
    "files",
    "machine",
    "attention",
    "corpora",
    "pieces",
    "tokens",
    "segments",
    "pairs",
    "reducer",
    "words",
    "stats",
    "model",
    "measure",
    "vectors",
    "probes",
    "surface",
    "syntax",
    "coref",
    "clusters",
    "search",
    "importance",
    "norms",
    "tables",
    "cards",
    "export",
    "again",
    "readings",
    "plots",
    "views",
    "explore",
    "exercises",
    "cli",
]
WITH_TORCH = {"model", "probes", "importance", "norms", "explore", "again"}
SIBLINGS = {"surface", "syntax", "coref", "clusters"}


def parts():
    return sorted(p.stem for p in PACKAGE.iterdir() if p.suffix == ".py" or is_package(p)) or []


def is_package(path: Path) -> bool:
    return (path / "__init__.py").exists()


def sources(part):
    path = PACKAGE / part
    return sorted(path.rglob("*.py")) if path.is_dir() else [path.with_suffix(".py")]


def imported(path):
    """Parts of the package that a source imports when it is imported itself."""
    tree = ast.parse(path.read_text())
    only_types = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and getattr(block.test, "id", "") == "TYPE_CHECKING"
        for node in ast.walk(block)
    }
    for node in ast.walk(tree):
        if id(node) in only_types:
            continue
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("bertattn"):
            rest = node.module.split(".")[1:]
            yield from [rest[0]] if rest else [alias.name for alias in node.names]


def test_every_part_has_its_place():
    assert set(parts()) - {"__init__", "__main__"} == set(ORDER)


@pytest.mark.parametrize("part", ORDER)
def test_a_part_imports_only_from_parts_before_it(part):
    allowed = {*ORDER[: ORDER.index(part) + 1], "__version__"} - (SIBLINGS - {part})
    if ORDER.index(part) > ORDER.index("clusters"):
        allowed |= SIBLINGS
    for path in sources(part):
        assert set(imported(path)) <= allowed, path


@pytest.mark.parametrize("part", [p for p in ORDER if p not in WITH_TORCH])
def test_a_part_without_torch_is_imported_without_it(part):
    code = f"""
import sys
class Blocks:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("torch", "transformers"):
            raise ImportError(f"{{name}} is not to be imported")
sys.meta_path.insert(0, Blocks())
import bertattn.{part}
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_importing_the_package_costs_nothing():
    code = "import sys, bertattn; print(len({'numpy', 'pandas', 'torch'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "0"


def test_modules_are_short_and_named_for_what_they_hold():
    paths = list(PACKAGE.rglob("*.py"))
    assert not [p for p in paths if len(p.read_text().splitlines()) > 270]
    assert not [p for p in paths if p.stem in ("utils", "common", "base", "helpers")]


def functions():
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef):
                yield path, node


def body_length(node):
    body = node.body[1:] if ast.get_docstring(node) else node.body
    return body[-1].end_lineno - body[0].lineno + 1 if body else 0


def test_functions_are_short():
    lengths = sorted(body_length(node) for _, node in functions())
    assert lengths[len(lengths) // 2] <= 10
    assert lengths[len(lengths) * 9 // 10] < 30


def test_head_alone_is_no_variable():
    """It could be an attention head, a syntactic head or the head of a mention."""
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            stored = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id
            assert "head" not in (stored, getattr(node, "arg", None)), f"{path}:{node.lineno}"


@pytest.fixture(scope="module")
def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


@pytest.fixture(scope="module")
def locked():
    lines = (ROOT / "requirements.lock").read_text().split()
    return {normal(line.partition("==")[0]): line.partition("==")[2] for line in lines}


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def named(requirement):
    return normal(re.match(r"[\w.-]+", requirement)[0])


def test_every_dependency_is_pinned(project, locked):
    extras = project["optional-dependencies"].values()
    wanted = [*project["dependencies"], *(w for extra in extras for w in extra)]
    assert not {named(w) for w in wanted} - set(locked)
    assert all(re.fullmatch(r"[\w.!]+", version) for version in locked.values())


def test_the_extra_model_is_pinned_alike_everywhere(project, locked):
    """In what pip is asked for, in the lock, and in what the loader looks for."""
    from bertattn.model.packaged import MPNET

    wanted = [f"{package}=={MPNET.version}" for package in MPNET.packages]
    assert project["optional-dependencies"]["mpnet"] == wanted
    assert {p: locked[p] for p in MPNET.packages} == dict.fromkeys(MPNET.packages, MPNET.version)
    assert all(f" {pin} " in f"{MPNET.remedy} " for pin in wanted)
    lines = (ROOT / "requirements.lock").read_text().split()
    assert [line for line in lines if line.startswith("all-mpnet")] == wanted  # as make mpnet does
    assert "--no-deps $$(grep ^all-mpnet requirements.lock)" in (ROOT / "Makefile").read_text()


def test_the_lock_installs_anywhere(locked):
    assert locked["torch"] == "2.13.0"  # without "+cpu", which no index but one has
    assert int(locked["setuptools"].partition(".")[0]) >= 77  # torch needs it
    assert not [name for name in locked if name.startswith(("nvidia", "cuda", "triton"))]


def test_conda_gets_python_and_leaves_the_rest_to_pip(project):
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    python, pip, with_pip = environment["dependencies"]
    assert (python, pip) == ("python=3.11", "pip")
    assert with_pip == {"pip": ["-c requirements.lock", "-e .[dev]"]}
    assert project["requires-python"] == ">=3.11"


def test_the_version_stands_once_in_two_places(project):
    import bertattn

    assert project["version"] == bertattn.__version__


def test_code_of_the_readme_runs(tmp_path, monkeypatch):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert blocks
    monkeypatch.chdir(tmp_path)
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})


def test_commands_of_the_readme_are_targets():
    makefile = (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    for document in ("README.md", "CONTRIBUTING.md"):
        used = set(re.findall(r"(?:`|^)make ([a-z-]+)", (ROOT / document).read_text(), re.M))
        assert used
        assert used <= targets, document


def test_ci_runs_what_the_readme_shows():
    readme = (ROOT / "README.md").read_text()
    script = (ROOT / ".ci" / "run").read_text().splitlines()
    commands = [line for line in script if line.startswith("make ")]
    assert commands
    assert all(command in readme for command in commands)


def test_links_of_the_documents_lead_somewhere():
    for document in [*ROOT.glob("*.md"), *(ROOT / "data").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", document.read_text()):
            if "://" not in target:
                assert (document.parent / target).exists(), f"{document.name}: {target}"
