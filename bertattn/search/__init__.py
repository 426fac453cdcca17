"""Sentences in which a head does something: its best and worst examples, hits, surprises."""

from bertattn.search.examples import N_EXAMPLES, Examples, Kept
from bertattn.search.matches import Found, Matches, find
from bertattn.search.queries import Query
from bertattn.search.shares import PARTS, Shares
from bertattn.search.shown import Example
from bertattn.search.surprises import Surprise, Surprises, divergence_terms
from bertattn.search.topics import BEHAVIOURS, Topic

__all__ = [
    "BEHAVIOURS",
    "N_EXAMPLES",
    "PARTS",
    "Example",
    "Examples",
    "Found",
    "Kept",
    "Matches",
    "Query",
    "Shares",
    "Surprise",
    "Surprises",
    "Topic",
    "divergence_terms",
    "find",
]
