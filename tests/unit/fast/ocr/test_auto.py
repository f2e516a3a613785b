from __future__ import annotations

import sys
from pathlib import Path

import pytest

from arwarden.config import FastConfig
from arwarden.core.counters import Counters
from arwarden.core.errors import ModelError
from arwarden.fast.ocr import easy, tesseract
from arwarden.fast.ocr.auto import models_in_use, open_reader
from arwarden.fast.ocr.base import ModelFile
from arwarden.fast.ocr.rapid import RapidReader


def test_default_engine_takes_side_and_threads_from_the_configuration() -> None:
    reader = open_reader(FastConfig(ocr_side_px=480), Counters())
    assert isinstance(reader, RapidReader)
    assert reader._side_px == 480


@pytest.mark.parametrize(("engine", "package"), [("easyocr", "easyocr"), ("tesseract", "pytesseract")])
def test_optional_engines_name_their_extra_when_absent(
    engine: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    config = FastConfig.model_validate({"ocr_engine": engine})
    with pytest.raises(ModelError, match=rf"pip install 'arwarden\[{engine}\]'"):
        open_reader(config)


def test_models_of_the_default_engine_are_known_without_loading_it() -> None:
    assert [model.name for model in models_in_use(FastConfig())] == [
        "PP-OCRv6_det_small.onnx",
        "PP-OCRv6_rec_small.onnx",
    ]


def test_models_of_the_other_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    def listed(name: str) -> ModelFile:
        return ModelFile(name, Path(name), "0" * 64, "Apache-2.0")

    monkeypatch.setattr(easy, "models_in", lambda folder: [listed(folder.name)])
    monkeypatch.setattr(tesseract, "models_in_use", lambda languages: [listed(x) for x in languages])
    assert models_in_use(FastConfig(ocr_engine="easyocr")) == [listed(easy.weights_folder().name)]
    both = FastConfig(ocr_engine="tesseract", ocr_languages=("en", "fr"))
    assert models_in_use(both) == [listed("en"), listed("fr")]
