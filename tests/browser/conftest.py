"""One Chromium for the session, and pages that are watched."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from bertattn.views import View
from tests.browser import chromium
from tests.browser.lab import Lab, serving
from tests.browser.looking import TIMES, Watch

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
SECONDS = 20  # playwright waits no longer for anything


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as driver:
        started = driver.chromium.launch(
            executable_path=chromium.found_or_installed(), args=ARGUMENTS
        )
        yield started
        started.close()


@pytest.fixture
def new_context(browser: Browser) -> Iterator[Callable[..., BrowserContext]]:
    """Makes contexts whose waiting ends, and closes them."""
    made = []

    def make(*, dark: bool = False, **options: object) -> BrowserContext:
        context = browser.new_context(color_scheme="dark" if dark else "light", **options)
        context.set_default_timeout(SECONDS * 1000)
        made.append(context)
        return context

    yield make
    for context in made:
        context.close()


@pytest.fixture
def open_file(new_context: Callable[..., BrowserContext]) -> Iterator[Callable[..., Page]]:
    """Opens files without a network; a page that errs or asks for anything else fails the test."""
    watches = []

    def open_(path: Path, *, dark: bool = False, scripts: bool = True, **options: object) -> Page:
        context = new_context(dark=dark, java_script_enabled=scripts, **options)
        context.set_offline(True)
        context.add_init_script(TIMES)
        watches.append(Watch((path.as_uri(),)))
        page = watches[-1].over(context.new_page())
        page.goto(path.as_uri())
        return page

    yield open_
    assert [fault for watch in watches for fault in watch.faults] == []


@pytest.fixture
def open_view(open_file: Callable[..., Page], tmp_path: Path) -> Callable[..., Page]:
    """Opens a view as a page of its own and waits until it lives."""

    def open_(view: View, **options: object) -> Page:
        page = open_file(view.to_html(tmp_path / "view.html"), **options)
        page.wait_for_selector(".bertattn-view[data-live=true]")
        page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
        return page

    return open_


@pytest.fixture(params=[False, True], ids=["light", "dark"])
def dark(request: pytest.FixtureRequest) -> bool:
    return request.param


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with serving(tmp_path_factory.mktemp("lab")) as started:
        yield started


@pytest.fixture
def open_notebook(lab: Lab, new_context: Callable[..., BrowserContext]) -> Iterator[Callable]:
    """Opens a notebook in JupyterLab; what errs or leaves the server's origin fails the test."""
    watches = []

    def open_(name: str, *, dark: bool = False) -> Page:
        context = new_context(dark=dark, viewport={"width": 1200, "height": 900})
        watches.append(Watch((lab.origin, lab.origin.replace("http", "ws"))))
        page = watches[-1].over(context.new_page())
        lab.open(page, name)
        return page

    yield open_
    assert [fault for watch in watches for fault in watch.faults] == []
