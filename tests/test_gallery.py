import re

import pytest

from bertattn.views.gallery import gallery, main


def test_the_gallery_holds_every_view_and_needs_nothing_else(tmp_path):
    page = gallery(tmp_path / "gallery.html", n_sentences=120).read_text()
    kinds = re.findall(r'data-view="(\w+)"', page)
    assert kinds == ["heads", "model", "map", "tree", "coref", "clusters"]
    assert page.count("<h2>") == len(kinds)
    assert page.count('<img alt="') == len(kinds)
    assert not re.search(r"src=\"(?!data:)|<link|@import", page)
    assert len(page) < 2_000_000


def test_a_model_that_is_not_there_is_one_sentence(tmp_path):
    with pytest.raises(SystemExit, match="no-such-folder"):
        main(["--to", str(tmp_path / "g.html"), "--model", str(tmp_path / "no-such-folder")])
    assert not list(tmp_path.iterdir())
