"""How large pages of views are, and how soon they live, in headless Chromium."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple

N_LAYERS, N_HEADS = 12, 12


class Measured(NamedTuple):
    """One page.

    Attributes:
        what: What it shows.
        megabytes: Its size.
        seconds: From navigation until the view lives.
        blocked: Seconds that the main thread was blocked at most, acts included.
    """

    what: str
    megabytes: float
    seconds: float
    blocked: float


def pages(rounds: int) -> Iterator[Measured]:
    """Measure all pages."""
    from playwright.sync_api import sync_playwright

    from tests.browser.chromium import found_or_installed
    from tests.browser.conftest import ARGUMENTS
    from tests.browser.planted import large

    with sync_playwright() as driver, tempfile.TemporaryDirectory() as folder:
        browser = driver.chromium.launch(executable_path=found_or_installed(), args=ARGUMENTS)
        for n, is_sparse in [(128, False), (128, True), (512, False)]:
            view = large(n, N_LAYERS, N_HEADS, is_sparse)
            path = view.to_html(Path(folder) / "view.html")
            found = [_opened(browser, path) for _ in range(rounds)]
            yield Measured(
                f"{N_LAYERS} x {N_HEADS} heads, {n} tokens, "
                f"{'most weights near 0' if is_sparse else 'weights at random'}",
                path.stat().st_size / 1e6,
                median(seconds for seconds, _ in found),
                median(blocked for _, blocked in found),
            )
        browser.close()


def _opened(browser: object, path: Path) -> tuple[float, float]:
    """Seconds to life, and the longest block while a reader opens a head and changes its form."""
    from tests.browser.looking import TIMES, longest_task, menu, seconds_to_life

    page = browser.new_page()
    page.add_init_script(TIMES)
    page.goto(path.as_uri())
    seconds = seconds_to_life(page)
    page.locator(".ba-thumb").last.click()
    page.get_by_label("lines from").fill("0")
    menu(page, "as").select_option("matrix")
    blocked = longest_task(page)
    page.close()
    return seconds, blocked
