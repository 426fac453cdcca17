"""A talk, opened from a file: keys, buttons, paper, and what a screen reader is told."""

import pytest
from playwright.sync_api import expect

from tests.browser.looking import SCREENSHOTS, axe_faults
from tests.conftest import ROOT
from tests.sources import build, load

slides = load("slides")


@pytest.fixture(scope="module")
def talk(tmp_path_factory):
    """The slides of a notebook that is kept."""
    kept = next(ROOT.glob("notebooks/02_*.ipynb"))
    path = tmp_path_factory.mktemp("slides") / "02.html"
    path.write_text(slides.page(build.nbformat.read(kept, as_version=4)), encoding="utf-8")
    return path


def here(page):
    return page.get_by_role("status").filter(has_text="Slide").inner_text()


def test_keys_and_buttons_lead_through_a_talk(open_file, talk):
    page = open_file(talk)
    n_slides = page.locator("section").count()
    assert here(page) == f"Slide 1 of {n_slides}"
    page.keyboard.press("ArrowRight")
    assert here(page) == f"Slide 2 of {n_slides}"
    page.keyboard.press("ArrowLeft")
    assert here(page) == f"Slide 1 of {n_slides}"
    page.keyboard.press("End")
    assert here(page) == f"Slide {n_slides} of {n_slides}"
    page.keyboard.press("ArrowRight")
    assert here(page) == f"Slide {n_slides} of {n_slides}"
    page.get_by_role("button", name="Back").click()
    assert here(page) == f"Slide {n_slides - 1} of {n_slides}"
    assert page.url.endswith(f"#{n_slides - 1}")


def test_one_slide_is_seen_at_a_time_and_has_the_focus(open_file, talk):
    page = open_file(talk)
    page.keyboard.press("ArrowRight")
    expect(page.locator("section:visible")).to_have_count(1)
    expect(page.locator("section:visible")).to_be_focused()
    expect(page.locator("section:visible h2")).to_have_text("What would you expect?¶")


def test_what_is_said_about_an_output_comes_after_it(open_file, talk):
    page = open_file(talk)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    said = page.locator("section:visible .fragment").first
    expect(said).to_be_hidden()
    place = here(page)
    page.keyboard.press("ArrowRight")
    expect(said).to_be_visible()
    assert here(page) == place


def test_keys_within_a_view_are_the_views(open_file, talk):
    page = open_file(talk)
    for number in range(1, page.locator("section").count() + 1):
        page.goto(f"{talk.as_uri()}#{number}")
        if page.locator("section:visible .bertattn-view").count():
            break
    page.locator("section:visible .bertattn-view select").first.focus()
    place = here(page)
    page.keyboard.press("ArrowRight")
    assert here(page) == place


def test_on_paper_every_slide_is_printed(open_file, talk):
    page = open_file(talk)
    page.emulate_media(media="print")
    expect(page.locator("section:visible")).to_have_count(page.locator("section").count())
    expect(page.get_by_role("button", name="Next")).to_be_hidden()


def test_without_scripts_all_slides_stand_below_one_another(open_file, talk):
    page = open_file(talk, scripts=False)
    expect(page.locator("section:visible")).to_have_count(page.locator("section").count())


def test_a_talk_has_no_serious_fault_of_access(open_file, talk, dark):
    page = open_file(talk, dark=dark)
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    for number in (1, 4, 5):
        page.goto(f"{talk.as_uri()}#{number}")
        assert axe_faults(page) == []
        page.screenshot(path=SCREENSHOTS / f"slides-{number}-{'dark' if dark else 'light'}.png")
