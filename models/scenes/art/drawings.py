"""Our own pictograms, as `drawings.yaml` has them."""

from __future__ import annotations

from pathlib import Path

import yaml


def read_drawings() -> dict[str, tuple[str, ...]]:
    """SVG bodies by class, each a variant; `{w}` stands for the line width."""
    path = Path(__file__).with_name("drawings.yaml")
    return {name: tuple(bodies) for name, bodies in yaml.safe_load(path.read_text(encoding="utf-8")).items()}


DRAWINGS = read_drawings()


def svg_of(body: str, line_width: float) -> str:
    """A whole SVG document around one drawing; the margin leaves room for rays and open shackles."""
    filled = body.replace("{w}", f"{line_width:g}")
    box = 'viewBox="-16 -18 132 134" width="132" height="134"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {box}>{filled}</svg>'
