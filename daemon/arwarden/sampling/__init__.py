"""Which frames are worth looking at. Pure decisions, no asyncio."""

from arwarden.sampling.sampler import Sample, Sampler, SampleReason
from arwarden.sampling.share import FairShare
from arwarden.sampling.slot import LatestSlot

__all__ = ["FairShare", "LatestSlot", "Sample", "SampleReason", "Sampler"]
