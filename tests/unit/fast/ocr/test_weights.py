from __future__ import annotations

import hashlib
import shutil
import sys
from pathlib import Path

import pytest

from arwarden.core.errors import ModelError
from arwarden.fast.ocr.weights import ROLES, Role, load_weights, package_folder


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A copy of the installed model files that a test may damage."""
    shutil.copytree(package_folder() / "models", tmp_path / "models")
    return tmp_path


@pytest.mark.parametrize("role", ROLES)
def test_installed_files_are_the_pinned_ones(role: Role) -> None:
    weights = load_weights(role)
    assert weights.file.path.is_file()
    assert weights.file.sha256 == hashlib.sha256(weights.content).hexdigest()
    assert weights.file.licence == "Apache-2.0"


@pytest.mark.parametrize("role", ROLES)
def test_one_changed_byte_is_named_with_the_cure(copied: Path, role: Role) -> None:
    path = copied / "models" / load_weights(role).file.name
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))
    with pytest.raises(ModelError, match="pip install --force-reinstall") as caught:
        load_weights(role, copied)
    assert str(path) in str(caught.value)


def test_truncated_file_is_refused(copied: Path) -> None:
    path = copied / "models" / "PP-OCRv6_det_small.onnx"
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(ModelError, match="sha256"):
        load_weights("detection", copied)


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"PP-OCRv6_rec_small\.onnx cannot be read \(No such file"):
        load_weights("recognition", tmp_path)


def test_missing_package_says_what_to_install() -> None:
    with pytest.raises(ModelError, match="pip install 'no_such_package_here'"):
        package_folder("no_such_package_here")


def test_the_package_itself_is_not_imported() -> None:
    load_weights("detection")
    assert "rapidocr" not in sys.modules
