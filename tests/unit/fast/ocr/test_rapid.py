from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cv2
import numpy as np
import onnxruntime
import pytest

from arwarden.core.counters import Counters
from arwarden.core.errors import ModelError
from arwarden.core.frame import ByteImage
from arwarden.fast.ocr import rapid
from arwarden.fast.ocr.base import TextLine
from arwarden.fast.ocr.rapid import RapidReader
from arwarden.fast.ocr.weights import Weights, load_weights
from tests.support.requirements import shared_file
from tests.unit.fast.drawing import Drawn, box_px, scene, turned

SIDE_PX = 640


@pytest.fixture(scope="module")
def reader() -> RapidReader:
    return RapidReader(side_px=SIDE_PX, threads=1)


def texts(lines: Sequence[TextLine], least: float = 0.8) -> list[str]:
    return [line.text for line in lines if line.confidence >= least]


@pytest.mark.parametrize("height_px", [24, 40, 60])
def test_a_panel_is_read_with_its_spaces(reader: RapidReader, height_px: int) -> None:
    picture = scene(1280, 720, Drawn("Made in France", 420, 300, height_px))
    assert texts(reader.read(picture)) == ["Made in France"]


def test_light_text_on_dark_ground_is_read(reader: RapidReader) -> None:
    picture = scene(1280, 720, Drawn("Door locked", 200, 500, 32, ground=(20, 20, 60), ink=(250, 250, 250)))
    assert texts(reader.read(picture)) == ["Door locked"]


def test_boxes_lie_on_the_text(reader: RapidReader) -> None:
    picture = scene(1280, 720, Drawn("Made in France", 420, 300, 40))
    (line,) = reader.read(picture)
    left, top, right, bottom = box_px(line.box, picture)
    inked = np.argwhere(picture.max(axis=2) < 50)
    assert left == pytest.approx(inked[:, 1].min(), abs=14)
    assert right == pytest.approx(inked[:, 1].max(), abs=14)
    assert top == pytest.approx(inked[:, 0].min(), abs=20)
    assert bottom == pytest.approx(inked[:, 0].max(), abs=20)


@pytest.mark.parametrize("degrees", [-25.0, 15.0])
def test_slanted_text_is_read(reader: RapidReader, degrees: float) -> None:
    picture = turned(scene(1280, 720, Drawn("Exit on the left", 400, 330, 44)), degrees)
    assert texts(reader.read(picture)) == ["Exit on the left"]


@pytest.mark.parametrize(("turns", "text"), [(1, "Keep left"), (3, "Door locked")])
def test_text_that_runs_up_or_down_is_read(reader: RapidReader, turns: int, text: str) -> None:
    picture = np.ascontiguousarray(np.rot90(scene(720, 720, Drawn(text, 200, 300, 48)), turns))
    # The recogniser was trained on upright text and loses spaces in turned text.
    assert [found.replace(" ", "") for found in texts(reader.read(picture))] == [text.replace(" ", "")]


def test_of_two_turns_the_surer_reading_counts(reader: RapidReader, monkeypatch: pytest.MonkeyPatch) -> None:
    tall = np.zeros((120, 30, 3), dtype=np.uint8)
    tall[:10] = 255
    tried: list[bool] = []

    def recognise(line: ByteImage) -> tuple[str, float]:
        starts_bright = bool(line[:, :10].mean() > 200)
        tried.append(starts_bright)
        return ("up", 0.95) if not starts_bright else ("down", down_confidence)

    monkeypatch.setattr(reader, "_recognise", recognise)
    down_confidence = 0.3
    assert reader._recognise_tall(tall) == ("up", 0.95)
    down_confidence = 0.97
    assert reader._recognise_tall(tall) == ("down", 0.97)
    assert tried == [True, False, True]


def test_lines_come_top_to_bottom(reader: RapidReader) -> None:
    picture = scene(1280, 720, Drawn("Turn right", 700, 500, 40), Drawn("Turn left", 100, 100, 40))
    assert texts(reader.read(picture)) == ["Turn left", "Turn right"]


def test_grey_pictures_are_read(reader: RapidReader) -> None:
    grey = cv2.cvtColor(scene(1280, 720, Drawn("Battery full", 300, 300, 40)), cv2.COLOR_RGB2GRAY)
    picture = np.repeat(np.asarray(grey, dtype=np.uint8)[:, :, None], 3, axis=2)
    assert texts(reader.read(picture)) == ["Battery full"]


@pytest.mark.parametrize("value", [0, 128, 255])
def test_pictures_without_content_hold_no_text(reader: RapidReader, value: int) -> None:
    assert reader.read(np.full((720, 1280, 3), value, dtype=np.uint8)) == []


def test_noise_holds_no_text(reader: RapidReader) -> None:
    noise = np.random.default_rng(3).integers(0, 255, (720, 1280, 3), dtype=np.uint8)
    assert texts(reader.read(noise)) == []


@pytest.mark.parametrize("shape", [(1, 1), (500, 3), (3, 500), (2, 4000), (31, 33), (479, 641)])
def test_odd_sizes_are_survived(reader: RapidReader, shape: tuple[int, int]) -> None:
    picture = np.random.default_rng(5).integers(0, 255, (*shape, 3), dtype=np.uint8)
    for line in reader.read(picture):
        assert all(0 <= value <= 1 for value in line.box)


def test_a_huge_picture_is_reduced_before_anything_else(
    reader: RapidReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[int, ...]] = []
    find = reader._find

    def watch(rgb: ByteImage, side_px: float) -> list[np.ndarray]:
        seen.append(rgb.shape)
        return find(rgb, side_px)

    monkeypatch.setattr(reader, "_find", watch)
    small = scene(1280, 720, Drawn("Made in France", 420, 300, 40))
    huge = cv2.resize(small, (7680, 4320), interpolation=cv2.INTER_LINEAR)
    assert texts(reader.read(np.asarray(huge, dtype=np.uint8))) == ["Made in France"]
    assert seen == [(1440, 2560, 3)]


def test_a_page_full_of_text_is_cut_off_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rapid, "MAX_LINES", 3)
    counters = Counters()
    reader = RapidReader(side_px=SIDE_PX, threads=1, counters=counters)
    tall = Drawn("Walk straight ahead", 40, 560, 60)
    rest = [Drawn(f"Shelf {row} is empty", 40 + 500 * (row % 2), 20 + 90 * row, 26) for row in range(5)]
    found = reader.read(scene(1280, 720, tall, *rest))
    assert len(found) == 3
    assert "Walk straight ahead" in texts(found)
    assert counters["ocr.lines_skipped"] == 3


def test_threads_may_read_at_the_same_time(reader: RapidReader) -> None:
    pictures = [scene(640, 360, Drawn(text, 60, 120, 40)) for text in ("Door locked", "Door open")] * 3
    with ThreadPoolExecutor(3) as pool:
        found = [texts(lines) for lines in pool.map(reader.read, pictures)]
    assert found == [["Door locked"], ["Door open"]] * 3


def test_nothing_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    reader = RapidReader(side_px=SIDE_PX, threads=1)
    reader.warm_up()
    reader.read(scene(640, 360, Drawn("Quiet", 60, 120, 40)))
    reader.close()
    assert capfd.readouterr() == ("", "")


def test_threads_are_the_chosen_ones_and_sleep_while_they_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[onnxruntime.SessionOptions] = []
    session = onnxruntime.InferenceSession

    def watch(content: bytes, *, sess_options: onnxruntime.SessionOptions, providers: list[str]) -> object:
        opened.append(sess_options)
        return session(content, sess_options=sess_options, providers=providers)

    monkeypatch.setattr(onnxruntime, "InferenceSession", watch)
    RapidReader(side_px=SIDE_PX, threads=2)
    assert [options.intra_op_num_threads for options in opened] == [2, 2]
    assert [options.inter_op_num_threads for options in opened] == [1, 1]
    spinning = [options.get_session_config_entry("session.intra_op.allow_spinning") for options in opened]
    assert spinning == ["0", "0"]


def test_models_in_use_are_the_two_loaded_files(reader: RapidReader) -> None:
    assert [model.name for model in reader.models_in_use()] == [
        "PP-OCRv6_det_small.onnx",
        "PP-OCRv6_rec_small.onnx",
    ]
    assert all(len(model.sha256) == 64 for model in reader.models_in_use())
    assert reader.name == "rapidocr"


def test_a_damaged_model_is_named(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "PP-OCRv6_det_small.onnx").write_bytes(b"not a model")
    with pytest.raises(ModelError, match=r"PP-OCRv6_det_small\.onnx has sha256"):
        RapidReader(side_px=SIDE_PX, threads=1, package_folder=tmp_path)


def test_a_file_that_onnxruntime_refuses_is_named() -> None:
    good = load_weights("detection")
    with pytest.raises(ModelError, match=r"cannot load .*PP-OCRv6_det_small\.onnx"):
        rapid._open_session(Weights(good.file, b"\x08\x01 no graph"), 1)


def test_a_model_without_its_characters_is_refused() -> None:
    detection = load_weights("detection")
    with pytest.raises(ModelError, match="not a PP-OCR recogniser"):
        rapid._alphabet_of(rapid._open_session(detection, 1), detection.file)


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("indoor_navigation_contradictory", {"RESTROOM", "Wheelchair Not", "Accessible"}),
        ("smart_retail_contradictory", {"Made in the", "Netherlands", "Origin"}),
        ("smart_retail_consistent", {"Made in", "France", "Origin"}),
    ],
)
def test_real_pictures_of_300_px_are_read(reader: RapidReader, name: str, expected: set[str]) -> None:
    picture = cv2.imread(str(shared_file(f"data/contrar/{name}.png")))
    assert picture is not None
    rgb = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2RGB), dtype=np.uint8)
    assert expected <= set(texts(reader.read(rgb)))


def test_small_text_is_found_by_a_closer_look(reader: RapidReader) -> None:
    picture = np.full((720, 1280, 3), 235, np.uint8)
    words = ("Warden", "Office", "Kitchen", "Library", "Garden", "Station")
    for index, word in enumerate(words):
        place = (60 + 400 * (index % 3), 200 + 300 * (index // 3))
        cv2.putText(picture, word, place, cv2.FONT_HERSHEY_SIMPLEX, 0.3, (20, 20, 20), 1, cv2.LINE_AA)
    found = len(set(words) & set(texts(reader.read(picture))))
    closer = len(set(words) & set(texts(reader.read(picture, closely=True))))
    assert closer == len(words)
    assert found < closer


@pytest.mark.shared
def test_the_real_recording_is_read_throughout(reader: RapidReader) -> None:
    video = cv2.VideoCapture(str(shared_file("data/contrar/smart_retail_contradictory.mp4")))
    read = []
    for index in range(120):
        there, picture = video.read()
        if there and index % 20 == 5:
            rgb = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2RGB), dtype=np.uint8)
            read.append(set(texts(reader.read(rgb))))
    assert len(read) >= 5
    assert all({"Made in the", "Netherlands", "Origin"} <= found for found in read)
