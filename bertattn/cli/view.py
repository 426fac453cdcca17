"""Attention of a text as a page or a picture."""

from argparse import Namespace

from bertattn import plots
from bertattn.model import load
from bertattn.views import HeadView, ModelView, View


def run(asked: Namespace) -> None:
    """Write the view and say where it is and what it shows."""
    plots.set_theme()
    attention = load(asked.model, device=asked.device).attention(asked.text, asked.second)
    view: View
    if asked.all:
        view = ModelView(attention, asked.level, asked.heads[0])
    else:
        view = HeadView(attention, asked.heads, asked.level, asked.form)
    writers = {".html": view.to_html, ".png": view.to_png, ".svg": view.to_svg}
    path = writers[asked.out.suffix.lower()](asked.out)
    print(view)
    print(f"{path}, {path.stat().st_size / 1e6:.1f} MB")
