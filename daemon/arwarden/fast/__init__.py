"""The fast tier: reading, claims, contradictions, picture quality."""

from arwarden.fast.models import models_in_use
from arwarden.fast.tier import FastTier

__all__ = ["FastTier", "models_in_use"]
