"""What all views have in common: a picture and a table, and a script that brings them to life.

In a notebook a view is HTML that stands alone. Where scripts are refused, picture and table
remain. Nothing is ever fetched.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any, Literal

from matplotlib.axes import Axes

from bertattn.files import replacing
from bertattn.plots import Picture, show
from bertattn.views.packing import pack

Kind = Literal["heads", "model", "map", "tree", "coref", "clusters"]
HERE = Path(__file__).parent
LETTERS = 200  # of a cell of the table


@dataclass(frozen=True, eq=False)
class View:
    """Something to look at, in a notebook, in a file, as a picture.

    Attributes:
        kind: Which of the script's views it is.
        data: What the script is given; ``title`` names the view, ``notice`` says what is left out.
        draw: Draws the picture that stands where scripts do not run.
        columns: The names of the table's columns.
        rows: The table's cells.
        maps: Codes of weights.
        caption: What the table holds, if it is not all of what the title says.
    """

    kind: Kind
    data: Mapping[str, Any]
    draw: Callable[[], Axes]
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    maps: bytes = field(default=b"", repr=False)
    caption: str = ""

    @cached_property
    def picture(self) -> Picture:
        """The picture, with a text for those who cannot see it."""
        return show(self.draw())

    @property
    def html(self) -> str:
        """A part of a page, which needs nothing from elsewhere."""
        still = f'<img alt="{escape(self.picture.alt)}" src="{self.picture.source}">'
        script = (HERE / "view.js").read_text("utf-8")
        style = (HERE / "view.css").read_text("utf-8")
        return (
            f'<div class="bertattn-view" data-view="{self.kind}"><style>{style}</style>'
            f'<div class="ba-still">{still}{self._notice}{self._table}</div>'
            f'<script type="text/plain" class="ba-data">{pack(self.data, self.maps)}</script>'
            f'<script type="module">{script}</script></div>'
        )

    @property
    def _notice(self) -> str:
        notice = self.data.get("notice", "")
        return f'<p class="ba-notice">{escape(notice)}</p>' if notice else ""

    @property
    def _table(self) -> str:
        header = "".join(f'<th scope="col">{escape(name)}</th>' for name in self.columns)
        body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in self.rows)
        what = escape(self.caption or str(self.data["title"]))
        return (
            f"<details><summary>{what}: as a table</summary>"
            f"<table><thead><tr>{header}</tr></thead><tbody>{body}</tbody></table></details>"
        )

    def _repr_mimebundle_(
        self, include: Any = None, exclude: Any = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        data = {"text/html": self.html, "image/png": self.picture.png, "text/plain": repr(self)}
        return data, {"image/png": {"alt": self.picture.alt}}

    def __repr__(self) -> str:
        return self.picture.alt

    def to_html(self, path: Path | str) -> Path:
        """Write a page that stays interactive without a network."""
        return write_page(Path(path), str(self.data["title"]), self.html)

    def to_png(self, path: Path | str) -> Path:
        """Write the picture."""
        with replacing(Path(path)) as file:
            file.write(self.picture.png)
        return Path(path)

    def to_svg(self, path: Path | str) -> Path:
        """Write the picture as SVG, letters as shapes."""
        with replacing(Path(path)) as file:
            self.picture.figure.savefig(
                file, format="svg", metadata={"Date": None}, bbox_inches="tight"
            )
        return Path(path)


def write_page(path: Path, title: str, body: str) -> Path:
    """Write a page of its own around views."""
    page = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title>"
        "<style>:root{color-scheme:light dark}body{margin:1rem auto;max-width:75rem;padding:0 1rem;"
        "font:16px/1.5 system-ui,sans-serif;background:Canvas;color:CanvasText}</style></head>"
        f"<body><main><h1>{escape(title)}</h1>{body}</main></body></html>"
    )
    with replacing(path) as file:
        file.write(page.encode())
    return path


def _cell(text: str) -> str:
    short = text if len(text) <= LETTERS else f"{text[:LETTERS]}…"
    return f'<td dir="auto">{escape(short)}</td>'
