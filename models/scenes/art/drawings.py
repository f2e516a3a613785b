"""Our own pictograms: `drawings.yaml` for every split, `models/assets/designs` for training alone."""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from pathlib import Path

import yaml

DESIGNS = Path(__file__).parents[2] / "assets" / "designs"


def read_drawings() -> dict[str, tuple[str, ...]]:
    """SVG bodies by class, each a variant; `{w}` stands for the line width."""
    return _read(Path(__file__).with_name("drawings.yaml"))


@lru_cache(maxsize=1)
def read_designs() -> dict[str, tuple[str, ...]]:
    """More of them by class, from a folder: for the training split, for which packages have too few."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted(DESIGNS.glob("*.yaml")):
        for name, bodies in _read(path).items():
            found[name] += bodies
    return {name: tuple(bodies) for name, bodies in found.items()}


def _read(path: Path) -> dict[str, tuple[str, ...]]:
    return {name: tuple(bodies) for name, bodies in yaml.safe_load(path.read_text(encoding="utf-8")).items()}


DRAWINGS = read_drawings()


def svg_of(body: str, line_width: float) -> str:
    """A whole SVG document around one drawing; the margin leaves room for rays and open shackles."""
    filled = body.replace("{w}", f"{line_width:g}")
    box = 'viewBox="-16 -18 132 134" width="132" height="134"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {box}>{filled}</svg>'
