"""The contents and the site are made from what is there, and their links lead somewhere."""

import json
import re
import tomllib

import bs4
import jupytext
import nbformat
import pytest

from docs.site import build, contents, index, links, pages
from tests.conftest import ROOT

SOURCE = """# %% [markdown]
# # 09 · Trial
#
# **What is
# asked?**
# (Clark et al. 2019, section 9, figure 9)
#
# After this notebook you can
# - do one thing,
#   on two lines;
# - do another.
#
# *Prerequisites:* [00](00_start_here.ipynb), all of it. *Time:* ten minutes, one of
# them waiting. More text.

# %% [markdown]
# ## The run

# %%
1 + 1

# %% [markdown]
# ## Exercises
#
# **1.** A first.
#
# **2. Another.** Yes.
"""


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "09_trial.py"
    path.write_text(SOURCE)
    return path


# contents


def test_what_a_source_says_of_its_notebook(source):
    entry = contents.entry(source)
    assert entry == contents.Entry(
        stem="09_trial",
        title="09 · Trial",
        question="What is asked?",
        paper="section 9, figure 9",
        objectives=("do one thing, on two lines;", "do another."),
        prerequisites="[00](00_start_here.ipynb), all of it.",
        time="ten minutes, one of them waiting",
        sections=("The run", "Exercises"),
        n_exercises=2,
    )
    assert entry.file == "09_trial.ipynb"


@pytest.mark.parametrize(
    ("gone", "what"),
    [("# # 09", "a title"), ("**What", "a question in bold"), ("*Time", "prerequisites")],
)
def test_a_source_without_what_all_say_is_refused(source, gone, what):
    source.write_text(SOURCE.replace(gone, "# "))
    with pytest.raises(ValueError, match=f"^09_trial.py: its first cell has not {what}; see"):
        contents.entry(source)


def test_every_notebook_is_in_the_contents():
    stems = [path.stem for path in sorted((ROOT / "notebooks" / "src").glob("*.py"))]
    entries = contents.entries()
    assert [entry.stem for entry in entries] == stems
    assert all(entry.objectives and entry.paper for entry in entries[1:])
    assert all(entry.n_exercises >= 2 for entry in entries)


def test_the_contents_are_current():
    assert index.stale() == []


def test_contents_that_are_not_current_are_found(tmp_path, monkeypatch):
    old = tmp_path / "README.md"
    old.write_text("<!-- notebooks -->\nan old table\n<!-- end: notebooks -->\n")
    monkeypatch.setattr(index, "README", old)
    assert index.stale() == ["README.md is not what notebooks/src says; run: make index"]
    old.write_text(index.readme())
    assert index.stale() == []
    old.write_text("no table at all")
    with pytest.raises(ValueError, match=r"README.md has 0 tables between .* marks; wanted one"):
        index.stale()


def test_the_index_is_a_notebook_without_code_that_names_every_notebook():
    notebook = nbformat.read(index.INDEX, as_version=4)
    nbformat.validate(notebook)
    assert {cell.cell_type for cell in notebook.cells} == {"markdown"}
    text = "\n".join(cell.source for cell in notebook.cells)
    for entry in contents.entries():
        assert f"## [{entry.title}]({entry.file})" in text
        assert all(f"- {objective}" in text for objective in entry.objectives)


# links to others' machines


def test_without_an_address_no_link_pretends_to_work(monkeypatch):
    monkeypatch.setattr(index, "repository", lambda: "")
    assert not re.search("binder|colab", index.index(), re.IGNORECASE)


def test_with_an_address_every_notebook_can_be_opened_elsewhere(monkeypatch):
    monkeypatch.setattr(index, "repository", lambda: "https://github.com/me/it")
    text = index.index()
    for entry in contents.entries():
        file = f"notebooks/{entry.file}"
        assert f"https://colab.research.google.com/github/me/it/blob/main/{file}" in text
        assert f"labpath={file.replace('/', '%2F')}" in text
    assert "%pip install -q git+https://github.com/me/it" in text
    assert "neither has been tried" in text


@pytest.mark.parametrize("address", ["https://example.org/me/it", "https://github.com/me", ""])
def test_only_an_address_that_these_services_know_makes_links(address):
    assert contents.live("notebooks/a.ipynb", address) == {}


def test_the_address_stands_in_one_place():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert contents.repository() == project.get("urls", {}).get("Repository", "")


# a small site


HOME = "# Home\n\n[a](docs/a.md#a-place) [it](LICENSE) ![the words](docs/p.png)\n"
OTHER = "# A page\n\n## A place\n\nsome words\n\n## A place\n\n[home](../README.md)\n"


@pytest.fixture
def small(tmp_path):
    """A repository of two pages, a notebook, a picture and a file."""
    root = tmp_path / "root"
    (root / "docs").mkdir(parents=True)
    (root / "notebooks").mkdir()
    (root / "README.md").write_text(HOME)
    (root / "docs" / "a.md").write_text(OTHER)
    (root / "docs" / "p.png").write_bytes(b"picture")
    (root / "LICENSE").write_text("free")
    notebook = jupytext.reads(SOURCE, fmt="py:percent")
    notebook.cells[0].source = "# 09 · Trial\n\n[a page](../docs/a.md)\n\n<b>bold</b> `x < y`"
    code = next(cell for cell in notebook.cells if cell.cell_type == "code")
    code.outputs = [
        picture("a picture's words"),
        html("<table><tr><td>an output</td></tr></table>"),
    ]
    nbformat.write(notebook, root / "notebooks" / "09_trial.ipynb")
    return root


def picture(alt):
    metadata = {"image/png": {"alt": alt}} if alt else {}
    return nbformat.v4.new_output("display_data", {"image/png": "aGk="}, metadata=metadata)


def html(text):
    return nbformat.v4.new_output("display_data", {"text/html": text})


def change(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_a_small_site(small, tmp_path):
    made = build.build(tmp_path / "site", small)
    assert [one.target for one in made] == ["index.html", "notebooks/09_trial.html", "docs/a.html"]
    home = bs4.BeautifulSoup((tmp_path / "site" / "index.html").read_text(), "html.parser")
    assert home.title.text == "Home · bertattn"
    led = [a["href"] for a in home.main.find_all("a")]
    assert led == ["docs/a.html#a-place", "LICENSE"]
    assert (tmp_path / "site" / "docs" / "p.png").read_bytes() == b"picture"
    in_menu = [a["href"] for a in home.nav.find_all("a")]
    assert in_menu == ["notebooks/09_trial.html", "docs/a.html"]
    below = bs4.BeautifulSoup((tmp_path / "site" / "docs" / "a.html").read_text(), "html.parser")
    assert [a["href"] for a in below.main.find_all("a")] == ["../index.html"]
    assert below.find("a", attrs={"aria-current": "page"})["href"] == "a.html"
    assert [h["id"] for h in below.main.find_all("h2")] == ["a-place", "a-place-1"]


def test_the_search_knows_prose_and_code_but_no_outputs(small, tmp_path):
    build.build(tmp_path / "site", small)
    script = (tmp_path / "site" / "search-index.js").read_text()
    assert script.startswith("globalThis.bertattnIndex = ")
    content = json.loads(script.removeprefix("globalThis.bertattnIndex = ").rstrip(";\n"))
    [trial] = [one for one in content if one["page"] == "notebooks/09_trial.html"]
    assert trial["title"] == "09 · Trial"
    assert [part[:2] for part in trial["sections"]] == [
        ["09--trial", "09 · Trial"], ["the-run", "The run"], ["exercises", "Exercises"]
    ]  # fmt: skip
    texts = [part[2] for part in trial["sections"]]
    assert texts == ["a page bold x < y", "1 + 1", "1. A first. 2. Another. Yes."]


def test_pictures_of_a_notebook_keep_their_words(small):
    made = pages.page("notebooks/09_trial.ipynb", frozenset(pages.sources(small)), small)
    assert bs4.BeautifulSoup(made.body, "html.parser").img["alt"] == "a picture's words"


def test_a_picture_without_words_is_refused(small, tmp_path):
    notebook = nbformat.read(small / "notebooks" / "09_trial.ipynb", as_version=4)
    next(c for c in notebook.cells if c.cell_type == "code").outputs = [picture("")]
    nbformat.write(notebook, small / "notebooks" / "09_trial.ipynb")
    with pytest.raises(pages.SiteError, match=r"09_trial.ipynb: a picture has no text for those"):
        build.build(tmp_path / "site", small)


@pytest.mark.parametrize(
    ("new", "said"),
    [
        ("[a](docs/b.md)", "README.md: a link to docs/b.md, which is no file"),
        ("[a](docs/a.md#elsewhere)", "index.html: 'docs/a.html#elsewhere' leads to no place in"),
        ("[a](https://no/x)", "index.html: 'https://no/x' is no address"),
        ('<a href="https://localhost/x">a</a>', "index.html: 'https://localhost/x' is no address"),
        ('<img alt="a" src="https://example.org/a.png">', "index.html: loads https://example.org"),
        ("[a](../outside.txt)", "README.md: a link to ../outside.txt, which is no file"),
    ],
)
def test_a_link_that_leads_nowhere_is_refused(small, tmp_path, new, said):
    change(small / "README.md", "[it](LICENSE)", new)
    with pytest.raises(pages.SiteError, match=re.escape(said)):
        build.build(tmp_path / "site", small)


def test_a_page_without_a_heading_is_refused(small, tmp_path):
    (small / "docs" / "a.md").write_text("words only")
    with pytest.raises(pages.SiteError, match=r"docs/a.md: wanted a heading, found none"):
        build.build(tmp_path / "site", small)


def test_what_was_there_stays_when_a_page_cannot_be_made(small, tmp_path):
    build.build(tmp_path / "site", small)
    (small / "docs" / "a.md").write_text("words only")
    with pytest.raises(pages.SiteError):
        build.build(tmp_path / "site", small)
    assert links.faults(tmp_path / "site") == []


# the whole site


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    return folder, build.build(folder)


def test_all_pages_and_notebooks_are_on_the_site(site):
    """Building it has checked every link of every page and notebook."""
    folder, made = site
    sources = {one.source for one in made}
    kept = {p.relative_to(ROOT).as_posix() for p in (ROOT / "notebooks").glob("*.ipynb")}
    written = {p.relative_to(ROOT).as_posix() for p in (ROOT / "docs").glob("*.md")}
    assert kept | written | {"README.md", "CONTRIBUTING.md", "CHANGELOG.md"} <= sources
    for one in made:
        assert (folder / one.target).exists()
        assert one.sections


def test_the_site_loads_nothing_from_elsewhere(site):
    folder, _ = site
    for path in folder.rglob("*.html"):
        assert not re.search(
            r"""<(?:script|link|img)[^>]*(?:src|href)=["']?http""", path.read_text()
        )
    assert "@import" not in (folder / "site.css").read_text()
    assert not re.search(r"url\(|fetch\(|https?:", (folder / "search.js").read_text())


def test_every_picture_of_the_site_has_words(site):
    _, made = site
    images = [i for one in made for i in bs4.BeautifulSoup(one.body, "html.parser").find_all("img")]
    assert len(images) > 10
    assert all(image["alt"].strip() for image in images)


def test_the_script_is_short():
    assert len((ROOT / "docs" / "site" / "search.js").read_text().splitlines()) < 150
