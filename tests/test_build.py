"""The tool that makes the notebooks."""

import asyncio
import importlib.util
import shutil
import subprocess
import sys

import bs4
import nbformat
import pytest

from tests.conftest import ROOT

SOURCE = """# %% [markdown]
# # 00 · Trial

# %% [markdown]
# Text.

# %% tags=["parameters"]
MODEL = "minilm"
SEGMENTS = 3

# %% [markdown]
# Text.

# %%
print(MODEL, SEGMENTS)
"""


@pytest.fixture
def build(tmp_path, monkeypatch):
    shutil.copytree(ROOT / "notebooks" / "template", tmp_path / "template")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "00_trial.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(ROOT / "notebooks")  # as it is when the script runs
    spec = importlib.util.spec_from_file_location("build", ROOT / "notebooks" / "build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "HERE", tmp_path)
    monkeypatch.setattr(module, "SOURCES", tmp_path / "src")
    return module


pytestmark = pytest.mark.filterwarnings("ignore")  # zmq and nbconvert have theirs


def test_running_closes_its_event_loops(build, monkeypatch):
    """One left open is found by the collector later on, in the middle of something else."""
    loops, made = [], asyncio.new_event_loop

    def watched():
        loops.append(made())
        return loops[-1]

    for module in (asyncio, asyncio.events):
        monkeypatch.setattr(module, "new_event_loop", watched)
    build.commit([])
    assert loops
    assert all(loop.is_closed() for loop in loops)


def test_two_builds_are_the_same_bytes(build, tmp_path):
    kept = tmp_path / "00_trial.ipynb"
    build.commit([])
    first = kept.read_bytes()
    build.commit([])
    assert kept.read_bytes() == first
    assert build.check() == []


def test_check_finds_what_is_missing_changed_or_older_than_the_package(build, tmp_path):
    assert build.check() == ["00_trial.ipynb is missing"]
    build.commit([])
    source = tmp_path / "src" / "00_trial.py"
    source.write_text(SOURCE.replace("Text.", "Other text."))
    assert build.check() == ["00_trial.ipynb is not what src/00_trial.py says"]
    source.write_text(SOURCE)
    kept = nbformat.read(tmp_path / "00_trial.ipynb", as_version=4)
    kept.metadata["made_by"] = "another package"
    nbformat.write(kept, tmp_path / "00_trial.ipynb")
    assert build.check() == ["00_trial.ipynb was run before the package or its data changed"]


def test_other_parameters_run_apart_and_leave_the_kept_notebook_alone(build, tmp_path, capsys):
    out = tmp_path / "out"
    build.run([], {"SEGMENTS": 7}, out)
    executed = nbformat.read(out / "00_trial.ipynb", as_version=4)
    assert executed.cells[-1].outputs[0].text == "minilm 7\n"
    assert not (tmp_path / "00_trial.ipynb").exists()
    html = (out / "00_trial.html").read_text()
    assert "minilm 7" in html
    for needs_network in ("cdnjs", "<script src=", "http-equiv"):
        assert needs_network not in html


def test_a_parameter_that_no_notebook_has_is_refused(build, tmp_path):
    with pytest.raises(SystemExit, match=r"parameter SEGMENT; there are: MODEL, SEGMENTS"):
        build.run([], {"SEGMENT": 7}, tmp_path / "out")


def test_an_unknown_notebook_is_refused(build):
    with pytest.raises(SystemExit, match="no notebook begins with 17; there are: 00_trial"):
        build.commit(["17"])


@pytest.fixture
def needing(build, tmp_path, monkeypatch):
    """A kept notebook that needs an extra, and says so; the extra is not there afterwards."""
    project = tmp_path / "pyproject.toml"
    project.write_text('[project.optional-dependencies]\nmore = ["numpy>=2", "pandas==2"]\n')
    monkeypatch.setattr(build.extras, "PYPROJECT", project)
    source = tmp_path / "src" / "00_trial.py"
    source.write_text(SOURCE.replace('tags=["parameters"]', 'tags=["parameters", "needs:more"]'))
    (tmp_path / "src" / "01_other.py").write_text(SOURCE)
    build.commit([])
    project.write_text('[project.optional-dependencies]\nmore = ["numpy>=2", "no-such-thing==1"]\n')
    return source


SKIPPED = (
    "00_trial.ipynb: skipped, because it is kept with the extra more, of which is not installed: "
    "no-such-thing"
)


def test_a_notebook_that_needs_an_extra_is_compared_only_where_it_is(
    build, needing, tmp_path, capsys
):
    both = [tmp_path / "00_trial.ipynb", tmp_path / "01_other.ipynb"]
    assert build.testable() == both[1:]
    assert capsys.readouterr().err == f"{SKIPPED}\n"
    needing.write_text(SOURCE)
    assert build.testable() == both
    assert capsys.readouterr().err == ""


def test_a_notebook_that_needs_an_extra_is_kept_as_it_is_without_it(
    build, needing, tmp_path, capsys
):
    kept = (tmp_path / "00_trial.ipynb").read_bytes()
    (tmp_path / "01_other.ipynb").unlink()
    build.commit([])
    assert SKIPPED in capsys.readouterr().err
    assert (tmp_path / "00_trial.ipynb").read_bytes() == kept
    assert (tmp_path / "01_other.ipynb").exists()


def test_check_without_the_extra_compares_sources_and_says_what_it_does_not(
    build, needing, tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr(build, "code_hash", lambda: "another package")
    assert build.check() == ["01_other.ipynb was run before the package or its data changed"]
    assert (
        f"{SKIPPED}; whether it is older than the package is not asked" in capsys.readouterr().err
    )
    needing.write_text(needing.read_text().replace("Text.", "Other text."))
    assert build.check()[0] == "00_trial.ipynb is not what src/00_trial.py says"


def test_what_goes_to_stderr_is_not_kept(build, tmp_path):
    (tmp_path / "src" / "00_trial.py").write_text(SOURCE + "import sys; print(1, file=sys.stderr)")
    with pytest.raises(SystemExit, match="writes to stderr, which differs by machine"):
        build.commit([])
    assert not (tmp_path / "00_trial.ipynb").exists()


def test_a_cell_that_fails_stops_the_build_with_its_error(build, tmp_path):
    (tmp_path / "src" / "00_trial.py").write_text(SOURCE + "1 / 0")
    with pytest.raises(SystemExit, match=r"00_trial stopped:(.|\n)*ZeroDivisionError"):
        build.run([], {}, tmp_path / "out")


def test_the_command_line_explains_itself():
    command = [sys.executable, str(ROOT / "notebooks" / "build.py")]
    shown = subprocess.run([*command, "--help"], capture_output=True, text=True, check=True).stdout
    assert "build.py commit" in shown
    wrong = subprocess.run([*command, "run", "-p", "MODEL"], capture_output=True, text=True)
    assert wrong.returncode == 2
    assert "wanted NAME=VALUE, got 'MODEL'" in wrong.stderr


def test_what_is_wrong_with_a_corpus_or_model_is_one_line(build, tmp_path):
    cell = "from bertattn import corpora; corpora.load('nowhere.txt')"
    (tmp_path / "src" / "00_trial.py").write_text(SOURCE + cell)
    with pytest.raises(
        SystemExit, match=r"^00_trial stopped: \S+nowhere\.txt: no such corpus; .*$"
    ):
        build.run([], {}, tmp_path / "out")


def test_paths_are_meant_from_where_the_command_was_given(build, tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "my.txt").write_text("A b.")
    monkeypatch.chdir(tmp_path / "elsewhere")
    build.run([], {"MODEL": "my.txt"}, tmp_path / "out")
    shown = nbformat.read(tmp_path / "out" / "00_trial.ipynb", as_version=4).cells[-1].outputs[0]
    assert shown.text == f"{tmp_path / 'elsewhere' / 'my.txt'} 3\n"


def test_the_text_of_a_picture_stays_text_in_html(build, tmp_path):
    cell = """from IPython.display import Image, display
from bertattn.plots.theme import describe, new_axes, show
show(describe(new_axes(1, 1)[0], 'to "." and <script>alert(1)</script>'))"""
    (tmp_path / "src" / "00_trial.py").write_text(SOURCE + "\n" + cell)
    build.run([], {}, tmp_path / "out")
    html = (tmp_path / "out" / "00_trial.html").read_text()
    assert "<script>alert" not in html
    image = bs4.BeautifulSoup(html, "html.parser").find("img")
    assert image["alt"] == 'to "." and <script>alert(1)</script>'
