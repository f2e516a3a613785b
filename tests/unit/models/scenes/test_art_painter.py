from __future__ import annotations

import numpy as np
import pytest

from models.assets.sources import FETCH_COMMAND
from models.scenes.art.painter import default_library
from models.scenes.art_painter import DIRECTIONS_DEG, ArtPainter
from models.scenes.kinds import Split, applications, pictogram_classes
from models.scenes.scene import SceneMaker
from models.scenes.situation import Design, Picture

pytestmark = pytest.mark.skipif(
    not default_library().complete, reason=f"the asset packages are not fetched: {FETCH_COMMAND}"
)


@pytest.fixture(scope="module")
def painter() -> ArtPainter:
    return ArtPainter(Split.TEST)


@pytest.mark.parametrize("split", list(Split))
def test_all_pictograms_of_all_kinds_can_be_drawn(split: Split) -> None:
    asked = pictogram_classes(kind for one in applications() for kind in one.kinds)
    assert asked <= ArtPainter(split).classes()


@pytest.mark.parametrize("pointing", list(DIRECTIONS_DEG))
@pytest.mark.parametrize("text", ["", "Exit"])
def test_arrows_point_where_they_are_asked_to(painter: ArtPainter, pointing: str, text: str) -> None:
    for seed in range(6):
        design = Design("arrow", text if pointing != "uturn" else "", None, pointing, speaks_of_way=True)
        art = painter.paint(design, np.random.default_rng(seed))
        direction = art.direction_deg
        if art.kind == "panel":
            (direction,) = [part.direction_deg for part in art.parts if part.direction_deg is not None]
        assert direction is not None
        assert abs((direction - DIRECTIONS_DEG[pointing] + 180) % 360 - 180) < 25
        assert (text in art.text) or pointing == "uturn"


def test_texts_flags_and_pictograms_are_on_what_carries_them(painter: ArtPainter) -> None:
    for seed in range(8):
        rng = np.random.default_rng(seed)
        origin = painter.paint(Design("panel", "Origin", Picture("flag:FR")), rng)
        assert {(part.kind, part.cls) for part in origin.parts} == {("text", ""), ("flag", "FR")}
        plain = painter.paint(Design("panel", "The door has been locked!"), rng)
        assert plain.text.casefold() == "the door has been locked!"
        on_arrow = painter.paint(Design("arrow", "Made in France", None, "down"), rng)
        assert on_arrow.kind == "arrow"
        assert on_arrow.text.casefold() == "made in france"


def test_signs_and_flags_stand_alone(painter: ArtPainter) -> None:
    rng = np.random.default_rng(1)
    assert painter.paint(Design("flag", "", Picture("flag:NL")), rng).kind == "flag"
    sign = painter.paint(Design("sign", "", Picture("no_parking")), rng)
    assert sign.cls == "no_parking"
    assert sign.kind in {"sign", "pictogram"}


def test_scenes_with_the_own_art_are_deterministic() -> None:
    first, second = (SceneMaker(Split.TEST, 5, size_px=(640, 360)) for _ in range(2))
    for index in range(4):
        one, other = first.scene(index), second.scene(index)
        assert np.array_equal(one.rgb, other.rgb)
        assert one.truth == other.truth


def test_smaller_pictures_are_drawn_from_smaller_art() -> None:
    design = Design("panel", "Reception")
    sizes = [
        np.mean(
            [
                ArtPainter(Split.TEST, scale=scale).paint(design, np.random.default_rng(seed)).rgba.shape[0]
                for seed in range(6)
            ]
        )
        for scale in (1.0, 0.5)
    ]
    assert sizes[1] < 0.7 * sizes[0]
