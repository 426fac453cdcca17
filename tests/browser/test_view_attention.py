"""Heads and models in a page, on the planted map."""

import pytest

from tests.browser import planted
from tests.browser.looking import menu, said, seen

N_WORDS = 10  # units of the planted text: seven words and three special tokens
LINES = 11  # head 1-1: one from each unit, and "keeper" has two pieces that look apart


def n_lines(page):
    return page.locator(".ba-columns svg line").count()


def attributes(page, name):
    return [line.get_attribute(name) for line in page.locator(".ba-columns svg line").all()]


def changed(page, act):
    before = seen(page)
    act()
    return seen(page) != before


def test_lines_are_as_many_as_weights_over_the_threshold(open_view):
    page = open_view(planted.VIEWS["heads"]())
    assert page.locator(".ba-from li").count() == page.locator(".ba-to li").count() == N_WORDS
    assert n_lines(page) == LINES
    slider = page.get_by_label("lines from")
    slider.fill("0.5")
    assert n_lines(page) == LINES
    slider.fill("0.51")
    assert n_lines(page) == LINES - 2


def test_another_head_by_mouse_and_by_keys(open_view):
    page = open_view(planted.VIEWS["heads"]())
    assert changed(page, page.get_by_role("button", name="head 2", exact=True).click)
    assert said(page).startswith("Head 1-2, strongest: “[CLS]” to “[CLS]” 1.00")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.textContent") == "3"
    assert changed(page, lambda: page.keyboard.press("Enter"))
    assert said(page).startswith("Head 1-3, strongest: “[CLS]” to “[CLS]” 1.00")
    assert page.locator(".ba-heads [aria-pressed=true]").all_inner_texts() == ["3"]
    page.keyboard.press("Home")
    page.keyboard.press("Space")
    assert said(page).startswith("Head 1-1")


def test_several_heads_have_colours_and_dashes_of_their_own(open_view):
    page = open_view(planted.VIEWS["heads"]())
    page.get_by_label("several").check()
    page.get_by_role("button", name="head 3", exact=True).click()
    assert "Head 1-1, strongest" in said(page)
    assert "Head 1-3, strongest" in said(page)
    assert len(set(attributes(page, "stroke"))) == 2
    assert len(set(attributes(page, "stroke-dasharray"))) == 2
    page.get_by_role("button", name="head 1", exact=True).click()
    assert said(page).startswith("Head 1-3, strongest")
    assert "Head 1-1" not in said(page)


def test_another_layer_by_choice_and_by_keys(open_view):
    page = open_view(planted.VIEWS["heads"]())
    assert changed(page, lambda: menu(page, "layer").select_option("2"))
    assert said(page).startswith("Head 2-1")
    menu(page, "layer").focus()
    assert changed(page, lambda: page.keyboard.press("ArrowUp"))
    assert said(page).startswith("Head 1-1")


def test_words_or_pieces(open_view):
    page = open_view(planted.VIEWS["heads"]())
    assert "keeper" in page.locator(".ba-from").inner_text()
    menu(page, "by").select_option("piece")
    assert page.locator(".ba-from .ba-word").all_inner_texts() == list(planted.PIECES)
    assert n_lines(page) == len(planted.PIECES)


def test_special_tokens_are_hidden_and_weights_stay(open_view):
    page = open_view(planted.VIEWS["heads"]())
    box = page.get_by_label("special tokens")
    box.focus()
    assert changed(page, lambda: page.keyboard.press("Space"))
    assert page.locator(".ba-from .ba-word").all_inner_texts() == list(planted.WORDS)
    # "." and "she" look at separators only
    assert n_lines(page) == len(planted.WORDS) - 2 + 1
    assert said(page).startswith("Head 1-1, strongest: “the” to “keeper” 1.00")


@pytest.mark.parametrize(
    ("pair", "n_from", "n_to", "lines"),
    [("first to first", 7, 7, 7), ("first to second", 7, 3, 1), ("second to first", 3, 7, 0)],
)
def test_one_text_to_another(open_view, pair, n_from, n_to, lines):
    page = open_view(planted.VIEWS["heads"]())
    menu(page, "pair").select_option(pair)
    assert page.locator(".ba-from li").count() == n_from
    assert page.locator(".ba-to li").count() == n_to
    assert n_lines(page) == lines


def test_pointing_at_a_token_shows_its_numbers(open_view):
    page = open_view(planted.VIEWS["heads"]())
    keeper = page.locator(".ba-from li", has_text="keeper")
    keeper.hover()
    assert said(page) == "“keeper” looks at, head 1-1: “keeper” 0.50, “fed” 0.50."
    numbers = page.locator(".ba-to .ba-number").all_inner_texts()
    assert numbers == ["", "", "0.50", "0.50", *[""] * 6]
    assert sum("opacity: 0.03" not in style for style in attributes(page, "style")) == 2
    menu(page, "layer").hover()
    assert said(page).startswith("Head 1-1")


def test_moving_to_a_token_says_and_enter_keeps_it(open_view):
    page = open_view(planted.VIEWS["heads"]())
    page.locator(".ba-to li").first.focus()
    page.keyboard.press("ArrowDown")
    assert said(page) == "“the” is looked at by, head 1-1: “[CLS]” 1.00."
    page.keyboard.press("Enter")
    assert page.locator("[aria-selected=true]").inner_text() == "the"
    menu(page, "layer").hover()
    menu(page, "layer").focus()
    assert page.locator("[aria-selected=true]").count() == 1
    assert said(page) == "“the” is looked at by, head 1-1: “[CLS]” 1.00."


def test_a_matrix_shows_the_weights_and_a_key_moves_in_it(open_view):
    page = open_view(planted.VIEWS["heads"]())
    choice = menu(page, "as")
    choice.focus()
    assert changed(page, lambda: page.keyboard.press("ArrowDown"))
    canvas = page.get_by_role("application", name="matrix of head 1-1")
    canvas.focus()
    assert said(page) == "Head 1-1: “[CLS]” to “[CLS]” 0."
    page.keyboard.press("ArrowRight")
    assert said(page) == "Head 1-1: “[CLS]” to “the” 1.00."
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    assert said(page) == "Head 1-1: “keeper” to “keeper” 0.50."
    for _ in range(30):
        page.keyboard.press("ArrowLeft")
    assert said(page) == "Head 1-1: “keeper” to “[CLS]” 0."


def test_a_matrix_is_pointed_at_where_it_is(open_view):
    page = open_view(planted.heads(form="matrix"))
    canvas = page.get_by_role("application")
    box = canvas.bounding_box()
    cell = 22
    canvas.hover(position={"x": box["width"] - 3 - 1.5 * cell, "y": box["height"] - 3 - 2.5 * cell})
    assert said(page) == "Head 1-1: “did” to “she” 1.00."


def test_colours_of_a_matrix_are_those_of_its_weights(open_view):
    page = open_view(planted.heads(form="matrix"))
    at = """([row, col]) => { const canvas = document.querySelector("canvas");
      const [x, y] = [canvas.width - 3 - (9.5 - col) * 22, canvas.height - 3 - (9.5 - row) * 22];
      return [...canvas.getContext("2d").getImageData(x, y, 1, 1).data].slice(0, 3); }"""
    assert page.evaluate(at, [0, 0]) == [68, 1, 84]
    assert page.evaluate(at, [0, 1]) == [253, 231, 37]
    assert page.evaluate(at, [2, 2]) == page.evaluate(at, [2, 3])


def test_a_model_opens_the_head_that_is_chosen(open_view):
    page = open_view(planted.VIEWS["model"]())
    assert page.locator(".ba-thumb").count() == 2 * 3
    page.get_by_role("button", name="head 1-2").click()
    assert said(page).startswith("Head 1-2")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert said(page).startswith("Head 2-2")
    assert menu(page, "layer").input_value() == "2"
    assert page.locator(".ba-heads [aria-pressed=true]").inner_text() == "2"
    pressed = page.locator(".ba-thumb[aria-pressed=true]")
    assert pressed.get_attribute("aria-label") == "head 2-2"


def test_small_pictures_differ_where_heads_do(open_view):
    page = open_view(planted.VIEWS["model"]())
    drawn = page.evaluate(
        "[...document.querySelectorAll('.ba-thumb canvas')].map((canvas) => canvas.toDataURL())"
    )
    assert len(set(drawn)) == 4  # layer 2 has three alike
    assert len(set(drawn[:3])) == 3
    assert len(set(drawn[3:])) == 1


def test_where_no_token_is_left_a_sentence_says_so(open_view):
    page = open_view(planted.HeadView(planted.attention(planted.only_special())))
    page.get_by_label("special tokens").uncheck()
    assert said(page) == "No token is left to show: choose others above."
    menu(page, "as").select_option("matrix")
    assert said(page) == "No token is left to show: choose others above."
