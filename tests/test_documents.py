"""What README and pages claim: code runs, commands are there, citation and versions agree."""

import re
import shutil
import tomllib

import pytest
import yaml

import bertattn
from bertattn import corpora
from data import draw
from docs.site import contents
from tests.conftest import ROOT

PAGES = ["docs/TEACHING.md", "docs/YOUR_TEXT.md"]  # README, CLI and SCALE have tests of their own


def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PAGES)
def test_code_of_a_page_runs(name, tmp_path, monkeypatch):
    blocks = re.findall(r"```python\n(.*?)```", text_of(name), re.DOTALL)
    assert blocks
    monkeypatch.chdir(tmp_path)
    for block in blocks:
        exec(compile(block, name, "exec"), {})


@pytest.mark.parametrize("name", [*PAGES, "docs/TROUBLE.md", "CONTRIBUTING.md", "README.md"])
def test_targets_that_a_page_names_are_there(name):
    targets = set(re.findall(r"^([a-z-]+):", text_of("Makefile"), re.MULTILINE))
    used = set(re.findall(r"(?:`|^)make ([a-z-]+)", text_of(name), re.MULTILINE))
    assert used
    assert used <= targets


def test_parameters_that_a_page_names_are_passed_on():
    known = set(re.search(r"foreach name,([A-Z_ ]+),", text_of("Makefile"))[1].split())
    known |= {"ONLY", "TO", "VENV", "PYTHON", "WORKERS"}
    for name in ["README.md", *PAGES]:
        lines = re.findall(r"^make .+$", text_of(name), re.MULTILINE)
        used = {word for line in lines for word in re.findall(r"\b([A-Z_]+)=", line)}
        assert used <= known, name


def test_sections_that_teaching_points_to_are_in_the_notebooks():
    sections = {entry.file: entry.sections for entry in contents.entries()}
    shown = re.findall(r"\(\.\./notebooks/(\S+?)\), \*([^*]+)\* \|$", text_of(PAGES[0]), re.M)
    assert len(shown) > 8
    for file, heading in shown:
        assert heading in sections[file], file


def test_every_paper_of_the_debate_is_in_the_references():
    """A name and a year in the tables stand in the list at the end."""
    body, references = text_of(PAGES[0]).split("## References")
    cited = re.findall(r"\b([A-Z][a-z]+)(?: et al\.| and [A-Z][a-z]+)? (20\d\d)", body)
    assert len(set(cited)) > 8
    for name, year in cited:
        assert re.search(rf"^- {name}\b.* {year}\.", references, re.MULTILINE), name


def test_figures_of_cost_stand_where_teaching_says():
    results, scale = text_of("benchmarks/RESULTS.md"), text_of("docs/SCALE.md")
    teaching = text_of(PAGES[0])
    assert "39 ms a segment of 128 pieces on one core" in scale
    assert "39 ms a segment of 128 pieces on one core" in teaching
    assert "0.26 s for BERT-base's size" in scale
    memory = dict(re.findall(r"^\| ([\d,]+) \| (\d+) \|", results.split("## memory")[1], re.M))
    low, high = (memory[n] for n in ("200", "10,000"))
    assert f"grew from {low} to {high} MiB" in teaching
    seconds = dict(
        re.findall(r"^\| (\d\d)_\w+ \| (\d+) \|", results.split("## notebooks")[1], re.M)
    )
    over_a_minute = {number for number, s in seconds.items() if int(s) > 60}
    assert over_a_minute <= {"05", "07"}  # "under a minute, 05 about one and 07 about two"
    assert int(seconds["05"]) < 90
    assert int(seconds["07"]) < 150


# citation, versions, changes


def test_the_citation_is_of_this_version_and_of_the_paper():
    project = tomllib.loads(text_of("pyproject.toml"))["project"]
    citation = yaml.safe_load(text_of("CITATION.cff"))
    assert {"cff-version", "message", "title", "authors"} <= set(citation)  # what the form requires
    assert citation["cff-version"] == "1.2.0"
    assert citation["version"] == project["version"] == bertattn.__version__
    assert citation["license"] == project["license"]
    assert citation.get("repository-code", "") == contents.repository()
    paper = citation["preferred-citation"]
    assert {"type", "title", "authors"} <= set(paper)
    assert [author["family-names"] for author in paper["authors"]] == [
        "Clark", "Khandelwal", "Levy", "Manning"
    ]  # fmt: skip
    assert paper["year"] == 2019


def test_the_changelog_keeps_its_form():
    text = text_of("CHANGELOG.md")
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert headings[0] == "[Unreleased]"
    assert all(re.fullmatch(r"\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d", h) for h in headings[1:])
    kinds = set(re.findall(r"^### (.+)$", text, re.MULTILINE))
    allowed = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security", "Known"}
    assert kinds <= allowed


# what README says that no command shows


def test_the_readme_has_one_picture_and_it_has_words():
    [(words, file)] = re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", text_of("README.md"))
    assert len(words) > 40
    assert (ROOT / file).stat().st_size < 200_000


def test_views_have_what_the_table_for_users_of_bertviz_says(toy_map):
    import inspect

    from bertattn.model import AttentionModel
    from bertattn.views import HeadMap, HeadView, ModelView

    view = HeadView(toy_map)
    assert all(hasattr(view, name) for name in ("to_html", "to_png", "to_svg"))
    assert {"level", "form"} <= set(inspect.signature(HeadView).parameters)
    assert ModelView(toy_map).html
    assert "cards" in str(inspect.signature(HeadMap.__init__)).lower()
    assert list(inspect.signature(AttentionModel.attention).parameters)[1:3] == ["first", "second"]


def test_only_safe_weights_are_read():
    """Pickled weights and remote code are never loaded, as README says."""
    loading = text_of("bertattn/model/loading.py")
    assert "use_safetensors=True" in loading
    assert "trust_remote_code" not in loading
    for path in (ROOT / "bertattn").rglob("*.py"):
        assert "trust_remote_code" not in path.read_text(), path


# a text for each student


def test_the_same_number_draws_the_same_articles():
    assert draw.drawn(17) == draw.drawn(17)
    assert draw.drawn(17) != draw.drawn(18)
    articles = draw.drawn(17)
    assert len(articles) == len({a.title for a in articles}) == 72 / 2


def test_what_was_drawn_is_read_back_as_it_was(tmp_path, capsys):
    draw.main(["3", "--articles", "5", "--out", str(tmp_path / "mine.txt")])
    assert "mine.txt: 5 articles for 3: " in capsys.readouterr().out
    there = corpora.load(tmp_path / "mine.txt")
    found = [(article.title, article.paragraphs) for article in there]
    assert found == [(article.title, article.paragraphs) for article in draw.drawn(3, 5)]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["1", "--articles", "73"], "wanted 1 to 72 articles, got 73"),
        (["1", "--articles", "0"], "wanted 1 to 72 articles, got 0"),
        (["-1"], "wanted a student's number of at least 0, got -1"),
    ],
)
def test_what_cannot_be_drawn_is_refused(tmp_path, arguments, said):
    with pytest.raises(SystemExit, match=re.escape(said)):
        draw.main([*arguments, "--out", str(tmp_path / "mine.txt")])
    assert not (tmp_path / "mine.txt").exists()


def test_the_example_of_the_plan_is_understood(tmp_path, monkeypatch):
    [line] = re.findall(r"^python -m data\.draw (.+?) *(?:#.*)?$", text_of(PAGES[0]), re.M)
    monkeypatch.chdir(tmp_path)
    draw.main(line.split())
    assert shutil.which("make") is None or (tmp_path / "mine.txt").exists()
