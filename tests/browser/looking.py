"""What a page does and shows: faults, focus, accessibility, time."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page

from tests.conftest import ROOT

SCREENSHOTS = ROOT / "build" / "screenshots"
INNER = ("data:", "blob:", "about:")


@dataclass
class Watch:
    """Writes down a page's errors and every request that leaves it."""

    allowed: tuple[str, ...]
    ignored: Callable[[str], bool] = lambda text: False
    faults: list[str] = field(default_factory=list)

    def over(self, page: Page) -> Page:
        """Begin to watch."""
        page.on("pageerror", lambda error: self._note(f"error: {error}"))
        page.on("console", lambda said: said.type == "error" and self._note(f"said: {said.text}"))
        page.on("request", lambda request: self._asked(request.url))
        page.on("websocket", lambda socket: self._asked(socket.url))
        return page

    def _asked(self, url: str) -> None:
        if not url.startswith((*self.allowed, *INNER)):
            self._note(f"left the page: {url}")

    def _note(self, fault: str) -> None:
        if not self.ignored(fault):
            self.faults.append(fault)


def axe_faults(page: Page, within: str = "body") -> list[str]:
    """The serious and critical faults that axe-core finds, each with the elements that have it."""
    found = Axe().run(page, within).response["violations"]
    return [
        f"{fault['id']}: {node['target'][-1]}: {node['failureSummary']}"
        for fault in found
        if fault["impact"] in ("serious", "critical")
        for node in fault["nodes"]
    ]


@dataclass(frozen=True)
class Focused:
    """What has the focus, as assistive technology is told."""

    role: str
    name: str


def focused(page: Page) -> Focused:
    """Role and accessible name of what has the focus, from Chromium's accessibility tree."""
    session = page.context.new_cdp_session(page)
    element = session.send("Runtime.evaluate", {"expression": "document.activeElement"})
    which = {"objectId": element["result"]["objectId"], "fetchRelatives": False}
    node = session.send("Accessibility.getPartialAXTree", which)["nodes"][0]
    session.detach()
    name = node.get("name", {}).get("value", "").strip()  # some versions keep a blank at its end
    return Focused(node["role"]["value"], name)


def focus_order(page: Page, at_most: int = 60) -> list[Focused]:
    """What Tab reaches from the top of the page, until it leaves the page again."""
    page.evaluate("document.activeElement.blur()")
    order = []
    for _ in range(at_most):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement === document.body"):
            break
        order.append(focused(page))
    return order


SEEN = """([...document.querySelectorAll(".ba-body, .ba-status")].map((part) => part.innerHTML)
  .concat([...document.querySelectorAll(".ba-live canvas")].map((canvas) => canvas.toDataURL())))"""


def seen(page: Page) -> list[str]:
    """All that the views of a page show below their controls, canvases to the pixel."""
    return page.evaluate(SEEN)


def menu(page: Page, name: str) -> Locator:
    """The menu of this name."""
    return page.get_by_role("combobox", name=name, exact=True)


def said(page: Page) -> str:
    """What a screen reader was told last, of a page with one view or by the last of a view's."""
    return page.get_by_role("status").last.inner_text()


def screenshot(page: Page, name: str, within: str = "body") -> Path:
    """Keep what is seen, for a person to judge."""
    path = SCREENSHOTS / f"{name}.png"
    page.locator(within).first.screenshot(path=path)
    return path


TIMES = """
new MutationObserver((_, observer) => {
  if (!document.querySelector(".bertattn-view[data-live=true]")) return;
  window.lived = performance.now();
  observer.disconnect();
}).observe(document, { subtree: true, childList: true, attributeFilter: ["data-live"] });
window.longTasks = [];
new PerformanceObserver((list) => {
  window.longTasks.push(...list.getEntries().map((task) => task.duration));
}).observe({ type: "longtask", buffered: true });
"""


def seconds_to_life(page: Page) -> float:
    """Seconds from navigation to the first view that lives; needs ``TIMES`` before."""
    page.wait_for_function("window.lived")
    return page.evaluate("window.lived") / 1000


def longest_task(page: Page) -> float:
    """Seconds that the page's main thread was blocked at most; needs ``TIMES`` before."""
    page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))")
    return max(page.evaluate("window.longTasks"), default=0) / 1000
