"""Exercises that check themselves: the package is the answer key.

A stub that still returns ``...`` is "not tried yet" and never an error, so a notebook runs
from top to bottom before anyone has solved a thing.
"""

from bertattn.exercises.checking import ANSWERS, FUNCTIONS, check
from bertattn.exercises.predictions import predict, reveal
from bertattn.exercises.verdicts import Exercise, Verdict

__all__ = ["ANSWERS", "FUNCTIONS", "Exercise", "Verdict", "check", "predict", "reveal"]
