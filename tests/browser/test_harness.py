"""The harness itself: each guard is shown a fault and must see it."""

import sys

import pytest

from tests.browser import chromium
from tests.browser.looking import (
    TIMES,
    Focused,
    Watch,
    axe_faults,
    focus_order,
    longest_task,
)

GOOD = """<!doctype html><html lang="en"><title>Page</title><main><h1>Page</h1>
<button>One</button> <label>Two <select><option>a<option>b</select></label>
<a href="#three" aria-label="Three">3</a><div tabindex="-1">Four</div></main></html>"""


@pytest.fixture
def written(tmp_path):
    def write(text):
        path = tmp_path / "page.html"
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture
def watched(new_context, written):
    """Opens a page whose faults are looked at and not raised."""

    def open_(text):
        path = written(text)
        context = new_context()
        context.set_offline(True)
        context.add_init_script(TIMES)
        watch = Watch((path.as_uri(),))
        page = watch.over(context.new_page())
        page.goto(path.as_uri())
        page.wait_for_timeout(100)
        return page, watch

    return open_


def test_a_good_page_has_no_fault(open_file, written, dark):
    page = open_file(written(GOOD), dark=dark)
    assert axe_faults(page) == []
    wanted = "dark" if dark else "light"
    assert page.evaluate(f"matchMedia('(prefers-color-scheme: {wanted})').matches")


def test_what_a_script_throws_is_seen(watched):
    assert watched(GOOD + "<script>nothing()</script>")[1].faults == [
        "error: nothing is not defined"
    ]


def test_what_is_said_as_an_error_is_seen(watched):
    assert watched(GOOD + "<script>console.error('no')</script>")[1].faults == ["said: no"]


@pytest.mark.parametrize(
    "leaves",
    [
        '<img src="http://127.0.0.1:9/a.png" alt="">',
        '<link rel="stylesheet" href="http://127.0.0.1:9/a.css">',
        '<script src="http://127.0.0.1:9/a.js"></script>',
        "<script>fetch('http://127.0.0.1:9/a').catch(() => 0)</script>",
        "<script>new WebSocket('ws://127.0.0.1:9/a')</script>",
        '<img src="another.png" alt="">',
    ],
)
def test_what_leaves_the_page_is_seen(watched, leaves):
    _, watch = watched(GOOD + leaves)
    assert [fault for fault in watch.faults if fault.startswith("left the page: ")]


def test_what_is_inside_the_page_does_not_leave_it(watched):
    inside = '<img alt="" src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">'
    script = "<script>fetch(URL.createObjectURL(new Blob(['a'])))</script>"
    assert watched(GOOD + inside + script)[1].faults == []


def test_pale_text_and_unnamed_controls_are_seen(open_file, written):
    pale = '<p style="color: #bbb; background: #fff">pale</p><button></button>'
    faults = axe_faults(open_file(written(GOOD.replace("</main>", f"{pale}</main>"))))
    assert sorted(fault.partition(":")[0] for fault in faults) == ["button-name", "color-contrast"]
    faults = axe_faults(open_file(written(GOOD.replace("</main>", f"{pale}</main>"))), "h1")
    assert faults == []


def test_the_order_of_focus_is_what_tab_reaches(open_file, written):
    order = [Focused("button", "One"), Focused("combobox", "Two"), Focused("link", "Three")]
    assert focus_order(open_file(written(GOOD))) == order


def test_a_page_that_freezes_is_timed(watched):
    busy = "<script>const end = performance.now() + 300; while (performance.now() < end);</script>"
    assert 0.3 <= longest_task(watched(GOOD + busy)[0]) < 2
    assert longest_task(watched(GOOD)[0]) < 0.3


def test_without_scripts_nothing_runs(open_file, written):
    text = GOOD.replace("</h1>", "</h1><script>document.title = 'ran'</script>")
    assert open_file(written(text)).title() == "ran"
    assert open_file(written(text), scripts=False).title() == "Page"


def test_chromium_is_the_one_that_is_named(tmp_path):
    assert chromium.find({"BERTATTN_CHROMIUM": sys.executable, "PATH": ""}) == sys.executable
    with pytest.raises(SystemExit, match="wants a program, got 'nowhere'; install Chromium"):
        chromium.find({"BERTATTN_CHROMIUM": "nowhere", "PATH": ""})


def test_chromium_is_the_first_on_the_path(tmp_path):
    assert chromium.find({"PATH": str(tmp_path)}) is None
    for name in ("google-chrome", "chromium"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
        assert chromium.find({"PATH": str(tmp_path)}) == str(tmp_path / name)


def test_without_chromium_a_sentence_says_what_to_do(monkeypatch):
    monkeypatch.setattr(chromium.os, "geteuid", lambda: 1000)
    with pytest.raises(SystemExit, match=r"found none: install Chromium \(Debian: apt-get"):
        chromium.install()


def test_what_apt_get_says_is_passed_on(monkeypatch, tmp_path):
    (tmp_path / "apt-get").write_text("#!/bin/sh\necho no network >&2\nexit 100\n")
    (tmp_path / "apt-get").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    monkeypatch.setattr(chromium.os, "geteuid", lambda: 0)
    with pytest.raises(SystemExit, match=r"apt-get update failed \(no network\); install Chromium"):
        chromium.install()
