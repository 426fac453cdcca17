"""Section 3: where attention goes by position, to separators and marks, and how broadly."""

from bertattn.surface.measures import MEASURES, SMOOTHING, at_offset, averages, defined, entropy
from bertattn.surface.sums import SurfaceResult, SurfaceSums, by_breadth, of_map

__all__ = [
    "MEASURES",
    "SMOOTHING",
    "SurfaceResult",
    "SurfaceSums",
    "at_offset",
    "averages",
    "by_breadth",
    "defined",
    "entropy",
    "of_map",
]
