"""What a reader can change while looking."""

from bertattn.views.controls import menus

__all__ = ["menus"]
