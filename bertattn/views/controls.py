"""Menus and text boxes that change a picture."""

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import ipywidgets
from IPython.display import display
from matplotlib.axes import Axes

from bertattn.plots import Picture, show
from bertattn.views.page import View

Drawn = Axes | View
_ids = count(1)


class Menus:
    """A row of menus and text boxes; without a running kernel it says in words what it was."""

    def __init__(self, **options: Sequence[Any]) -> None:
        empty = [name for name, choices in options.items() if not len(choices)]
        if empty:
            raise ValueError(f"nothing to choose from in the menu {empty[0]!r}")
        self.controls = {name: _control(name, choices) for name, choices in options.items()}
        self.box = ipywidgets.HBox(
            list(self.controls.values()), layout=ipywidgets.Layout(flex_flow="row wrap")
        )

    @property
    def chosen(self) -> dict[str, Any]:
        """The present choice of each menu, the present text of each box."""
        return {name: control.value for name, control in self.controls.items()}

    def on_change(self, callback: Callable[[], None]) -> None:
        """Call back whenever a reader chooses, or ends a text with Enter or by leaving it."""
        for control in self.controls.values():
            control.observe(lambda _: callback(), names="value")

    def _repr_mimebundle_(self, **formats: Any) -> dict[str, Any]:
        names = ", ".join(control.description for control in self.controls.values())
        words = f"[menus: {names} - run this cell to use them]"
        return {**self.box._repr_mimebundle_(**formats), "text/plain": words}


def _control(name: str, choices: Sequence[Any]) -> Any:
    description = name.replace("attn_head", "attention head").replace("_", " ")
    style = {"description_width": "initial"}
    if isinstance(choices, str):
        return ipywidgets.Text(
            value=choices,
            description=description,
            style=style,
            continuous_update=False,
            layout=ipywidgets.Layout(width="40em", max_width="95%"),
        )
    options = [(str(option), option) for option in choices]
    return ipywidgets.Dropdown(options=options, description=description, style=style)


class Refusal:
    """What was wrong with a reader's choice, in the place of the picture."""

    def __init__(self, error: Exception) -> None:
        self._text = f"Nothing to show: {error}"

    def __repr__(self) -> str:
        return self._text


def menus(draw: Callable[..., Drawn], *fixed: Any, **options: Sequence[Any]) -> None:
    """Show a picture or a view with a menu for each keyword argument of what draws it.

    It is replaced in place when a reader chooses; while the notebook runs it is drawn once, from
    the first option of each menu. What cannot be drawn later, such as an empty text, is answered
    with a sentence.

    Args:
        draw: Makes the picture or the view.
        *fixed: Its positional arguments.
        **options: What each menu offers; a text becomes a box to type in.

    Raises:
        ValueError: If a menu has nothing to choose from.

    Example:
        ``menus(plots.attention_lines, attention, attn_head=all_heads(6, 12))``
    """
    linked(Menus(**options), draw, *fixed)


def linked(controls: Menus, draw: Callable[..., Drawn], *fixed: Any) -> None:
    """Show menus and the picture that follows them."""
    display(controls)
    picture = display(
        _shown(draw(*fixed, **controls.chosen)), display_id=f"bertattn-menus-{next(_ids)}"
    )
    if picture is not None:
        controls.on_change(lambda: picture.update(_tried(draw, *fixed, **controls.chosen)))


def _shown(drawn: Drawn) -> View | Picture:
    return drawn if isinstance(drawn, View) else show(drawn)


def _tried(draw: Callable[..., Drawn], *fixed: Any, **chosen: Any) -> View | Picture | Refusal:
    """What a choice gives; an error would be lost in a log, so it is shown."""
    try:
        return _shown(draw(*fixed, **chosen))
    except Exception as error:
        return Refusal(error)
