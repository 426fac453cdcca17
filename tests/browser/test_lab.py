"""Views and menus live in JupyterLab."""

import base64

import nbformat
import pytest
from playwright.sync_api import expect

from tests.browser import planted
from tests.browser.lab import active_cell, run_all, sources
from tests.browser.looking import axe_faults, menu, said, screenshot, seen

VIEW = """from tests.browser import planted
planted.heads()"""
MENU = """from bertattn import plots
from bertattn.heads import all_heads
from bertattn.views import menus
plots.set_theme()
menus(plots.attention_lines, planted.attention(), attn_head=all_heads(2, 3))"""
TEXT = """from bertattn.model import AttentionModel
from bertattn.views import HeadView
from tests import tiny
model = AttentionModel(*tiny.module("Bert"), "tiny", device="cpu")
menus(lambda text: HeadView(model.attention(text)), text="the keeper fed it.")"""


@pytest.fixture
def notebook(lab, open_notebook):
    """Opens a notebook of these cells and runs it."""

    def open_(*cells, **options):
        lab.write("trial", cells)
        page = open_notebook("trial", **options)
        run_all(page)
        return page

    return open_


def lives(page):
    page.wait_for_selector(".bertattn-view[data-live=true]")


def test_a_view_answers_mouse_and_keys(notebook):
    page = notebook(VIEW, "2")
    lives(page)
    before = seen(page)
    page.get_by_role("button", name="head 2", exact=True).click()
    assert said(page).startswith("Head 1-2")
    assert seen(page) != before
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert said(page).startswith("Head 1-3")
    assert page.locator(".jp-mod-editMode").count() == 0


def test_keys_in_a_view_do_not_move_or_change_cells(notebook):
    page = notebook(VIEW, "2")
    lives(page)
    page.locator(".ba-from li").first.focus()
    cells = sources(page)
    assert active_cell(page) == 0
    for key in ("ArrowDown", "ArrowDown", "b", "a", "x", "d", "d", "m", "ArrowUp", "Enter", "j"):
        page.keyboard.press(key)
    menu(page, "layer").focus()
    page.keyboard.press("ArrowDown")
    assert "head 2-1" in said(page).lower()
    assert sources(page) == cells
    assert active_cell(page) == 0
    page.keyboard.press("Escape")
    assert sources(page) == cells


def test_a_menu_changes_its_picture(notebook):
    page = notebook(VIEW, MENU)
    picture = page.locator(".jp-RenderedImage img")
    before = picture.get_attribute("src")
    page.locator(".widget-dropdown select").select_option("2-3")
    expect(picture).not_to_have_attribute("src", before)
    expect(picture).to_have_count(1)


def test_a_text_changes_its_view_and_a_bad_one_is_answered(notebook):
    page = notebook(VIEW, MENU, TEXT)
    box = page.locator(".widget-text input")
    words = page.locator(".jp-OutputArea").last.locator(".ba-from .ba-word")
    expect(words).to_have_text(["[CLS]", "the", "keeper", "fed", "it", ".", "[SEP]"])
    box.fill("did she?")
    box.press("Enter")
    expect(words).to_have_text(["[CLS]", "did", "she", "?", "[SEP]"])
    box.fill("the keeper " * 100)
    box.press("Enter")
    expect(page.get_by_text("Nothing to show: ")).to_be_visible()
    box.fill("it fed her")
    box.press("Enter")
    expect(words).to_have_text(["[CLS]", "it", "fed", "her", "[SEP]"])
    lives(page)


def test_a_view_follows_the_theme_of_lab(notebook, lab):
    page = notebook(VIEW)
    lives(page)
    change = "window.jupyterapp.commands.execute('apputils:change-theme', {theme: 'JupyterLab %s'})"
    colours = []
    for theme in ("Light", "Dark"):
        page.evaluate(change % theme)
        is_light = str(theme == "Light").lower()
        page.wait_for_selector(f"body[data-jp-theme-light={is_light}]", state="attached")
        page.wait_for_timeout(300)
        colours += [
            page.locator(part).evaluate("part => getComputedStyle(part).backgroundColor")
            for part in (".bertattn-view", ".ba-heads [aria-pressed=true]")
        ]
        screenshot(page, f"lab-{theme.lower()}", "#main")
        assert axe_faults(page, ".bertattn-view") == []
    assert len(set(colours)) == 4


def test_in_a_notebook_that_is_not_trusted_picture_and_table_remain(lab, open_notebook):
    view = planted.heads()
    data, metadata = view._repr_mimebundle_()
    data["image/png"] = base64.b64encode(data["image/png"]).decode()
    output = nbformat.v4.new_output("display_data", data=data, metadata=metadata)
    lab.write("stranger", ["planted.heads()"], [output])
    page = open_notebook("stranger")
    picture = page.locator(".jp-OutputArea img")
    expect(picture).to_have_attribute("alt", view.picture.alt)
    assert picture.bounding_box()["width"] > 100
    page.locator(".jp-OutputArea summary").click()
    assert page.locator(".jp-OutputArea tbody tr").last.is_visible()
    assert page.locator(".ba-live").count() == 0
    assert page.locator(".jp-OutputArea").get_by_text("{").count() == 0
