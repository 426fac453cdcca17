"""The map of scores, the map of heads, and cards."""

from tests.browser import planted
from tests.browser.looking import axe_faults, menu, said


def test_cells_show_their_scores(open_view):
    page = open_view(planted.VIEWS["map"]())
    texts = page.locator(".ba-cell").all_inner_texts()
    assert texts == [".00", ".10", ".20", ".30", ".40", ".50"]
    colours = page.evaluate(
        "[...document.querySelectorAll('.ba-cell')].map((cell) => cell.style.background)"
    )
    assert len(set(colours)) == 6
    assert colours[0] == "rgb(68, 1, 84)"
    assert colours[-1] == "rgb(253, 231, 37)"


def test_numbers_can_be_read_on_every_shade(open_view):
    page = open_view(planted.shades())
    assert page.locator(".ba-cell").count() == 100
    assert axe_faults(page) == []


def test_another_measure(open_view):
    page = open_view(planted.VIEWS["map"]())
    choice = menu(page, "measure")
    choice.focus()
    page.keyboard.press("ArrowDown")
    assert page.locator(".ba-cell").all_inner_texts() == ["3.0", "–", "2.0", "1.0", ".50", ".00"]
    assert said(page).startswith("Most: head 1-1, entropy of a row 3.0 nats.")
    assert "Mean of the 5 measured 1.3." in said(page)  # (3 + 2 + 1 + .5 + 0) / 5
    unknown = page.locator(".ba-cell").nth(1)
    unknown.hover()
    assert said(page).endswith("is not measured.")


def test_a_head_by_mouse_and_by_keys_opens_its_card(open_view):
    page = open_view(planted.VIEWS["map"]())
    page.locator(".ba-cell").first.click()
    card = page.locator(".ba-card")
    assert card.locator(".ba-title").inner_text() == "head 1-1"
    assert said(page) == "Head 1-1: to the next token .00 [-.05, .05]."
    page.keyboard.press("ArrowDown")
    assert said(page).startswith("Head 2-1")
    page.keyboard.press("Enter")
    assert card.locator(".ba-title").inner_text() == "head 2-1"
    assert page.locator(".ba-cell[aria-pressed=true]").inner_text() == ".30"


def test_a_card_says_what_it_was_given(open_view):
    page = open_view(planted.VIEWS["map"]())
    text = page.locator(".ba-card").inner_text()
    for part in ("to next", ".15", "dobj", "81 % [70, 90]", "0.90 dobj (planted)", "0.01"):
        assert part in text
    assert page.locator(".ba-from-word").all_inner_texts() == ["fed", "it"]
    assert page.locator(".ba-to-word").all_inner_texts() == ["it"]


def test_a_card_leads_to_its_nearest_head(open_view):
    page = open_view(planted.VIEWS["map"]())
    page.get_by_role("button", name="2-2 (0.250)").click()
    assert page.locator(".ba-title").inner_text() == "head 2-2"
    assert said(page).startswith("Head 2-2")
    assert page.locator(".ba-cell[aria-pressed=true]").inner_text() == ".40"


def test_after_following_a_nearest_head_the_focus_is_not_lost(open_view):
    page = open_view(planted.VIEWS["map"]())
    page.get_by_role("button", name="2-2 (0.250)").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement !== document.body")
    assert page.locator(".ba-title").inner_text() == "head 2-2"


def test_without_cards_there_is_the_grid_alone(open_view):
    page = open_view(planted.head_map(with_cards=False))
    page.locator(".ba-cell").first.click()
    assert page.locator(".ba-card").count() == 0
    assert said(page).startswith("Head 1-1")


def test_points_stand_where_the_table_has_them(open_view):
    page = open_view(planted.VIEWS["clusters"]())
    points = page.locator(".ba-point")
    boxes = [points.nth(i).bounding_box() for i in range(points.count())]
    assert len(boxes) == 6
    middles = [(b["x"] + b["width"] / 2, b["y"] + b["height"] / 2) for b in boxes]
    assert middles[0][0] < middles[3][0]  # layer 1 on the left
    assert middles[0][1] < middles[1][1] < middles[2][1]  # y upwards
    across = middles[3][0] - middles[0][0]
    assert abs((middles[1][1] - middles[0][1]) / across - 1) < 0.02  # one scale both ways


def legend(page):
    return [text.strip() for text in page.locator(".ba-legend li").all_inner_texts()]


def n_shapes(page):
    return len({path.get_attribute("d") for path in page.locator(".ba-point path").all()})


def test_marks_by_another_thing(open_view):
    page = open_view(planted.VIEWS["clusters"]())
    assert legend(page) == ["next", "previous", "none of these"]
    assert n_shapes(page) == 3
    choice = menu(page, "marks by")
    choice.focus()
    page.keyboard.press("ArrowDown")
    assert legend(page) == ["dobj", "nsubj", "none"]
    choice.select_option("layer")
    assert legend(page) == ["layer 1", "layer 2"]
    assert n_shapes(page) == 2
    assert page.locator(".ba-point").first.get_attribute("aria-label").startswith("Head 1-1: layer")


def test_a_point_by_mouse_and_by_keys(open_view):
    page = open_view(planted.VIEWS["clusters"]())
    page.locator(".ba-point").nth(4).click()
    assert said(page) == "Head 2-2: previous; nearest 2-3."
    assert page.locator(".ba-title").inner_text() == "head 2-2"
    assert page.locator(".ba-near").count() == 1
    page.locator(".ba-point").nth(4).focus()
    page.keyboard.press("ArrowDown")
    assert said(page).startswith("Head 2-3")
    page.keyboard.press("Space")
    assert page.locator(".ba-title").inner_text() == "head 2-3"
    assert page.locator(".ba-point[aria-pressed=true]").count() == 1
