"""Which frames are worth looking at. Pure decisions, no asyncio."""

from arwarden.sampling.sampler import Sample, Sampler, SampleReason

__all__ = ["Sample", "SampleReason", "Sampler"]
