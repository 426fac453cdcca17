def test_lab_runs(lab, open_notebook):
    from tests.browser.lab import run_all

    lab.write("trial", ["print(6 * 7)"])
    page = open_notebook("trial")
    run_all(page)
    assert page.locator(".jp-OutputArea-output").inner_text() == "42"
