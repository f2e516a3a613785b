"""Fixtures that every kind of test uses."""

from __future__ import annotations

import pytest

from arwarden.core.clock import VirtualClock


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()
