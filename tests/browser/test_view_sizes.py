"""How large and how quick a large view is; ``make bench ONLY=views`` measures."""

import pytest

from tests.browser import planted
from tests.browser.looking import longest_task, said, seconds_to_life

MEGABYTE = 1_000_000


@pytest.mark.parametrize("alike", [False, True], ids=["random", "sparse"])
def test_a_base_model_on_128_tokens_is_small_and_quick(open_file, tmp_path, alike):
    path = planted.large(128, alike=alike).to_html(tmp_path / "view.html")
    assert path.stat().st_size < 2 * MEGABYTE
    page = open_file(path)
    assert seconds_to_life(page) < 5
    assert longest_task(page) < 5
    assert page.locator(".ba-thumb").count() == 144
    page.locator(".ba-thumb").last.click()
    assert said(page).startswith("Head 12-12")


def test_512_tokens_do_not_freeze(open_file, tmp_path):
    path = planted.large(512).to_html(tmp_path / "view.html")
    page = open_file(path)
    assert seconds_to_life(page) < 20
    page.get_by_label("lines from").fill("0")
    page.get_by_role("button", name="head 2", exact=True).click()
    page.get_by_role("combobox", name="as", exact=True).select_option("matrix")
    page.get_by_label("several").check()
    assert longest_task(page) < 5
    assert page.get_by_role("application").first.is_visible()
