"""Tokens that would break a careless page."""

import pytest
from playwright.sync_api import expect

from bertattn.corpora import ParsedSentence
from bertattn.views import HeadView, ModelView, TreeView
from tests.browser import planted
from tests.browser.looking import axe_faults, menu, said

SCRIPT = "<script>window.pwned = 1</script>"
TEXTS = {
    "script": [SCRIPT, "</script><script>window.pwned = 2</script>", "b"],
    "html": ['<img src=x onerror="window.pwned = 3">', "<b>bold</b>", "&lt;", "&amp;amp;"],
    "end": ["</script>", "<!--", "-->", "]]>", "</style>", "</div></body>"],
    "quotes": ['"', "'", "`${window.pwned = 4}`", "\\u0022", '" onmouseover="window.pwned = 5'],
    "right to left": ["הכלב", "אכל", "את", "العشاء", "‮evil‬"],
    "combining": ["e\u0301", "\u0301", "a" + "\u0301" * 40, "ﷺ", "​"],
    "emoji": ["👩‍👩‍👧", "🇫🇷", "☃", "𝔊", "\U0001f9ff"],
    "control": ["\x01", "\t", "\u2028", "\ufffd"],
    "long": ["x" * 2000, "y", " ".join(["z"] * 1000)],
    "one": ["alone"],
    "empty": ["", "b"],
}
EVERY = pytest.mark.parametrize("name", TEXTS)


def sentence(words):
    n = len(words)
    governors = (None, *range(n - 1))
    return ParsedSentence(
        "odd", tuple(words), ("X",) * n, governors, ("root",) + ("dep",) * (n - 1)
    )


def nothing_ran(page):
    return page.evaluate("window.pwned === undefined")


@EVERY
def test_heads_show_any_text_as_text(open_view, name):
    labels = TEXTS[name]
    page = open_view(HeadView(planted.attention(planted.plain(labels))))
    assert page.locator(".ba-from .ba-word").all_text_contents() == labels
    for item in page.locator(".ba-columns li").all():
        item.hover()
    assert said(page)
    menu(page, "as").select_option("matrix")
    assert page.get_by_role("application").bounding_box()["width"] > 10
    page.get_by_role("application").focus()
    assert labels[0][:60] in said(page)
    assert nothing_ran(page)
    assert page.locator(".bertattn-view b, .bertattn-view img[src=x]").count() == 0


@EVERY
def test_the_still_form_shows_any_text_as_text(open_file, tmp_path, name):
    view = HeadView(planted.attention(planted.plain(TEXTS[name])))
    page = open_file(view.to_html(tmp_path / "view.html"), scripts=False)
    page.locator("summary").click()
    shown = page.locator("tbody tr").first.locator("td").all_text_contents()
    assert shown[1][:200] == view.rows[0][1][:200]
    assert page.locator("img").count() == 1
    assert page.locator("script").count() == 2


@EVERY
def test_trees_show_any_text_as_text(open_view, name):
    words = TEXTS[name]
    tree = sentence(words)
    page = open_view(TreeView(tree, {SCRIPT: tree.governors}))
    shown = page.locator(".ba-item text").all_text_contents()
    assert [text[:39] for text in shown] == [word[:39] for word in words]
    assert said(page).startswith(f"{SCRIPT}: {len(words)} of {len(words)} governors right.")
    assert nothing_ran(page)


@EVERY
def test_mentions_show_any_text_as_text(open_view, name):
    words = [*TEXTS[name], "she"]
    page = open_view(planted.coref_of(words))
    assert page.locator(".ba-asked").inner_text() == "she"
    assert page.locator(".ba-plain").all_text_contents() == words
    assert words[0][:100] in said(page)
    assert nothing_ran(page)


@EVERY
def test_models_show_any_text_as_text(open_view, name):
    page = open_view(ModelView(planted.attention(planted.plain(TEXTS[name]))))
    assert page.locator(".ba-thumb").first.bounding_box()["width"] > 40
    page.locator(".ba-thumb").last.click()
    assert nothing_ran(page)


def test_a_card_shows_any_text_as_text(open_view):
    page = open_view(planted.head_map(words=(SCRIPT, "<b>", "הכלב")))
    assert SCRIPT in page.locator(".ba-card").inner_text()
    assert page.locator(".ba-card b").count() == 0
    assert nothing_ran(page)


def test_long_tokens_do_not_widen_the_page(open_view):
    page = open_view(HeadView(planted.attention(planted.plain(TEXTS["long"]))))
    inner = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert inner[0] <= inner[1]
    assert page.locator(".ba-from li").first.bounding_box()["width"] < 400
    page.locator(".ba-from li").first.hover()
    assert len(said(page)) < 1000
    assert axe_faults(page) == []


def test_right_to_left_words_stand_from_right_to_left(open_view):
    words = TEXTS["right to left"][:4]
    page = open_view(TreeView(sentence(words), {"same": sentence(words).governors}))
    left = [item.bounding_box()["x"] for item in page.locator(".ba-item").all()]
    assert left == sorted(left, reverse=True)
    page = open_view(planted.coref_of([*words, "היא"]))
    boxes = [word.bounding_box()["x"] for word in page.locator(".ba-plain").all()]
    assert boxes == sorted(boxes, reverse=True)


def test_the_page_of_a_view_has_its_title_as_text(open_file, tmp_path):
    from bertattn.views import write_page

    page = open_file(write_page(tmp_path / "page.html", SCRIPT, planted.VIEWS["tree"]().html))
    expect(page).to_have_title(SCRIPT)
    assert page.locator("h1").inner_text() == SCRIPT
    assert nothing_ran(page)
