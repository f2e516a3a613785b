"""The training split's own designs: all draw, none shows what is held out, no other split has them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import yaml

from models.assets.library import Library, read_classes
from models.assets.sources import Split
from models.scenes.art import glyphs
from models.scenes.art.drawings import DESIGNS, read_designs, svg_of
from models.scenes.art.glyph import Glyph
from models.scenes.art.glyphs import drawn_glyph, glyph_of, rasterise
from models.scenes.art.painter import paintable
from models.scenes.kinds import held_out_classes

FILES = sorted(DESIGNS.glob("*.yaml"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_design_draws(path: Path) -> None:
    for cls, bodies in yaml.safe_load(path.read_text(encoding="utf-8")).items():
        for number, body in enumerate(bodies):
            pixels = rasterise(svg_of(body, 6.5), 64)
            opaque = pixels[:, :, 3] > 127
            assert opaque.mean() > 0.03, f"{cls} {number} of {path.name} covers nothing of its box"
            assert not opaque.all() or np.ptp(pixels[:, :, :3]) > 100, (
                f"{cls} {number} of {path.name} is a blot"
            )


def test_designs_show_classes_that_may_be_learnt() -> None:
    assert set(read_designs()) <= set(read_classes()) - held_out_classes()


def test_no_design_comes_twice() -> None:
    seen = [" ".join(body.split()) for bodies in read_designs().values() for body in bodies]
    assert len(seen) == len(set(seen))


def sources(split: Split, library: Library, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The bodies that are drawn for a class in a split."""
    drawn: list[str] = []

    def watched(cls: str, body: str, line_width: float) -> Glyph:
        drawn.append(body)
        return drawn_glyph(cls, body, line_width)

    monkeypatch.setattr(glyphs, "drawn_glyph", watched)
    rng = np.random.default_rng(1)
    for _ in range(40):
        glyph_of("lock", rng, split, library)
    return set(drawn)


def test_only_training_sees_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    designs, library = set(read_designs()["lock"]), Library(tmp_path)
    assert sources("train", library, monkeypatch) & designs
    assert not sources("validation", library, monkeypatch) & designs
    assert not sources("test", library, monkeypatch) & designs


def test_training_needs_no_package_for_what_they_show(tmp_path: Path) -> None:
    bare = Library(tmp_path)
    assert "biohazard" in paintable("train", bare)
    assert "biohazard" not in paintable("test", bare)


def test_what_has_colours_keeps_them() -> None:
    red = drawn_glyph("lock", '<rect x="5" y="5" width="90" height="90" fill="#c00"/>', 6.0)
    black = drawn_glyph("lock", '<rect x="5" y="5" width="90" height="90"/>', 6.0)
    assert red.colours is not None
    assert tuple(red.colours[50, 50, :3]) == (204, 0, 0)
    assert black.colours is None


def test_where_no_colours_are_wanted_none_come(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    assert all(
        glyph_of("lock", rng, "train", Library(tmp_path), colour=False).colours is None for _ in range(40)
    )
