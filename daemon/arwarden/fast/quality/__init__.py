"""Technical faults of the picture by classical measures, and what must not be called one."""

from arwarden.fast.quality.faults import QualityJudge, Threshold, read_thresholds
from arwarden.fast.quality.freeze import FreezeDetector
from arwarden.fast.quality.measures import measure
from arwarden.fast.quality.sizes import SizeWatch

__all__ = ["FreezeDetector", "QualityJudge", "SizeWatch", "Threshold", "measure", "read_thresholds"]
