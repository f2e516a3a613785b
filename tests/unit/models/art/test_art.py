from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from models.assets.library import AssetsMissing, Form, Library, read_classes
from models.assets.sources import FETCH_COMMAND, SPLITS, Split
from models.scenes.art.arrows import ArrowLook, arrow_carried, paint_arrow
from models.scenes.art.content import Carried
from models.scenes.art.element import Art, Rgba, warp
from models.scenes.art.flags import FLAG_STYLES, paint_flag
from models.scenes.art.glyphs import glyph_of, icon_glyph
from models.scenes.art.outlines import ARROW_SHAPES, CARRIERS, ArrowShape
from models.scenes.art.painter import carry, paint, paintable
from models.scenes.art.panels import PANEL_STYLES
from models.scenes.art.pictograms import BACKINGS, other_pictogram, paint_pictogram
from models.scenes.art.signs import SAID_BY_SHAPE, paint_other_sign, paint_sign, sign_forms
from models.scenes.art.widgets import (
    WIDGETS,
    battery_class,
    paint_battery,
    paint_padlock,
    paint_progress,
    paint_thermometer,
    paint_toggle,
    paint_wifi,
)

PLAIN = ArrowLook((30, 140, 220), (255, 255, 255), "flat", None, 0.0, shadow=False, rounding=0.0, tilt=0.0)
SYMMETRIC: tuple[ArrowShape, ...] = ("straight", "tapered", "callout", "box_callout", "triangle")


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """No packages at all: what we draw ourselves must still come."""
    return Library(tmp_path_factory.mktemp("empty"))


@pytest.fixture(scope="module")
def full() -> Library:
    library = Library()
    if not library.complete:
        pytest.skip(f"the asset packages are not fetched: {FETCH_COMMAND}")
    return library


def check_truth(art: Art) -> None:
    height, width = art.rgba.shape[:2]
    assert art.rgba.dtype == np.uint8
    assert art.rgba.shape == (height, width, 4)
    assert (art.rgba[:, :, 3] > 0).any()
    for box in (art.body_norm, *(part.box_norm for part in art.parts)):
        x, y, w, h = box
        assert -0.02 <= x <= 1
        assert -0.02 <= y <= 1
        assert x + w <= 1.02
        assert y + h <= 1.02
        assert w > 0
        assert h > 0
    if art.parts:
        spoken = " ".join(part.text for part in art.parts if part.kind == "text")
        assert art.text == spoken


def profile(art: Art, direction: float) -> tuple[float, float, float]:
    """(width at the tip, width at the tail, share that is its own mirror image) seen along a direction.

    Widths are shares of the greatest one; tip and tail are the outer 5 % along the direction.
    """
    solid = art.rgba[:, :, 3] > 128
    rows, columns = np.nonzero(solid)
    angle = math.radians(direction)
    ahead = np.array([math.cos(angle), -math.sin(angle)])
    aside = np.array([ahead[1], -ahead[0]])
    points = np.stack([columns, rows], axis=1).astype(float)
    along, across = points @ ahead, points @ aside
    low, high = along.min(), along.max()
    edge = 0.05 * (high - low)

    def width(near: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> float:
        return float(np.ptp(across[near])) / float(np.ptp(across))

    mirrored = points - 2 * np.outer(across - (across.max() + across.min()) / 2, aside)
    at = np.clip(np.rint(mirrored).astype(int), 0, (solid.shape[1] - 1, solid.shape[0] - 1))
    return width(along > high - edge), width(along < low + edge), float(solid[at[:, 1], at[:, 0]].mean())


def spine(art: Art, about: float) -> float:
    """The direction from the middle of the tail to the tip, where the tip is known roughly."""
    rows, columns = np.nonzero(art.rgba[:, :, 3] > 128)
    points = np.stack([columns, -rows], axis=1).astype(float)
    along = points @ np.array([math.cos(math.radians(about)), math.sin(math.radians(about))])
    edge = 0.04 * np.ptp(along)
    tip = points[along > along.max() - edge].mean(axis=0)
    tail = points[along < along.min() + 3 * edge].mean(axis=0)
    return math.degrees(math.atan2(tip[1] - tail[1], tip[0] - tail[0])) % 360


def check_points(art: Art, direction: float) -> None:
    tip, tail, symmetry = profile(art, direction)
    assert tip < 0.3
    assert tail > 0.36
    assert symmetry > 0.93


@pytest.mark.parametrize("shape", SYMMETRIC)
@pytest.mark.parametrize("direction", [0.0, 37.0, 90.0, 180.0, 222.0, 270.0])
def test_arrow_points_where_its_truth_says(bare: Library, shape: ArrowShape, direction: float) -> None:
    art = paint_arrow(
        np.random.default_rng(5),
        "train",
        bare,
        direction_deg=direction,
        shape=shape,
        height_px=150,
        look=PLAIN,
    )
    assert art.direction_deg == pytest.approx(direction)
    check_points(art, direction)


@pytest.mark.parametrize("direction", [0.0, 100.0, 180.0, 200.0, 300.0])
def test_arrow_with_text_points_where_its_truth_says(bare: Library, direction: float) -> None:
    art = paint_arrow(
        np.random.default_rng(2),
        "train",
        bare,
        direction_deg=direction,
        shape="straight",
        text="Exit",
        look=ArrowLook(
            (30, 140, 220), (30, 140, 220), "flat", None, 0.0, shadow=False, rounding=0.0, tilt=0.0
        ),
    )
    assert art.direction_deg == pytest.approx(direction, abs=0.6)
    check_points(art, direction)
    assert art.text == "Exit"


@pytest.mark.parametrize("shape", ARROW_SHAPES)
def test_every_arrow_shape_has_its_truth(bare: Library, shape: ArrowShape) -> None:
    for seed in range(4):
        art = paint(
            "arrow", np.random.default_rng(seed), "train", shape=shape, library=bare, direction_deg=40.0
        )
        check_truth(art)
        assert art.kind == "arrow"
        assert art.cls == shape
        assert (art.direction_deg is None) == (shape == "double")


def test_bent_arrows_come_from_below_on_either_side(bare: Library) -> None:
    for direction in (0.0, 180.0):
        art = paint_arrow(
            np.random.default_rng(1), "train", bare, direction_deg=direction, shape="bent", look=PLAIN
        )
        solid = art.rgba[:, :, 3] > 128
        tail = np.flatnonzero(solid[-4])
        centre = tail.mean() / solid.shape[1]
        assert centre < 0.5 if direction == 0 else centre > 0.5


def test_perspective_carries_the_direction_along(bare: Library) -> None:
    leaning = ArrowLook(
        (30, 140, 220), (255, 255, 255), "flat", None, 0.0, shadow=False, rounding=0.0, tilt=0.6
    )
    up = paint_arrow(
        np.random.default_rng(1), "train", bare, direction_deg=90, shape="straight", look=leaning
    )
    assert up.direction_deg == pytest.approx(90, abs=1)
    slanted = paint_arrow(
        np.random.default_rng(1), "train", bare, direction_deg=60, shape="straight", look=leaning
    )
    assert slanted.direction_deg is not None
    assert slanted.direction_deg < 58
    off = spine(slanted, slanted.direction_deg) - slanted.direction_deg
    assert abs((off + 180) % 360 - 180) < 14


def test_warp_turns_direction_and_boxes(bare: Library) -> None:
    art = paint_arrow(np.random.default_rng(1), "train", bare, text="Go", shape="callout", look=PLAIN)
    height, width = art.rgba.shape[:2]
    mirror = np.array([[-1.0, 0.0, width], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    flipped = warp(art, mirror, width, height)
    assert flipped.direction_deg == pytest.approx(180)
    x, _, w, _ = art.parts[0].box_norm
    assert flipped.parts[0].box_norm[0] == pytest.approx(1 - x - w, abs=1e-6)


def test_shape_without_room_refuses_text(bare: Library) -> None:
    with pytest.raises(ValueError, match="no room"):
        paint_arrow(np.random.default_rng(1), "train", bare, shape="dart", text="Exit")


def test_text_box_holds_the_ink(bare: Library) -> None:
    for shape in CARRIERS:
        look = ArrowLook((0, 0, 0), (255, 255, 255), "flat", None, 0.0, shadow=False, rounding=0.0, tilt=0.0)
        art = paint_arrow(np.random.default_rng(8), "train", bare, shape=shape, text="Gate 12", look=look)
        width = art.rgba.shape[1]
        bright = (art.rgba[:, :, 0] > 128) & (art.rgba[:, :, 3] > 128)
        rows, columns = np.nonzero(bright)
        x0 = min(part.box_norm[0] for part in art.parts) * width
        x1 = max(part.box_norm[0] + part.box_norm[2] for part in art.parts) * width
        assert columns.min() >= x0 - 2
        assert columns.max() <= x1 + 2
        assert x1 - x0 <= (columns.max() - columns.min()) * 1.2 + 6
        assert rows.size > 20


@pytest.mark.parametrize("style", PANEL_STYLES)
def test_panels_have_one_part_per_line(bare: Library, style: str) -> None:
    for seed in range(3):
        art = paint(
            "panel", np.random.default_rng(seed), "test", text="The door has been locked!", header="Notice",
            style=style, library=bare,
        )  # fmt: skip
        check_truth(art)
        assert art.text.startswith("Notice")
        assert art.text.removeprefix("Notice ") == "The door has been locked!"
        tops = [part.box_norm[1] for part in art.parts]
        assert tops == sorted(tops)


def test_panel_carries_rows_and_a_picture(bare: Library) -> None:
    square = Carried("flag", "FR", np.full((20, 30, 4), 200, np.uint8))
    art = paint(
        "panel", np.random.default_rng(3), "train", text="", header="Origin", carried=square, library=bare
    )
    check_truth(art)
    assert [part.cls for part in art.parts if part.kind == "flag"] == ["FR"]
    listed = paint(
        "panel", np.random.default_rng(3), "train", text="Menu", rows=("Soup 4.50", "Tea 2"), library=bare
    )
    check_truth(listed)
    assert [part.text for part in listed.parts] == ["Menu", "Soup 4.50", "Tea 2"]


def test_small_arrow_on_a_panel_keeps_its_direction(bare: Library) -> None:
    rng = np.random.default_rng(3)
    art = paint("panel", rng, "train", text="Lift", carried=arrow_carried(180, rng), library=bare)
    arrows = [part for part in art.parts if part.direction_deg is not None]
    assert [part.direction_deg for part in arrows] == [180]


@pytest.mark.parametrize("kind", ["tag", "badge"])
def test_tags_and_badges(bare: Library, kind: str) -> None:
    for seed in range(6):
        art = paint(kind, np.random.default_rng(seed), "train", text="-20%", library=bare)
        check_truth(art)
        assert art.kind == kind
        assert art.text == "-20%"
    reduced = paint("tag", np.random.default_rng(1), "train", text="€5", old_price="€9", library=bare)
    assert reduced.text == "€9 €5"


@pytest.mark.parametrize(
    ("level", "cls"),
    [(0.0, "empty"), (0.15, "low"), (0.3, "low"), (0.5, "half"), (0.95, "full"), (1.0, "full")],
)
def test_battery_levels_have_their_class(level: float, cls: str) -> None:
    assert battery_class(level) == f"battery_{cls}"
    assert battery_class(level, charging=True) == "battery_charging"


def test_battery_shows_as_much_charge_as_it_has(bare: Library) -> None:
    def green(level: float) -> int:
        art = paint_battery(
            np.random.default_rng(4), "validation", bare, level=level, coloured=True, percent_text=False
        )
        pixels = art.rgba.astype(int)
        vivid = (pixels[:, :, 1] > 150) & (pixels[:, :, 0] < 110) & (pixels[:, :, 2] < 140)
        return int(vivid.sum())

    case = green(0.0)
    assert 0.35 < (green(0.5) - case) / (green(1.0) - case) < 0.72


def test_battery_spells_its_percentage(bare: Library) -> None:
    art = paint_battery(np.random.default_rng(4), "train", bare, level=0.15, percent_text=True)
    assert art.text == "15%"
    assert art.cls == "battery_low"


def test_open_and_closed_padlocks_differ_in_outline() -> None:
    for seed in range(8):
        shut = paint_padlock(np.random.default_rng(seed), is_open=False, height_px=120)
        wide = paint_padlock(np.random.default_rng(seed), is_open=True, height_px=120)
        assert (shut.cls, wide.cls) == ("lock", "unlock")
        assert holes(shut.rgba) > holes(wide.rgba)


def holes(rgba: Rgba) -> int:
    """Regions of nothing that the shackle encloses."""
    import cv2

    empty = np.pad((rgba[:, :, 3] < 60).astype(np.uint8), 1, constant_values=1)
    count, _, stats, _ = cv2.connectedComponentsWithStats(empty, connectivity=4)
    return sum(int(stats[index, cv2.CC_STAT_AREA]) > 100 for index in range(1, count)) - 1


def test_widgets_with_states(bare: Library) -> None:
    rng = np.random.default_rng(0)
    assert paint_toggle(rng, "train", bare, on=True).cls == "toggle_on"
    assert paint_toggle(rng, "train", bare, on=False, word=True).text == "OFF"
    assert paint_wifi(rng, strength=None).cls == "wifi_off"
    assert paint_wifi(rng, strength=1).cls == "wifi_weak"
    warm = paint_thermometer(rng, "train", bare, hot=True, celsius=38)
    assert (warm.cls, warm.text) == ("thermometer_hot", "38 °C")
    assert paint_progress(rng, "train", bare, share=0.4).text == "40%"


@pytest.mark.parametrize("cls", sorted(WIDGETS))
def test_every_widget_in_every_split(bare: Library, cls: str) -> None:
    for split in SPLITS:
        art = WIDGETS[cls](np.random.default_rng(1), split, bare, 90)
        check_truth(art)
        assert art.cls == cls


def test_classes_marked_as_drawn_need_no_package(bare: Library) -> None:
    for split in SPLITS:
        ready = set(paintable(split, bare))
        for cls in read_classes().values():
            if cls.drawn:
                assert cls.name in ready
                art = paint(cls.name, np.random.default_rng(1), split, library=bare, height_px=60)
                check_truth(art)
                assert art.cls == cls.name


def test_every_iso_form_of_a_drawn_class(bare: Library) -> None:
    for cls, form in (("high_voltage", "warning"), ("flammable", "ghs"), ("no_smoking", "prohibition")):
        art = paint_sign(np.random.default_rng(1), "test", bare, cls=cls, form=form)  # type: ignore[arg-type]
        check_truth(art)
        assert (art.kind, art.styles) == ("sign", (form,))
    with pytest.raises(ValueError, match="no ghs form"):
        paint_sign(np.random.default_rng(1), "test", bare, cls="laser", form="ghs")


def test_warning_triangle_points_up_and_is_yellow(bare: Library) -> None:
    art = paint_sign(np.random.default_rng(4), "train", bare, cls="laser", form="warning", height_px=120)
    solid = art.rgba[:, :, 3] > 128
    widths = solid.sum(axis=1)
    assert widths[len(widths) // 8] < 0.4 * widths.max()
    assert widths[-len(widths) // 8] > 0.7 * widths.max()
    red, green, blue = np.percentile(art.rgba[solid][:, :3], 80, axis=0)
    assert red > 180
    assert green > 110
    assert blue < 80


def test_sign_with_text_has_it_below(bare: Library) -> None:
    art = paint_sign(np.random.default_rng(4), "train", bare, cls="laser", text="Laser beam", height_px=150)
    check_truth(art)
    assert art.text == "Laser beam"
    assert min(part.box_norm[1] for part in art.parts) > 0.5


def test_missing_class_names_the_command(bare: Library) -> None:
    with pytest.raises(AssetsMissing, match=r"models\.assets\.fetch"):
        paint("biohazard", np.random.default_rng(1), "test", library=bare)
    with pytest.raises(AssetsMissing, match=r"models\.assets\.fetch"):
        paint("FR", np.random.default_rng(1), "train", library=bare)
    with pytest.raises(KeyError, match="no kind"):
        paint("unicorn", np.random.default_rng(1), "train", library=bare)


@pytest.mark.parametrize("what", ["arrow", "panel", "tag", "high_voltage", "battery_low", "unlock"])
def test_same_seed_same_picture(tmp_path: Path, what: str) -> None:
    text = "Exit" if what in ("arrow", "panel", "tag") else ""
    one = paint(what, np.random.default_rng(7), "train", text=text, library=Library(tmp_path))
    two = paint(what, np.random.default_rng(7), "train", text=text, library=Library(tmp_path))
    other = paint(what, np.random.default_rng(8), "train", text=text, library=Library(tmp_path))
    assert np.array_equal(one.rgba, two.rgba)
    assert one.parts == two.parts
    assert one.rgba.shape != other.rgba.shape or not np.array_equal(one.rgba, other.rgba)


def test_every_class_in_every_split(full: Library) -> None:
    for split in SPLITS:
        for cls in read_classes():
            art = paint(cls, np.random.default_rng(3), split, library=full, height_px=64)
            check_truth(art)
            assert art.cls == cls


def test_icons_come_from_their_own_split(full: Library) -> None:
    seen: dict[Split, set[str]] = {split: set() for split in SPLITS}
    for split in SPLITS:
        for seed in range(3):
            for cls in ("bus", "bell", "sun", "dog", "no_dogs"):
                seen[split].add(glyph_of(cls, np.random.default_rng(seed), split, full).source)
    packages = {split: {name.split(":")[-2] for name in seen[split]} for split in SPLITS}
    assert not packages["train"] & packages["test"]
    assert not packages["train"] & packages["validation"]
    assert not packages["validation"] & packages["test"]


@pytest.mark.parametrize("style", FLAG_STYLES)
def test_flags_in_every_style_and_split(full: Library, style: str) -> None:
    for split in SPLITS:
        art = paint_flag(np.random.default_rng(1), split, full, code="FR", style=style)  # type: ignore[arg-type]
        check_truth(art)
        assert (art.kind, art.cls) == ("flag", "FR")


def test_french_flag_is_blue_left_and_red_right(full: Library) -> None:
    for split in SPLITS:
        art = paint_flag(np.random.default_rng(1), split, full, code="FR", style="plain", height_px=80)
        middle = art.rgba[art.rgba.shape[0] // 2].astype(int)
        left, right = middle[middle.shape[0] // 6], middle[-middle.shape[0] // 6]
        assert left[2] > left[0] + 40
        assert right[0] > right[2] + 60


@pytest.mark.parametrize("backing", BACKINGS)
def test_pictogram_backings(full: Library, backing: str) -> None:
    art = paint_pictogram(np.random.default_rng(1), "test", full, cls="bus", backing=backing)  # type: ignore[arg-type]
    check_truth(art)
    assert art.styles == (backing,)


def test_pictograms_outside_the_classes(full: Library) -> None:
    name = next(name for name in full.icon_names("mdi") if name == "rabbit")
    art = other_pictogram(np.random.default_rng(1), "train", full, source="mdi", name=name)
    assert (art.cls, art.source) == ("other", "mdi:rabbit")


def test_pictograms_outside_the_classes_are_crossed_out(full: Library) -> None:
    plain, crossed = (
        other_pictogram(np.random.default_rng(1), "train", full, source="mdi", name="rabbit", crossed=crossed)
        for crossed in (False, True)
    )
    assert (crossed.cls, crossed.source) == ("crossed", "crossed:mdi:rabbit")
    assert crossed.rgba.shape != plain.rgba.shape or (crossed.rgba != plain.rgba).any()


@pytest.mark.parametrize(
    ("form", "colour"),
    [("prohibition", (200, 30, 40)), ("mandatory", (0, 90, 170)), ("warning", (250, 205, 0))],
)
def test_signs_of_no_class_say_what_their_shape_says(
    full: Library, form: Form, colour: tuple[int, int, int]
) -> None:
    glyph = icon_glyph(full, "mdi", "rabbit")
    art = paint_other_sign(np.random.default_rng(1), "train", full, glyph=glyph, form=form, height_px=100)
    assert (art.kind, art.cls, art.source, art.styles) == (
        "sign", SAID_BY_SHAPE[form], "mdi:rabbit", (form,),
    )  # fmt: skip
    near = np.abs(art.rgba[..., :3].astype(int) - colour).max(axis=2) < 60
    assert near[art.rgba[..., 3] > 200].mean() > 0.15


def test_the_shape_of_a_door_plate_says_nothing(full: Library) -> None:
    with pytest.raises(KeyError, match="plate"):
        paint_other_sign(
            np.random.default_rng(1), "train", full, glyph=icon_glyph(full, "mdi", "rabbit"), form="plate"
        )


def test_arrow_carries_a_mark_below_its_text(full: Library) -> None:
    rng = np.random.default_rng(6)
    mark = carry("ce_mark", rng, "train", library=full)
    art = paint("arrow", rng, "train", text="Made in France", direction_deg=270.0, carried=mark, library=full)
    check_truth(art)
    assert [part.cls for part in art.parts if part.kind == "pictogram"] == ["ce_mark"]
    assert art.text == "Made in France"


def test_sign_forms_only_for_signs() -> None:
    assert sign_forms("lock") == ()
    assert "warning" in sign_forms("laser")


@pytest.mark.parametrize("split", SPLITS)
def test_accessible_restrooms_show_a_wheelchair(full: Library, split: Split) -> None:
    for seed in range(12):
        art = paint("restroom_accessible", np.random.default_rng(seed), split, library=full)
        assert (art.kind, art.cls) == ("sign", "restroom_accessible")
        assert [part.cls for part in art.parts if part.kind == "pictogram"] == ["wheelchair"]


def test_a_restroom_sign_with_a_wheelchair_says_so(full: Library) -> None:
    arts = [
        paint_sign(np.random.default_rng(seed), "train", full, cls="restroom", form="plate")
        for seed in range(60)
    ]
    seen = {art.cls for art in arts}
    assert seen == {"restroom", "restroom_accessible"}
    for art in arts:
        chair = any(part.cls == "wheelchair" for part in art.parts)
        assert chair is (art.cls == "restroom_accessible")
