"""Section 5: trained combinations of heads that predict whole dependency trees."""

from bertattn.probes.data import Parts, ProbeData, parts
from bertattn.probes.maps import Uniform, word_maps
from bertattn.probes.networks import AttentionAndWords, AttentionOnly, WordsAndDistances
from bertattn.probes.predictions import Counts, Prediction, spread
from bertattn.probes.results import (
    Result,
    Run,
    baselines,
    evaluated,
    random_init,
    settings,
    structural,
    uniform,
)
from bertattn.probes.store import CacheError
from bertattn.probes.training import Trained, TrainingError, search, train

__all__ = [
    "AttentionAndWords",
    "AttentionOnly",
    "CacheError",
    "Counts",
    "Parts",
    "Prediction",
    "ProbeData",
    "Result",
    "Run",
    "Trained",
    "TrainingError",
    "Uniform",
    "WordsAndDistances",
    "baselines",
    "evaluated",
    "parts",
    "random_init",
    "search",
    "settings",
    "spread",
    "structural",
    "train",
    "uniform",
    "word_maps",
]
