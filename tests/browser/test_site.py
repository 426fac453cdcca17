"""The site in a browser: its search, its menu, its pages on a phone and in the dark."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page

from docs.site import build
from tests.browser.looking import Watch, axe_faults

PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    build.build(folder)
    return folder


def of_axe(fault: str) -> bool:
    """axe-core asks for style sheets once more, which a page without a server may not."""
    return "XMLHttpRequest" in fault or fault.endswith("net::ERR_FAILED")


@pytest.fixture
def open_page(
    site: Path, new_context: Callable[..., BrowserContext]
) -> Iterator[Callable[..., Page]]:
    """Opens pages without a network; one that errs, or asks for what is not the site's, fails."""
    watch = Watch((site.as_uri(),), ignored=of_axe)

    def open_(name: str, *, dark: bool = False, scripts: bool = True, **options: object) -> Page:
        context = new_context(dark=dark, java_script_enabled=scripts, **options)
        context.set_offline(True)
        page = watch.over(context.new_page())
        page.goto((site / f"{name}.html").as_uri())
        return page

    yield open_
    assert watch.faults == []


@pytest.fixture
def home(open_page: Callable[..., Page]) -> Page:
    page = open_page("index")
    page.wait_for_selector("form.search:not([hidden])")
    return page


def test_the_search_finds_a_section_by_its_words_and_goes_there(home):
    home.fill("#search", "determiner governor")
    home.wait_for_selector("#found a")
    assert "12 found" in home.inner_text("#found-status") or home.locator("#found a").count() < 12
    assert home.locator("#found a mark").count() > 0
    target = home.locator("#found a").first.get_attribute("href").removeprefix("./")
    home.keyboard.press("ArrowDown")
    home.keyboard.press("Enter")
    home.wait_for_url(f"**/{target}")
    place = target.partition("#")[2]
    assert home.locator(f"[id='{place}']").count() == 1


def test_what_is_nowhere_is_said(home):
    home.fill("#search", "xylophones")
    home.wait_for_selector("#found .nothing")
    assert home.inner_text("#found-status") == "Nothing found."
    home.fill("#search", "")
    home.wait_for_selector("#found", state="hidden")


def test_what_is_typed_stays_text(home):
    home.fill("#search", "<img src=x onerror=alert(1)> head")
    home.wait_for_selector("#found li")
    assert home.locator("#found img").count() == 0


def test_keys_go_through_the_results_and_escape_leaves_them(home):
    home.fill("#search", "entropy")
    home.wait_for_selector("#found a")
    home.keyboard.press("ArrowDown")
    home.keyboard.press("ArrowDown")
    focused = "document.activeElement === document.querySelectorAll('#found a')[1]"
    assert home.evaluate(focused)
    home.keyboard.press("ArrowUp")
    home.keyboard.press("Escape")
    home.wait_for_selector("#found", state="hidden")
    assert home.evaluate("document.activeElement.id") == "search"


def test_a_word_in_many_pages_is_found_where_it_is_a_heading(home):
    home.fill("#search", "grading")
    home.wait_for_selector("#found a")
    assert home.locator("#found a strong").first.inner_text().endswith("Grading")


def test_without_scripts_pages_are_read_and_the_search_is_not_shown(open_page):
    page = open_page("docs/TEACHING", scripts=False)
    assert page.locator("form.search").is_hidden()
    assert page.locator("nav a").count() > 12


@pytest.mark.parametrize("name", ["index", "notebooks/02_surface_patterns", "docs/TEACHING"])
def test_a_page_fits_a_phone_and_begins_with_its_text(open_page, name):
    page = open_page(name, viewport=PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    page.wait_for_selector("nav details:not([open])")
    assert page.locator("h1").first.bounding_box()["y"] < PHONE["height"] / 2
    page.fill("#search", "sink")
    page.wait_for_selector("#found a")
    box = page.locator("#found").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= PHONE["width"]


def test_views_live_on_the_site(open_page):
    page = open_page("notebooks/02_surface_patterns")
    page.wait_for_selector(".bertattn-view[data-live=true]")
    assert page.locator(".bertattn-view:not([data-live=true])").count() == 0


@pytest.mark.parametrize("name", ["index", "docs/TEACHING", "notebooks/01_attention_maps"])
def test_nothing_keeps_readers_out(open_page, dark, name):
    page = open_page(name, dark=dark)
    page.wait_for_selector("form.search:not([hidden])")
    page.fill("#search", "sink")
    page.wait_for_selector("#found a")
    assert axe_faults(page) == []
