import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arwarden.fast.elements.decode import (
    MOST_PEAKS,
    OTHER,
    OVERRULING,
    STRIDE,
    TYPES,
    USUAL_LEAST,
    Detections,
    Presence,
    Reading,
    as_chances,
    carriers,
    decode,
    distinct,
    iou,
    judged,
    least_shares,
    letterbox,
    read_crops,
    reliable,
    settled,
    softmax,
    type_fits,
    type_thresholds,
)

NET = (512, 288)
ROWS, COLUMNS = NET[1] // STRIDE, NET[0] // STRIDE
PANEL, ARROW, SIGN, FLAG = (TYPES.index(name) for name in ("panel", "arrow", "sign", "flag"))


class Grid:
    """Outputs of a detector that has found just what a test says."""

    def __init__(self) -> None:
        self.peaks = np.zeros((len(TYPES), ROWS, COLUMNS), np.float32)
        self.ltrb = np.ones((len(TYPES), 4, ROWS, COLUMNS), np.float32)

    def add(self, kind: int, box: tuple[float, float, float, float], score: float) -> None:
        column, row = int((box[0] + box[2]) / 2 / STRIDE), int((box[1] + box[3]) / 2 / STRIDE)
        x, y = (column + 0.5) * STRIDE, (row + 0.5) * STRIDE
        self.peaks[kind, row, column] = score
        self.ltrb[kind, :, row, column] = (x - box[0], y - box[1], box[2] - x, box[3] - y)

    def decoded(self, frame: tuple[int, int] = NET, *, threshold: float = 0.3, limit: int = 64) -> Detections:
        return decode(
            self.peaks,
            self.ltrb,
            place=letterbox(frame, NET),
            frame_size=frame,
            thresholds=(threshold,) * len(TYPES),
            limit=limit,
        )


def test_box_comes_back_in_pixels_of_the_frame() -> None:
    grid = Grid()
    grid.add(ARROW, (100, 80, 180, 120), 0.9)
    found = grid.decoded((1280, 720))
    assert found.types.tolist() == [ARROW]
    assert found.boxes_px[0] == pytest.approx([250, 200, 450, 300], abs=0.5)


def test_padding_of_a_tall_frame_is_taken_off() -> None:
    place = letterbox((720, 1280), NET)
    assert (place.width, place.height, place.pad_y) == (162, 288, 0)
    grid = Grid()
    grid.add(SIGN, (place.pad_x + 16.0, 40, place.pad_x + 48.0, 72), 0.8)
    assert grid.decoded((720, 1280)).boxes_px[0] == pytest.approx([71.1, 177.8, 213.3, 320], abs=1)


def test_boxes_stay_within_the_frame() -> None:
    grid = Grid()
    grid.add(PANEL, (-30, 100, 60, 180), 0.9)
    assert grid.decoded().boxes_px[0].tolist() == [0, 100, 60, 180]


def test_what_lies_in_the_padding_alone_is_no_element() -> None:
    grid = Grid()
    grid.add(PANEL, (2, 100, 40, 140), 0.9)
    assert len(grid.decoded((288, 288))) == 0


def test_threshold_is_of_the_type() -> None:
    grid = Grid()
    grid.add(PANEL, (10, 10, 60, 40), 0.5)
    grid.add(ARROW, (200, 10, 260, 40), 0.5)
    found = decode(
        grid.peaks,
        grid.ltrb,
        place=letterbox(NET, NET),
        frame_size=NET,
        thresholds=type_thresholds({"panel": 0.6}, fallback=0.4),
    )
    assert found.types.tolist() == [ARROW]


def test_the_better_of_two_boxes_of_a_type_stays() -> None:
    grid = Grid()
    grid.add(FLAG, (100, 100, 160, 140), 0.6)
    grid.add(FLAG, (104, 100, 176, 140), 0.8)
    assert grid.decoded().scores.tolist() == [pytest.approx(0.8)]


def test_a_flag_on_a_panel_stays_beside_it() -> None:
    grid = Grid()
    grid.add(PANEL, (100, 100, 260, 180), 0.9)
    grid.add(FLAG, (110, 110, 170, 150), 0.7)
    assert grid.decoded().types.tolist() == [PANEL, FLAG]


def test_one_element_seen_as_two_types_is_reported_once() -> None:
    grid = Grid()
    grid.add(PANEL, (100, 100, 180, 180), 0.5)
    grid.add(SIGN, (101, 100, 180, 181), 0.7)
    assert grid.decoded().types.tolist() == [SIGN]


def test_a_crowded_picture_is_cut_off_at_the_limits() -> None:
    grid = Grid()
    grid.peaks[:] = np.linspace(0.5, 0.9, grid.peaks.size, dtype=np.float32).reshape(grid.peaks.shape)
    found = grid.decoded(limit=50)
    assert len(found) == 50
    assert found.scores.min() >= np.sort(grid.peaks, axis=None)[-MOST_PEAKS]


def test_an_empty_picture_has_no_elements() -> None:
    assert len(Grid().decoded()) == 0


@given(
    st.lists(
        st.tuples(st.integers(0, 400), st.integers(0, 200), st.integers(1, 200), st.integers(1, 150)),
        max_size=20,
    )
)
def test_no_two_kept_boxes_of_a_type_are_alike(raw: list[tuple[int, int, int, int]]) -> None:
    boxes = np.array([(x, y, x + w, y + h) for x, y, w, h in raw], np.float32).reshape(-1, 4)
    kept = distinct(boxes, np.zeros(len(boxes), np.int64), limit=100)
    overlap = iou(boxes[kept], boxes[kept]) - np.eye(len(kept), dtype=np.float32)
    assert overlap.max(initial=0) <= 0.5
    assert (len(kept) == 0) == (len(boxes) == 0)


def test_iou_of_known_boxes() -> None:
    boxes = np.array([[0, 0, 10, 10], [5, 0, 15, 10], [20, 20, 30, 30]], np.float32)
    assert iou(boxes[:1], boxes)[0] == pytest.approx([1, 1 / 3, 0])


def test_carrier_is_the_smallest_box_around() -> None:
    boxes = np.array([[0, 0, 300, 200], [20, 20, 120, 90], [30, 30, 60, 50], [400, 0, 440, 30]], np.float32)
    assert carriers(boxes) == [None, 0, 1, None]


def test_nothing_carries_itself_or_its_equal() -> None:
    boxes = np.array([[0, 0, 100, 100], [2, 2, 99, 99]], np.float32)
    assert carriers(boxes) == [None, None]
    assert carriers(np.zeros((0, 4), np.float32)) == []


def test_readings_name_the_best_and_the_next() -> None:
    shares = np.array([[0.1, 0.6, 0.3]], np.float32)
    reading = read_crops(shares, np.array([[0, -0.9]], np.float32), ("lock", "unlock", "key"))[0]
    assert (reading.label, reading.runner_up) == ("unlock", "key")
    assert reading.confidence > reading.runner_up_confidence
    assert reading.direction_deg == pytest.approx(270)
    assert reading.direction_confidence == pytest.approx(0.9)


def test_labels_of_another_model_are_refused() -> None:
    with pytest.raises(ValueError, match="2 labels for 3 outputs"):
        read_crops(np.zeros((1, 3), np.float32), np.zeros((1, 2), np.float32), ("a", "b"))


def test_softmax_stands_large_logits() -> None:
    assert softmax(np.array([[1e4, 0]], np.float32)).tolist() == [[1, 0]]


def test_a_size_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="positive"):
        letterbox((0, 720), NET)


def reading(label: str, confidence: float = 0.9) -> Reading:
    return Reading(label, confidence, "lock", 0.05, 0.0, 0.0)


def settle(*parts: tuple[tuple[float, float, float, float], int, Reading]) -> tuple[list[int], list[str]]:
    found = Detections(
        np.array([box for box, _, _ in parts], np.float32).reshape(-1, 4),
        np.array([kind for _, kind, _ in parts], np.int64),
        np.linspace(0.9, 0.4, len(parts), dtype=np.float32),
    )
    left, readings = settled(found, [one for _, _, one in parts])
    assert len(left) == len(readings)
    return left.types.tolist(), [one.label for one in readings]


def test_sure_background_is_taken_out_and_doubtful_is_not() -> None:
    box = (10, 10, 60, 40)
    far = (100, 10, 160, 40)
    types, _ = settle(
        (box, PANEL, reading("#background")), (far, SIGN, reading("#background", OVERRULING - 0.1))
    )
    assert types == [SIGN]


def test_sure_label_decides_about_the_type() -> None:
    boxes = [(x, 10.0, x + 50, 40.0) for x in (0.0, 100.0, 200.0, 300.0)]
    types, _ = settle(
        (boxes[0], PANEL, reading("#arrow:u_turn")),
        (boxes[1], SIGN, reading("flag:FR")),
        (boxes[2], FLAG, reading("biohazard")),
        (boxes[3], SIGN, reading("#other")),
    )
    assert types == [ARROW, FLAG, SIGN, SIGN]


def test_inscription_of_an_arrow_is_no_panel_but_its_flag_stays() -> None:
    types, labels = settle(
        ((0, 0, 200, 100), ARROW, reading("#arrow")),
        ((40, 20, 140, 70), PANEL, reading("#panel", 0.4)),
        ((50, 30, 90, 60), FLAG, reading("flag:FR")),
    )
    assert (types, labels) == ([ARROW, FLAG], ["#arrow", "flag:FR"])


def test_boxes_that_become_alike_are_one() -> None:
    types, _ = settle(
        ((0, 0, 200, 100), ARROW, reading("#arrow")), ((10, 5, 190, 75), PANEL, reading("#arrow"))
    )
    assert types == [ARROW]


def test_nothing_found_settles_to_nothing() -> None:
    assert settle() == ([], [])


@pytest.mark.parametrize(
    ("kind", "label", "confidence", "believed"),
    [
        ("panel", "#background", 0.59, "panel"),
        ("panel", "#background", 0.6, None),
        ("sign", "flag:FR", 0.7, "flag"),
        ("flag", "lock", 0.7, "sign"),
        ("sign", "#arrow:u_turn", 0.9, "arrow"),
        ("sign", "#tag", 0.9, "tag"),
        ("tag", "#panel", 0.9, "panel"),
        ("arrow", "#other", 0.9, "arrow"),
    ],
)
def test_sure_labels_decide_about_the_type(
    kind: str, label: str, confidence: float, believed: str | None
) -> None:
    assert judged(kind, label, confidence) == believed


def test_shares_are_scaled_to_what_is_reliable() -> None:
    labels = ("#other", "lock", "unlock")
    least = least_shares({"unlock": 0.8}, labels)
    assert least.tolist() == pytest.approx([USUAL_LEAST, USUAL_LEAST, 0.8])
    shares = np.array(
        [[0.1, 0.6, 0.3], [0.1, 0.1, 0.8], [0.2, 0.2, 0.6], [0.0, 0.0, 1.0], [0.7, 0.1, 0.2]], np.float32
    )
    scaled = reliable(shares, least, 0)
    assert scaled.sum(axis=1) == pytest.approx(1)
    assert scaled[0].tolist() == pytest.approx(shares[0].tolist())
    assert scaled[1, 2] == pytest.approx(0.5)
    assert scaled[2, 2] == pytest.approx(0.375)
    assert scaled[3, 2] == pytest.approx(1)
    assert scaled[4].tolist() == pytest.approx(shares[4].tolist())
    never = reliable(shares, least_shares({"unlock": 2.0}, labels), 0)
    assert never[:, 2].max() < USUAL_LEAST
    assert read_crops(never, np.zeros((5, 2), np.float32), labels)[3].label == OTHER


def test_what_is_hardly_ever_wrong_is_said_from_a_lower_share_on() -> None:
    labels = ("#other", "lock", "unlock")
    shares = np.array([[0.3, 0.4, 0.3], [0.45, 0.3, 0.25], [0.0, 1.0, 0.0]], np.float32)
    scaled = reliable(shares, least_shares({"lock": 0.4}, labels), 0)
    assert scaled.sum(axis=1) == pytest.approx(1)
    assert scaled[0].tolist() == pytest.approx([0.25, 0.5, 0.25])
    assert scaled[1].tolist() == pytest.approx(shares[1].tolist())
    assert scaled[2, 1] == pytest.approx(1)


def test_scores_become_chances() -> None:
    fits = type_fits({"sign": (2.0, 1.0)})
    assert fits[TYPES.index("panel")] == (1.0, 0.0)
    scores = np.array([0.3, 0.5, 0.5, 1.0], np.float32)
    types = np.array([TYPES.index(name) for name in ("panel", "sign", "panel", "sign")], np.int64)
    chances = as_chances(scores, types, fits)
    assert chances[:3].tolist() == pytest.approx([0.3, 1 / (1 + np.exp(-1)), 0.5], abs=1e-4)
    assert 0.999 < chances[3] <= 1
    assert as_chances(scores[:0], types[:0], fits).shape == (0,)


@pytest.mark.parametrize(
    ("chance", "label", "share", "wanted"),
    [
        (0.05, "lock", 0.95, 0.95),  # faint, but the classifier knows what it is
        (0.05, "#panel", 0.95, 0.08),  # a part of an arrow looks like a panel
        (0.5, "#panel", 0.9, 0.95),
        (0.9, "#background", 0.9, 0.1),
        (0.9, "lock", 0.4, 0.75),
    ],
)
def test_presence_hears_both_networks(chance: float, label: str, share: float, wanted: float) -> None:
    labels = ("#background", "#panel", "lock", "unlock")
    shares = np.full(len(labels), (1 - share) / 3, np.float32)
    shares[labels.index(label)] = share
    assert Presence(labels).of(chance, shares) == pytest.approx(wanted, abs=0.06)
