"""How figures look, how they are shown and saved.

Colours are Okabe and Ito's, which readers with any colour vision can tell apart, and each
thing keeps its colour and its marker in every figure.
"""

import base64
import io
import warnings
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bertattn.files import replacing


class Mark(NamedTuple):
    """The colour, the marker and the line by which a thing is known."""

    colour: str
    marker: str
    line: str = "-"


MARKS = {
    "to_start": Mark("#0072B2", "o"),
    "to_separator": Mark("#D55E00", "s", "--"),
    "to_punctuation": Mark("#009E73", "^", "-."),
    "to_self": Mark("#CC79A7", "D", "-."),
    "to_next": Mark("#E69F00", ">", "--"),
    "to_previous": Mark("#56B4E9", "<"),
    "to_first": Mark("#0072B2", "h"),
    "to_mask": Mark("#CC79A7", "*", "-."),
    "to_other": Mark("#000000", "X"),
    "to_one_other": Mark("#E69F00", "v", "--"),
    "from_separator": Mark("#D55E00", "P"),
    "from_others": Mark("#000000", "X", "--"),
    "entropy": Mark("#0072B2", "o"),
    "start_entropy": Mark("#D55E00", "s"),
    "accuracy": Mark("#0072B2", "o"),
    "held_out": Mark("#0072B2", "D"),
    "offset_accuracy": Mark("#E69F00", "^"),
    "nearest_accuracy": Mark("#009E73", "s"),
    "random": Mark("#000000", "x"),
}
SEQUENTIAL = "viridis"


def set_theme() -> None:
    """The suite's look: legible at a notebook's width, black on white in light and dark."""
    sns.set_theme(context="notebook", style="ticks", font="DejaVu Sans")
    matplotlib.rcParams.update(
        {
            "figure.dpi": 100,
            "savefig.dpi": 100,
            "figure.facecolor": "white",
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.titlesize": "medium",
            "legend.frameon": False,
            "figure.constrained_layout.h_pad": 0.08,
            "pdf.fonttype": 42,
            "svg.fonttype": "path",
            "svg.hashsalt": "bertattn",
        }
    )


def new_axes(width: float, height: float, n_columns: int = 1, n_rows: int = 1) -> list[Axes]:
    """Axes on a new figure, row by row, in inches, outside pyplot's list of figures."""
    figure = Figure(figsize=(width, height), layout="constrained")
    return list(figure.subplots(n_rows, n_columns, squeeze=False).flat)


def _figure(axes: Axes) -> Figure:
    figure = axes.get_figure(root=True)
    assert figure is not None, "axes without a figure"
    return figure


def describe(axes: Axes, alt: str, signature: str = "") -> Axes:
    """Give a figure its text for those who cannot see it, and its signature in small print."""
    figure = _figure(axes)
    figure.set_label(alt)
    if signature:
        figure.supxlabel(signature, fontsize=6, color="0.35", x=0.995, ha="right")
    return axes


@dataclass(frozen=True, eq=False)
class Picture:
    """A figure as a notebook keeps it: a PNG with a text that says what it shows."""

    figure: Figure

    @property
    def alt(self) -> str:
        """The text."""
        return str(self.figure.get_label())

    @cached_property
    def png(self) -> bytes:
        """The picture in at most 256 colours, the same bytes for the same figure."""
        from PIL import Image

        drawn = io.BytesIO()
        with warnings.catch_warnings():  # a letter that the font lacks is drawn as a box
            warnings.filterwarnings("ignore", r"Glyph .* missing from font", UserWarning)
            self.figure.savefig(drawn, format="png", bbox_inches="tight", pad_inches=0.08)
        image = Image.open(drawn).convert("RGB")
        small = io.BytesIO()
        image.quantize(256, dither=Image.Dither.NONE).save(small, format="PNG", optimize=True)
        return small.getvalue()

    @property
    def source(self) -> str:
        """The picture as an address that holds it, for HTML."""
        return f"data:image/png;base64,{base64.b64encode(self.png).decode()}"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> tuple[dict, dict]:
        return {"image/png": self.png, "text/plain": self.alt}, {"image/png": {"alt": self.alt}}

    def __repr__(self) -> str:
        return self.alt


def cut(text: str, n: int = 20) -> str:
    """A text of at most ``n`` letters, for there are tokens of thousands.

    Example:
        >>> cut("abcde", 4)
        'abc…'
    """
    return text if len(text) <= n else f"{text[: n - 1]}…"


def show(axes: Axes) -> Picture:
    """The figure that these axes belong to, to stand at the end of a cell."""
    return Picture(_figure(axes))


def save(axes: Axes, path: Path) -> list[Path]:
    """Write a figure as PDF and SVG, its fonts embedded; ``path`` has no ending."""
    paths = [path.with_name(f"{path.name}.{ending}") for ending in ("pdf", "svg")]
    for target in paths:
        metadata = {"CreationDate": None} if target.suffix == ".pdf" else {"Date": None}
        with replacing(target) as file:
            _figure(axes).savefig(
                file, format=target.suffix[1:], metadata=metadata, bbox_inches="tight"
            )
    return paths
