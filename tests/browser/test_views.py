"""What holds of all six views."""

import pytest
from playwright.sync_api import expect

from tests.browser import planted
from tests.browser.looking import axe_faults, focus_order, menu, said, screenshot, seen

ALL = pytest.mark.parametrize("name", planted.VIEWS)
NAMES = {
    "heads": "attention, head by head",
    "model": "2 layers of 3 heads on one text",
    "map": "scores of heads",
    "tree": "a tree, and guesses at it",
    "coref": "mentions in a story",
    "clusters": "heads by what they attend to",
}
FIRST_SAID = {
    "heads": "Head 1-1, strongest: “[CLS]” to “the” 1.00",
    "model": "Head 1-1, strongest: “[CLS]” to “the” 1.00",
    "map": "Most: head 2-3, to the next token .50. Mean of all heads .25.",
    "tree": "right: 4 of 4 governors right",
    "coref": "“It”: head 1-1 chooses “dog”, an antecedent; right: “dog”.",
    "clusters": "Head 1-1: next; nearest 1-2.",
}
ORDER = {
    "heads": [
        *("combobox by", "combobox layer", "button head 1", "checkbox several", "combobox as"),
        *("combobox pair", "checkbox special tokens", "slider lines from"),
        *("option [CLS]", "option [CLS]"),
    ],
    "model": [
        *("button head 1-1", "combobox by", "combobox layer", "button head 1", "checkbox several"),
        *("combobox as", "combobox pair", "checkbox special tokens", "slider lines from"),
        *("option [CLS]", "option [CLS]"),
    ],
    "map": [
        *("combobox measure", "button Head 2-3: to the next token .50 [.45, .55]."),
        "button 2-2 (0.250)",
    ],
    "tree": ["combobox guess of", "image “the”: det of “keeper”; right says “keeper”, right."],
    "coref": [
        *("combobox attention head", "checkbox all arrows"),
        "button “It”: head 1-1 chooses “dog”, an antecedent; right: “dog”.",
    ],
    "clusters": [
        *("combobox marks by", "button Head 1-1: next; nearest 1-2.", "button 2-3 (0.250)"),
    ],
}


@ALL
def test_a_view_comes_to_life_and_says_what_it_shows(open_view, name):
    page = open_view(planted.VIEWS[name]())
    assert page.locator(".ba-still").is_hidden()
    assert page.get_by_role("group", name=NAMES[name], exact=True).first.is_visible()
    assert said(page).startswith(FIRST_SAID[name])
    box = page.locator(".ba-body").first.bounding_box()
    assert box["width"] > 100
    assert box["height"] > 30


@ALL
def test_no_serious_fault_of_accessibility_in_light_or_dark(open_view, name, dark):
    page = open_view(planted.VIEWS[name](), dark=dark)
    screenshot(page, f"{name}-{'dark' if dark else 'light'}")
    assert axe_faults(page) == []


@ALL
def test_tab_goes_through_controls_then_marks(open_view, name):
    page = open_view(planted.VIEWS[name]())
    order = [f"{one.role} {one.name}" for one in focus_order(page)]
    assert order == ORDER[name]


@ALL
def test_without_scripts_picture_and_table_remain(open_file, tmp_path, name):
    view = planted.VIEWS[name]()
    page = open_file(view.to_html(tmp_path / "view.html"), scripts=False)
    picture = page.get_by_role("img", name=view.picture.alt)
    assert picture.is_visible()
    assert picture.bounding_box()["width"] > 100
    assert page.locator(".ba-live").count() == 0
    page.locator("summary").click()
    rows = page.locator("tbody tr")
    assert rows.count() == len(view.rows)
    assert rows.last.is_visible()
    assert rows.first.locator("td").all_inner_texts() == list(view.rows[0])


@ALL
def test_data_that_cannot_be_read_leave_picture_and_sentence(open_file, tmp_path, name):
    path = planted.VIEWS[name]().to_html(tmp_path / "view.html")
    begin, mark, rest = path.read_text(encoding="utf-8").partition('class="ba-data">')
    path.write_text(f"{begin}{mark}AAAA{rest[8:]}", encoding="utf-8")
    page = open_file(path)
    page.wait_for_selector(".bertattn-view[data-live=failed]")
    assert page.get_by_role("img").first.is_visible()
    assert said(page).startswith("This browser cannot show the interactive form: ")


def test_two_views_in_a_page_do_not_disturb_each_other(open_file, tmp_path):
    from bertattn.views import write_page

    both = planted.heads().html + planted.tree().html
    page = open_file(write_page(tmp_path / "both.html", "Both", both))
    expect(page.locator(".bertattn-view[data-live=true]")).to_have_count(2)
    before = seen(page)
    menu(page, "guess of").select_option("next")
    after = seen(page)
    assert before[:2] == after[:2]
    assert before[2:] != after[2:]
    assert axe_faults(page) == []


def test_what_was_left_out_is_said(open_view):
    page = open_view(planted.large(600, 2))
    assert page.get_by_text(
        "A text of 600 tokens: this page holds layer 1 of 2."
    ).first.is_visible()
