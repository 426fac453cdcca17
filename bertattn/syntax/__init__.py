"""Section 4.2: attention heads as predictors of dependency relations."""

from bertattn.syntax import rules
from bertattn.syntax.arcs import DIRECTIONS, Direction
from bertattn.syntax.counts import Guesses, Options, SyntaxCounts
from bertattn.syntax.predictions import governors

__all__ = [
    "DIRECTIONS",
    "Direction",
    "Guesses",
    "Options",
    "SyntaxCounts",
    "governors",
    "rules",
]
