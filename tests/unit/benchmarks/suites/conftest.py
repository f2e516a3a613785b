"""Figures of the suites are drawn small: most of a test's time is theirs."""

from __future__ import annotations

import pytest

from benchmarks.runs import output


@pytest.fixture(autouse=True)
def small_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "DPI", 30)
