from __future__ import annotations

import os
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PIL import Image

from arwarden.core.errors import ConfigError, ModelError
from arwarden.core.frame import ByteImage
from arwarden.fast.ocr import tesseract
from arwarden.fast.ocr.base import ModelFile
from arwarden.fast.ocr.tesseract import TesseractReader
from tests.support.requirements import require_program, unavailable
from tests.unit.fast.drawing import Drawn, draw

WORDS: dict[str, list[Any]] = {
    "text": ["", "Door", "open", "Made", "in", " "],
    "conf": ["-1", "90", "80", 95.5, "96", "50"],
    "left": [0, 10, 60, 20, 60, 0],
    "top": [0, 60, 62, 10, 10, 0],
    "width": [200, 40, 40, 30, 15, 5],
    "height": [100, 20, 18, 20, 20, 5],
    "block_num": [1, 1, 1, 2, 2, 2],
    "par_num": [1, 1, 1, 1, 1, 1],
    "line_num": [0, 1, 1, 1, 1, 2],
}


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[ByteImage, dict[str, Any]]]:
    """Stands in for the Python package; the list holds what it was asked."""
    seen: list[tuple[ByteImage, dict[str, Any]]] = []

    def image_to_data(picture: ByteImage, **options: Any) -> dict[str, list[Any]]:
        seen.append((picture, options))
        return WORDS

    module = ModuleType("pytesseract")
    module.image_to_data = image_to_data  # type: ignore[attr-defined]
    module.Output = SimpleNamespace(DICT="dict")  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pytesseract", module)
    model = ModelFile("eng.traineddata", Path("eng.traineddata"), "0" * 64, "Apache-2.0")
    monkeypatch.setattr(tesseract, "models_in_use", lambda _languages: [model])
    monkeypatch.setenv("OMP_THREAD_LIMIT", "99")
    return seen


def test_words_are_joined_to_lines(calls: list[Any]) -> None:
    reader = TesseractReader(side_px=640, threads=1, languages=["en"])
    first, second = reader.read(np.zeros((100, 200, 3), dtype=np.uint8))
    assert (first.text, second.text) == ("Made in", "Door open")
    assert first.confidence == pytest.approx((0.955 * 4 + 0.96 * 2) / 6)
    assert second.box == pytest.approx((0.05, 0.6, 0.45, 0.2))
    assert reader.models_in_use()[0].name == "eng.traineddata"
    assert reader.name == "tesseract"


def test_the_program_is_bounded_in_time_threads_and_size(calls: list[Any]) -> None:
    reader = TesseractReader(side_px=160, threads=2, languages=["en", "de"])
    reader.warm_up()
    reader.read(np.zeros((4, 4000, 3), dtype=np.uint8))
    reader.close()
    picture, options = calls[-1]
    assert picture.shape == (1, 320, 3)
    assert options["timeout"] == tesseract.TIMEOUT_S
    assert options["lang"] == "eng+deu"
    assert os.environ["OMP_THREAD_LIMIT"] == "2"


def test_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pytesseract", None)
    with pytest.raises(ModelError, match=r"pip install 'arwarden\[tesseract\]'"):
        TesseractReader(side_px=640, threads=1, languages=["en"])


def test_missing_program_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ModelError, match="apt-get install tesseract-ocr"):
        tesseract.models_in_use(["en"])


def test_language_without_a_name_is_a_configuration_error() -> None:
    with pytest.raises(ConfigError, match="tlh: no Tesseract name is known"):
        tesseract._codes(["en", "tlh"])


def test_missing_language_file_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "tesseract"
    program.write_text(f"#!/bin/sh\necho 'List of available languages in \"{tmp_path}/data/\" (0):'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ModelError, match=r"nld\.traineddata is missing: .* tesseract-ocr-nld"):
        tesseract.models_in_use(["nl"])
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "nld.traineddata").write_bytes(b"x")
    assert [model.name for model in tesseract.models_in_use(["nl"])] == ["nld.traineddata"]


@pytest.mark.tesseract
def test_the_real_program_reads_a_panel(monkeypatch: pytest.MonkeyPatch) -> None:
    program = require_program("tesseract", debian="tesseract-ocr")
    if find_spec("pytesseract") is None:
        unavailable("pytesseract is not installed: pip install pytesseract")
    monkeypatch.setenv("PATH", f"{os.environ.get('PATH', '')}:{Path(program).parent}")
    assert shutil.which("tesseract")
    monkeypatch.setenv("OMP_THREAD_LIMIT", "1")
    reader = TesseractReader(side_px=640, threads=1, languages=["en"])
    page = Image.new("RGB", (640, 240), (255, 255, 255))
    draw(page, Drawn("Made in France", 40, 60, 40, ground=(255, 255, 255), ink=(0, 0, 0)))
    found = [line.text for line in reader.read(np.asarray(page, dtype=np.uint8)) if line.confidence > 0.6]
    assert "Made in France" in " ".join(found)
    assert reader.models_in_use()[0].name == "eng.traineddata"
