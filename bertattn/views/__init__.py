"""What a reader can change while looking."""

from bertattn.views.menus import menus

__all__ = ["menus"]
