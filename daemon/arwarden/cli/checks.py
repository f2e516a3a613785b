"""What a check of ``doctor`` says."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Check:
    """The outcome of one check, with what to do where it is not ok."""

    name: str
    status: str
    """ok, warn or fail."""
    detail: str
    fix: str = ""
