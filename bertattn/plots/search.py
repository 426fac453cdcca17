"""Hits of a query as lines of text."""

from matplotlib.axes import Axes

from bertattn.plots.theme import describe, new_axes
from bertattn.search import Example, Found
from bertattn.tables import around_of

LOOKS, SEEN = "#0072B2", "#D55E00"
FONT = "DejaVu Sans Mono"  # letters of one width, so that words can be placed by counting
SIZE = 9
INCHES = 0.081  # of a letter: whole dots at 100 an inch
AROUND = 5
BAR = 14
GAP = "…"


def hits(found: Found, signature: str = "") -> Axes:
    """The clearest hits of a query, a line each: a bar for the weight, and the words around.

    The word that looks is bold and blue, with a line under it; the one that it looks at is bold and
    orange, in brackets.

    Args:
        found: What was found (``search.find``).
        signature: How, if the figure is to say so.
    """
    lines = [_words(hit) for hit in found.examples]
    longest = max((sum(len(text) + 1 for text, _ in line) for line in lines), default=40)
    n_letters = BAR + longest + 2
    axes = new_axes(max(n_letters * INCHES, 5.0), 0.26 * max(len(lines), 1) + 0.9)[0]
    for row, (hit, line) in enumerate(zip(found.examples, lines, strict=True)):
        axes.barh(row, (BAR - 7) * hit.weight, height=0.6, color="0.8")
        axes.text(BAR - 2, row, f"{hit.weight:.2f}", ha="right", va="center", fontsize=SIZE)
        _line(axes, line, row)
    if not lines:
        axes.text(0, 0, "no hit", va="center", fontsize=SIZE)
    axes.set(xlim=(0, max(n_letters, 5.0 / INCHES)), ylim=(max(len(lines), 1) - 0.4, -0.6))
    axes.axis("off")
    counts = f"{found.n_hits} of {found.n_asked} pairs, {found.n_hit_sentences} sentences"
    axes.set_title(f"{found.query}: {counts}", fontsize=10, loc="left", parse_math=False)
    first = "; ".join(_said(hit) for hit in found.examples[:3])
    alt = f"Hits of the query {found.query}: {counts}. First: {first or 'none'}."
    return describe(axes, alt, signature)


def _line(axes: Axes, line: list[tuple[str, str]], row: int) -> None:
    place = float(BAR)
    for text, role in line:
        axes.text(
            place, row, text, va="center", fontsize=SIZE, family=FONT, parse_math=False,
            weight="bold" if role else "normal", color={"": "0.15"}.get(role, role),
        )  # fmt: skip
        if role == LOOKS:
            axes.plot([place, place + len(text)], [row + 0.36] * 2, color=LOOKS, linewidth=1)
        place += len(text) + 1


def _words(hit: Example) -> list[tuple[str, str]]:
    """The words around a hit, each with its colour; what lies between far ones is left out."""
    return [(GAP, "") if place is None else _word(hit, place) for place in around_of(hit, AROUND)]


def _word(hit: Example, place: int) -> tuple[str, str]:
    text = f"[{hit.words[place]}]" if place == hit.to_word else hit.words[place]
    if place == hit.from_word:
        return text, LOOKS
    return text, SEEN if place == hit.to_word else ""


def _said(hit: Example) -> str:
    to = "" if hit.to_word is None else f" to {hit.words[hit.to_word]!r}"
    return f"{hit.words[hit.from_word]!r}{to} {hit.weight:.2f}"
