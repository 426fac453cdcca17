"""The only place that loads a model."""

from bertattn.model.capture import AttentionModel
from bertattn.model.gradients import backward
from bertattn.model.interventions import Interventions
from bertattn.model.loading import load, random_init, why_not
from bertattn.model.mlm import MaskedHead, NoMaskedHeadError, masked_head
from bertattn.model.norms import NormModel
from bertattn.model.packaged import check_sha256
from bertattn.model.projections import output_slices
from bertattn.model.taps import ModelError

__all__ = [
    "AttentionModel",
    "Interventions",
    "MaskedHead",
    "ModelError",
    "NoMaskedHeadError",
    "NormModel",
    "backward",
    "check_sha256",
    "load",
    "masked_head",
    "output_slices",
    "random_init",
    "why_not",
]
