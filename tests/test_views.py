import pytest
from IPython.core.displaypub import CapturingDisplayPublisher
from IPython.core.interactiveshell import InteractiveShell

from bertattn import plots
from bertattn.heads import all_heads
from bertattn.views import menus
from bertattn.views.controls import Menus, linked

WIDGET = "application/vnd.jupyter.widget-view+json"


@pytest.fixture
def published(monkeypatch):
    """What would be shown in a notebook."""
    shell = InteractiveShell.instance()
    publisher = CapturingDisplayPublisher()
    monkeypatch.setattr(shell, "display_pub", publisher)
    yield publisher.outputs
    InteractiveShell.clear_instance()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_menus_show_controls_then_the_first_picture(published, toy_map):
    menus(plots.attention_lines, toy_map, attn_head=all_heads(2, 3))
    assert len(published) == 2
    assert WIDGET in published[0]["data"]
    assert (
        published[0]["data"]["text/plain"] == "[menus: attention head - run this cell to use them]"
    )
    assert "head 1-1" in published[1]["data"]["text/plain"]
    assert not published[1].get("update")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_choosing_replaces_the_picture_in_place(published, toy_map):
    controls = Menus(attn_head=all_heads(2, 3))
    linked(controls, plots.attention_lines, toy_map)
    assert [text for text, _ in controls.dropdowns["attn_head"].options][:2] == ["1-1", "1-2"]
    controls.dropdowns["attn_head"].value = all_heads(2, 3)[4]
    assert len(published) == 3
    assert published[2]["update"]
    assert published[2]["transient"] == published[1]["transient"]
    assert "head 2-2" in published[2]["data"]["text/plain"]


def test_a_menu_with_nothing_in_it_is_refused(toy_map):
    with pytest.raises(ValueError, match="nothing to choose from in the menu 'attn_head'"):
        menus(plots.attention_lines, toy_map, attn_head=[])
