"""Section 4.3: attention heads as finders of antecedents."""

from bertattn.coref import rules
from bertattn.coref.counts import DIRECTIONS, CorefCounts, Guesses
from bertattn.coref.items import CANDIDATES, DISTANCES
from bertattn.coref.null import Null, shuffle_entities
from bertattn.coref.scores import ALL, Score, score
from bertattn.coref.windows import Window, Windows, window

__all__ = [
    "ALL",
    "CANDIDATES",
    "DIRECTIONS",
    "DISTANCES",
    "CorefCounts",
    "Guesses",
    "Null",
    "Score",
    "Window",
    "Windows",
    "rules",
    "score",
    "shuffle_entities",
    "window",
]
