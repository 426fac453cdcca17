"""Section 4.2: attention heads as predictors of dependency relations."""

from bertattn.syntax import rules
from bertattn.syntax.arcs import DIRECTIONS, PUNCTUATION, Direction, possessor_asks
from bertattn.syntax.counts import Options, SyntaxCounts
from bertattn.syntax.guesses import Guesses, examples
from bertattn.syntax.null import Null, swap_maps
from bertattn.syntax.predictions import governors
from bertattn.syntax.questions import ALL, Questions, gains, known_to, questions
from bertattn.syntax.scores import Baseline, Score, scores
from bertattn.syntax.silver import Checked, checked_part

__all__ = [
    "ALL",
    "DIRECTIONS",
    "PUNCTUATION",
    "Baseline",
    "Checked",
    "Direction",
    "Guesses",
    "Null",
    "Options",
    "Questions",
    "Score",
    "SyntaxCounts",
    "checked_part",
    "examples",
    "gains",
    "governors",
    "known_to",
    "possessor_asks",
    "questions",
    "rules",
    "scores",
    "swap_maps",
]
