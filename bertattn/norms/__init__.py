"""Beyond the paper: norms in place of weights, and rollout through the layers.

``NormModel`` shows what each token moves instead of how much it is looked at (Kobayashi et al.
2020), to any reducer; ``Rollout`` shows any reducer where a layer's tokens come from (Abnar and
Zuidema 2020). Which findings of the series hold by norms too is asked in ``series``.
"""

from bertattn.model import NormModel
from bertattn.norms.apart import ApartSums, apart
from bertattn.norms.findings import VERDICTS, Finding, Value, of_chosen, of_mean, verdict
from bertattn.norms.missed import WAYS, Agreement, agree, correlations, missed, nearness
from bertattn.norms.rollout import Rollout, rollout
from bertattn.norms.series import (
    of_clusters,
    of_coreference,
    of_probe,
    of_surface,
    of_syntax,
    same_distances,
    sink_of,
)

__all__ = [
    "VERDICTS",
    "WAYS",
    "Agreement",
    "ApartSums",
    "Finding",
    "NormModel",
    "Rollout",
    "Value",
    "agree",
    "apart",
    "correlations",
    "missed",
    "nearness",
    "of_chosen",
    "of_clusters",
    "of_coreference",
    "of_mean",
    "of_probe",
    "of_surface",
    "of_syntax",
    "rollout",
    "same_distances",
    "sink_of",
    "verdict",
]
