"""Menus that change a picture."""

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import ipywidgets
from IPython.display import display
from matplotlib.axes import Axes

from bertattn.plots import show

_ids = count(1)


class Menus:
    """A row of dropdown menus; without a running kernel it says in words what it was."""

    def __init__(self, **options: Sequence[Any]) -> None:
        empty = [name for name, choices in options.items() if not len(choices)]
        if empty:
            raise ValueError(f"nothing to choose from in the menu {empty[0]!r}")
        self.dropdowns = {
            name: ipywidgets.Dropdown(
                options=[(str(option), option) for option in choices],
                description=name.replace("attn_head", "attention head").replace("_", " "),
                style={"description_width": "initial"},
            )
            for name, choices in options.items()
        }
        self.box = ipywidgets.HBox(list(self.dropdowns.values()))

    @property
    def chosen(self) -> dict[str, Any]:
        """The present choice of each menu."""
        return {name: dropdown.value for name, dropdown in self.dropdowns.items()}

    def on_change(self, callback: Callable[[], None]) -> None:
        """Call back whenever a reader chooses."""
        for dropdown in self.dropdowns.values():
            dropdown.observe(lambda _: callback(), names="value")

    def _repr_mimebundle_(self, **formats: Any) -> dict[str, Any]:
        names = ", ".join(dropdown.description for dropdown in self.dropdowns.values())
        words = f"[menus: {names} - run this cell to use them]"
        return {**self.box._repr_mimebundle_(**formats), "text/plain": words}


def menus(draw: Callable[..., Axes], *fixed: Any, **options: Sequence[Any]) -> None:
    """Show a picture with a menu for each keyword argument of what draws it.

    The picture is replaced in place when a reader chooses; while the notebook runs it is
    drawn once, from the first option of each menu.

    Args:
        draw: Makes the picture.
        *fixed: Its positional arguments.
        **options: What each menu offers.

    Raises:
        ValueError: If a menu has nothing to choose from.

    Example:
        ``menus(plots.attention_lines, attention, attn_head=all_heads(6, 12))``
    """
    linked(Menus(**options), draw, *fixed)


def linked(controls: Menus, draw: Callable[..., Axes], *fixed: Any) -> None:
    """Show menus and the picture that follows them."""
    display(controls)
    picture = display(
        show(draw(*fixed, **controls.chosen)), display_id=f"bertattn-menus-{next(_ids)}"
    )
    if picture is not None:
        controls.on_change(lambda: picture.update(show(draw(*fixed, **controls.chosen))))
