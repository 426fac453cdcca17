"""A notebook exported to HTML, opened from a file."""

import os
import shutil
import subprocess
import sys

import pytest
from playwright.sync_api import expect

from tests.browser import planted
from tests.browser.looking import menu, said
from tests.conftest import ROOT

SOURCE = """# %% [markdown]
# # 00 · Views

# %% tags=["parameters"]
HEAD = 1

# %% [markdown]
# A tree:

# %%
from tests.browser import planted
planted.tree()

# %% [markdown]
# And heads:

# %%
planted.heads()
"""


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """The page that ``build.py run`` makes of a notebook with two views."""
    folder = tmp_path_factory.mktemp("export")
    shutil.copytree(ROOT / "notebooks" / "template", folder / "template")
    for path in (ROOT / "notebooks").glob("*.py"):
        shutil.copy(path, folder)
    (folder / "src").mkdir()
    (folder / "src" / "00_views.py").write_text(SOURCE, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "build.py", "run", "--to", "out"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return folder / "out" / "00_views.html"


def test_views_stay_alive_in_the_exported_page(open_file, exported, dark):
    page = open_file(exported, dark=dark)
    expect(page.locator(".bertattn-view[data-live=true]")).to_have_count(2)
    menu(page, "guess of").select_option("next")
    assert page.get_by_role("status").first.inner_text().startswith("next: 2 of 4")
    page.get_by_role("button", name="head 2", exact=True).click()
    assert said(page).startswith("Head 1-2")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert said(page).startswith("Head 1-3")


def test_without_scripts_the_exported_page_has_pictures_and_tables(open_file, exported):
    page = open_file(exported, scripts=False)
    for name in ("tree", "heads"):
        alt = planted.VIEWS[name]().picture.alt
        assert page.get_by_role("img", name=alt).bounding_box()["width"] > 100
    assert page.locator("summary").count() == 2
    page.locator("summary").last.click()
    assert page.locator("tbody tr").last.is_visible()
