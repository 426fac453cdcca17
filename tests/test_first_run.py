"""What a newcomer meets first: an install, a bare command, tables that come along, the wheel."""

import json
import os
import subprocess
import sys
import zipfile
from importlib.metadata import distributions, packages_distributions

import numpy as np
import pandas as pd
import pytest
from packaging.requirements import Requirement

from bertattn import cli, corpora, export, measure, surface, tables
from bertattn.segments import Segments
from data import precompute
from tests.conftest import ROOT

SECTIONS = ["clusters", "coref", "surface", "syntax"]


def make(*arguments, folder=ROOT):
    done = subprocess.run(["make", *arguments], cwd=folder, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


# the Makefile's sentences


def fake_python(path, says):
    """A program that answers as a Python that we cannot have here."""
    path.write_text(f"#!/bin/sh\n{says}\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize("python", ["no-such-python", "old"])
def test_an_old_python_or_none_is_one_sentence(tmp_path, python):
    if python == "old":
        python = fake_python(tmp_path / "old", "exit 1")  # as the question for its version ends
    code, said = make("env", f"PYTHON={python}", f"VENV={tmp_path / 'venv'}")
    assert code != 0
    assert f"needs Python 3.11 or newer, and {python} is not here or is older" in said
    assert not (tmp_path / "venv").exists()


def test_an_install_that_stops_says_where_to_look_and_is_tried_again(tmp_path):
    venv = tmp_path / "venv"
    (venv / "bin").mkdir(parents=True)
    fake_python(venv / "bin" / "python", "echo 'ERROR: no space left on device' >&2; exit 1")
    python = fake_python(tmp_path / "new", "exit 0")
    code, said = make("env", f"PYTHON={python}", f"VENV={venv}")
    assert code != 0
    assert "no space left on device" in said
    assert "the install stopped; above is why (no network? no space? see docs/TROUBLE.md)" in said
    assert not (venv / ".ready").exists()


# a Python without what the package needs


def run_bare(*arguments):
    """``python -m bertattn`` where nothing is installed."""
    command = [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.append({str(ROOT)!r}); "
               "import runpy; runpy.run_module('bertattn', run_name='__main__')"]  # fmt: skip
    return subprocess.run([*command, *arguments], capture_output=True, text=True)


def test_help_needs_nothing():
    done = run_bare("--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Which head finds which syntactic relation" in done.stdout


def test_a_command_without_what_it_needs_names_the_remedy():
    done = run_bare("measure")
    assert done.returncode == 1
    [line] = done.stderr.splitlines()
    assert line.startswith("bertattn: error: No module named ")
    assert f"for {sys.executable}: bertattn is not installed there" in line
    assert line.endswith("use .venv/bin/bertattn, which `make env` makes, or pip install .")


def test_a_module_of_ours_that_is_missing_is_no_matter_of_the_install(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "bertattn.cli.data", None)
    assert cli.main(["data"]) == 1
    assert "make env" not in capsys.readouterr().err


def test_an_old_python_is_refused_in_a_sentence(monkeypatch):
    code = "import sys; sys.version_info = (3, 9, 18); import runpy; runpy.run_module('bertattn')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 1
    assert done.stderr.startswith("bertattn needs Python 3.11 or newer, this is ")
    assert len(done.stderr.splitlines()) == 1


# tables that need no torch


@pytest.mark.parametrize("section", SECTIONS)
def test_precomputed_tables_say_what_made_them(section, minilm):
    found = export.precomputed(section)
    ran = json.loads((ROOT / "data" / "scores" / section / "run.json").read_text())
    assert sorted(ran["files"]) == sorted(
        p.name for p in (ROOT / "data" / "scores" / section).iterdir() if p.name != "run.json"
    )
    assert {f"{name}.parquet" for name in found} <= set(ran["files"])
    for table in found.values():
        made = table.attrs["manifest"]
        assert made["weights_sha256"] == minilm.sha256
        assert made["bertattn"] == ran["bertattn"]
        assert table.attrs["signature"].startswith("minilm|sample|")
        assert len(table)


def test_precomputed_tables_are_of_the_text_that_is_here():
    hashes = {
        "surface": corpora.load("sample").sha256,
        "clusters": corpora.load("sample").sha256,
        "syntax": corpora.treebank("sample").sha256,
        "coref": corpora.coreference("sample").sha256,
    }
    for section, wanted in hashes.items():
        for name, table in export.precomputed(section).items():
            assert table.attrs["manifest"]["corpus_sha256"] == wanted, f"make scores ({name})"


def test_precomputed_numbers_are_those_of_a_run(minilm):
    segments = Segments(corpora.load("sample"), minilm.encoder, n=200)
    sums = surface.SurfaceSums.empty(*minilm.shape)
    measure.measure(segments, minilm, sums)
    again = tables.surface(sums.result(), tables.manifest(minilm, corpora.load("sample"), segments))
    kept = export.precomputed("surface")["surface"]
    assert list(kept["head"]) == list(again["head"])
    assert np.allclose(kept["value"], again["value"], atol=1e-4)


def test_precomputed_tables_are_small_and_all_there():
    files = [p for p in (ROOT / "data" / "scores").rglob("*") if p.is_file()]
    assert sum(p.stat().st_size for p in files) < 1_000_000
    assert sorted(p.name for p in (ROOT / "data" / "scores").iterdir()) == SECTIONS
    assert sorted(precompute.RUNS) == SECTIONS


def test_an_unknown_section_is_refused():
    with pytest.raises(ValueError, match="section of clusters, coref, surface, syntax, got 'seman"):
        export.precomputed("semantics")


def test_what_is_kept_of_a_run(tmp_path):
    out, kept = tmp_path / "out", tmp_path / "kept"
    for name in ("one", "head_pairs"):
        table = pd.DataFrame({"head": ["1-1"], "value": [0.5]})
        table.attrs["signature"] = name
        units = pd.DataFrame({"group": [0], "sum": [1.0]})
        export.tables(table, out, name, units)
    (kept / "old").mkdir(parents=True)
    assert precompute.keep("surface", out, kept) == ["one"]
    assert sorted(p.name for p in kept.iterdir()) == ["one.json", "one.parquet", "run.json"]
    assert export.read(kept)["one"].attrs["signature"] == "one"
    assert json.loads((kept / "run.json").read_text())["command"] == "bertattn measure"


def test_a_failed_run_leaves_what_was_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(precompute.cli, "main", lambda arguments: 1)
    (tmp_path / "coref").mkdir()
    with pytest.raises(SystemExit, match="bertattn coref failed; nothing was changed in"):
        precompute.make("coref", tmp_path)
    assert (tmp_path / "coref").exists()


def needed():
    lines = (ROOT / "requirements-tables.txt").read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def without_others(names):
    """Distributions that these need, and top-level modules of all that are there besides."""
    there = {normal(d.metadata["Name"]): d for d in distributions()}
    todo, done = [normal(name) for name in names], set()
    while todo:
        name = todo.pop()
        if name in there and name not in done:
            done.add(name)
            wanted = [Requirement(text) for text in there[name].requires or []]
            todo += [
                normal(w.name) for w in wanted if not w.marker or w.marker.evaluate({"extra": ""})
            ]
    modules = {name: set(owners) for name, owners in packages_distributions().items()}
    return done, {m for m, owners in modules.items() if not {normal(o) for o in owners} & done}


def normal(name):
    return name.lower().replace("_", "-").replace(".", "-")


DRAWN = """
import sys
refused = set(sys.argv[1].split(","))
class Blocks:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in refused:
            raise ImportError(f"{name} is not to be imported")
sys.meta_path.insert(0, Blocks())
from pathlib import Path
from bertattn import export, plots, readings, tables
plots.set_theme()
drawn = {"surface": ("surface", plots.figure_2), "syntax": ("table_1", plots.table_1),
         "coref": ("table_2", plots.table_2), "clusters": ("head_map", plots.figure_6)}
for section, (name, draw) in drawn.items():
    plots.save(draw(export.precomputed(section)[name]), Path(section))
print(readings.best_heads(export.precomputed("syntax")["table_1"]))
"""


def test_figures_are_drawn_from_them_without_torch(tmp_path):
    names, others = without_others(needed())
    assert not names & {"torch", "transformers", "spacy", "scikit-learn", "jupyterlab"}
    assert {"torch", "transformers", "spacy", "sklearn", "jupyterlab"} <= others
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", DRAWN, ",".join(others - {"bertattn"})],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "MPLBACKEND": "agg"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert sorted(p.name for p in tmp_path.glob("*.svg")) == [f"{s}.svg" for s in SECTIONS]
    assert all(p.stat().st_size > 10_000 for p in tmp_path.glob("*.svg"))
    assert done.stdout.strip()


# the wheel, away from the repository


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    pytest.importorskip("hatchling", reason="the wheel is built offline by hatchling (extra dev)")
    folder = tmp_path_factory.mktemp("wheel")
    command = [
        "pip",
        "wheel",
        "--no-build-isolation",
        "--no-deps",
        "--no-index",
        "-q",
        "-w",
        folder,
    ]
    subprocess.run([sys.executable, "-m", *command, str(ROOT)], check=True, capture_output=True)
    [made] = folder.glob("*.whl")
    return made


def test_the_wheel_holds_the_package_its_data_and_nothing_else(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.partition("/")[0] for name in names}
    assert len(tops) == 2
    assert "bertattn" in tops
    for wanted in ("py.typed", "views/view.js", "_data/sample/trees/nature.conll",
                   "_data/paper/syntax.csv", "_data/scores/syntax/table_1.parquet"):  # fmt: skip
        assert f"bertattn/{wanted}" in names


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """An environment with the wheel, which sees what this one has but not its bertattn."""
    folder = tmp_path_factory.mktemp("installed")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
    python = folder / "venv" / "bin" / "python"
    command = ["pip", "--python", python, "install", "--no-deps", "--no-index", "-q", wheel]
    subprocess.run([sys.executable, "-m", *command], check=True)
    [packages] = (folder / "venv" / "lib").glob("python*/site-packages")
    others = {str(d.locate_file(".").resolve()) for d in distributions()} - {str(ROOT)}
    (packages / "others.pth").write_text("".join(f"{path}\n" for path in sorted(others)))
    return python


def away(installed, *arguments, folder):
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    done = subprocess.run(
        [installed, *arguments], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheel_works_away_from_the_repository(installed, tmp_path):
    code = """
from pathlib import Path
import bertattn
from bertattn import corpora, export, tables
print(Path(bertattn.__file__).parent.parent.name, bertattn.__version__)
print(len(list(corpora.load("sample"))), len(list(corpora.treebank("sample"))))
print(sorted(p.name for p in (corpora.data_folder() / "paper").iterdir())[0])
print(len(tables.beside_table_1(export.precomputed("syntax")["table_1"])) > 0)
"""
    where, articles, paper, beside = away(installed, "-c", code, folder=tmp_path).splitlines()
    assert where.split()[0] == "site-packages"
    assert articles.split()[0] == "72"
    assert paper == "clusters.csv"
    assert beside == "True"


def test_the_wheels_command_runs_away_from_the_repository(installed, tmp_path):
    said = subprocess.run(
        [installed.with_name("bertattn"), "--help"], cwd=tmp_path, capture_output=True, text=True
    )
    assert said.returncode == 0
    assert "Which head finds which syntactic relation" in said.stdout
