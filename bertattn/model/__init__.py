"""The only place that loads a model."""

from bertattn.model.capture import AttentionModel
from bertattn.model.loading import check_sha256, load, random_init
from bertattn.model.taps import ModelError

__all__ = ["AttentionModel", "ModelError", "check_sha256", "load", "random_init"]
