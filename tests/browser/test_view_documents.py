"""Trees and mentions in a page."""

from tests.browser import planted
from tests.browser.looking import menu, said


def test_a_tree_has_an_arc_for_each_word_but_punctuation(open_view):
    page = open_view(planted.VIEWS["tree"]())
    assert page.locator(".ba-gold").count() == 4
    labels = page.locator(".ba-gold text").all_text_contents()
    assert labels == ["det", "nsubj", "root", "dobj"]
    assert page.locator(".ba-right").count() == 4
    assert page.locator(".ba-wrong").count() == 0


def test_another_guess(open_view):
    page = open_view(planted.VIEWS["tree"]())
    choice = menu(page, "guess of")
    choice.focus()
    page.keyboard.press("ArrowDown")
    # "the" and "keeper" look at their governors, "fed" and "it" do not
    assert said(page).startswith("next: 2 of 4 governors right.")
    assert page.locator(".ba-right").count() == page.locator(".ba-wrong").count() == 2
    choice.select_option("right")
    assert page.locator(".ba-wrong").count() == 0


def test_right_and_wrong_differ_in_more_than_colour(open_view):
    page = open_view(planted.VIEWS["tree"]())
    menu(page, "guess of").select_option("next")
    dashes = "(name) => getComputedStyle(document.querySelector(name)).strokeDasharray"
    assert page.evaluate(dashes, ".ba-right path") == "none"
    assert page.evaluate(dashes, ".ba-wrong path") != "none"
    assert page.locator(".ba-wrong text").all_text_contents() == ["✗", "✗"]


def test_a_word_is_pointed_at_or_moved_to(open_view):
    page = open_view(planted.VIEWS["tree"]())
    page.locator(".ba-item").nth(1).hover()
    assert said(page) == "“keeper”: nsubj of “fed”; right says “fed”, right."
    assert page.locator(".ba-faint").count() == 8 - 2
    menu(page, "guess of").hover()
    assert page.locator(".ba-faint").count() == 0
    page.locator(".ba-item").first.focus()
    page.keyboard.press("End")
    assert said(page) == "“.”: punctuation, not asked."
    page.keyboard.press("ArrowLeft")
    assert said(page) == "“it”: dobj of “fed”; right says “fed”, right."


def test_mentions_have_brackets_with_their_numbers(open_view):
    page = open_view(planted.VIEWS["coref"]())
    words = " ".join(page.locator(".ba-text").inner_text().split())
    assert words.startswith("[Ann]1 saw [the old dog]2 . [It]2 knew [her]1")
    assert page.locator(".ba-asked").all_inner_texts() == ["It", "her", "she", "it"]


def test_a_mention_by_mouse_and_by_keys(open_view):
    page = open_view(planted.VIEWS["coref"]())
    page.locator(".ba-asked", has_text="she").click()
    said_first = "“she”: head 1-1 chooses “her”, an antecedent; right: “Ann”, “her”."
    assert said(page) == f"{said_first} Head 1-1: 4 of 4 mentions right."
    assert page.locator(".ba-answer").all_inner_texts() == ["Ann", "her"]
    assert page.locator(".ba-overlay .ba-right").count() == 1
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert said(page).startswith("“it”: head 1-1 chooses “It”")


def test_an_arrow_ends_at_the_word_that_is_chosen(open_view):
    page = open_view(planted.VIEWS["coref"]())
    page.locator(".ba-asked", has_text="her").click()
    tip = page.locator(".ba-overlay .ba-tip").bounding_box()
    word = page.locator(".ba-text").get_by_text("Ann", exact=True).bounding_box()
    assert word["x"] <= tip["x"] + tip["width"] / 2 <= word["x"] + word["width"]
    assert abs(tip["y"] + tip["height"] - word["y"]) < word["height"]


def test_another_head_and_all_arrows(open_view):
    page = open_view(planted.VIEWS["coref"]())
    choice = menu(page, "attention head")
    choice.focus()
    page.keyboard.press("ArrowDown")
    said_first = "“It”: head 1-2 chooses “.”, no antecedent; right: “dog”."
    assert said(page) == f"{said_first} Head 1-2: 0 of 4 mentions right."
    assert page.locator(".ba-overlay .ba-wrong").count() == 1
    page.get_by_label("all arrows").focus()
    page.keyboard.press("Space")
    assert page.locator(".ba-overlay .ba-wrong").count() == 4
    choice.select_option(index=0)
    assert page.locator(".ba-overlay .ba-right").count() == 4


def test_arrows_follow_their_words_when_the_page_gets_narrow(open_view):
    page = open_view(planted.VIEWS["coref"]())
    page.locator(".ba-asked", has_text="it").last.click()
    for width in (1200, 260):
        page.set_viewport_size({"width": width, "height": 700})
        page.wait_for_timeout(200)
        tip = page.locator(".ba-overlay .ba-tip").bounding_box()
        word = page.locator(".ba-asked").first.bounding_box()
        assert word["x"] <= tip["x"] + tip["width"] / 2 <= word["x"] + word["width"]
