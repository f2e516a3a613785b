"""The real world behind the virtual content: photos of any folder, or drawn rooms where there are none."""

from __future__ import annotations

import csv
import hashlib
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from arwarden.core.frame import ByteImage
from arwarden.headset.pictures import IMAGE_SUFFIXES
from arwarden.headset.room import draw_room
from models.scenes.clutter import add_clutter
from models.scenes.kinds import Split

_Rng = np.random.Generator
_KEPT = 24
"""Decoded photos kept in memory: about 2 MB each."""
_KINDS = {
    "outdoor_navigation": {"outdoor": 0.78, "indoor": 0.14, "pano": 0.0, "distractor": 0.08},
    "smart_retail": {"outdoor": 0.02, "indoor": 0.63, "pano": 0.02, "distractor": 0.33},
}
_USUAL = {"outdoor": 0.04, "indoor": 0.75, "pano": 0.03, "distractor": 0.18}


@dataclass(frozen=True, slots=True)
class Photo:
    """A photo of the folder and what it shows (``indoor``, ``outdoor``, ``distractor``, ``pano``)."""

    path: Path
    kind: str
    split: Split

    @property
    def name(self) -> str:
        """The name that goes into the truth."""
        return f"{self.path.parent.name}/{self.path.name}"


def read_photos(folder: Path) -> tuple[Photo, ...]:
    """All photos of a folder, with the kinds of its ``index.csv`` where there is one.

    The split comes from the content of the file, so it survives renaming. Raises ``ValueError`` where
    the folder holds no photos.
    """
    index = folder / "index.csv"
    kinds: dict[str, str] = {}
    if index.exists():
        with index.open(encoding="utf-8", newline="") as file:
            kinds = {row["file"]: row["kind"] for row in csv.DictReader(file)}
    paths = sorted(path for path in folder.rglob("*") if path.suffix.lower() in IMAGE_SUFFIXES)
    if not paths:
        msg = f"{folder} holds no photos ({', '.join(sorted(IMAGE_SUFFIXES))})"
        raise ValueError(msg)
    return tuple(
        Photo(path, kinds.get(path.relative_to(folder).as_posix(), "indoor"), _split_of(path))
        for path in paths
    )


def _split_of(path: Path) -> Split:
    number = int.from_bytes(hashlib.sha256(path.read_bytes()).digest()[:4], "big") / 2**32
    return Split.TEST if number < 0.2 else Split.VALIDATION if number < 0.4 else Split.TRAIN


class Backdrops:
    """Backgrounds of one split, in any size."""

    def __init__(self, split: Split, folder: Path | None = None) -> None:
        self._split = split
        photos = [photo for photo in read_photos(folder) if photo.split is split] if folder else []
        self._photos = {
            kind: [photo for photo in photos if photo.kind == kind]
            for kind in sorted({p.kind for p in photos})
        }
        self._loaded: OrderedDict[Path, ByteImage] = OrderedDict()

    def photos(self) -> list[Photo]:
        """All photos of this split."""
        return [photo for photos in self._photos.values() for photo in photos]

    def picture(
        self, application: str, size_px: tuple[int, int], rng: _Rng, *, clutter: bool = True
    ) -> tuple[ByteImage, str]:
        """A new RGB background of the given width and height, and its name."""
        kind = self._kind(application, rng)
        if kind is None or rng.random() < 0.06:
            rgb, name = self._room(size_px, rng)
        else:
            photos = self._photos[kind]
            photo = photos[int(rng.integers(len(photos)))]
            rgb, name = _cropped(self._load(photo.path), size_px, rng), photo.name
        if clutter and rng.random() < 0.28:
            rgb = add_clutter(rgb, rng)
        return rgb, name

    def _kind(self, application: str, rng: _Rng) -> str | None:
        wanted = _KINDS.get(application, _USUAL)
        shares = {kind: wanted.get(kind, 0.1) for kind in self._photos}
        if not sum(shares.values()):
            return None
        edges = np.cumsum(list(shares.values()))
        return list(shares)[int(np.searchsorted(edges, rng.random() * edges[-1], side="right"))]

    def _room(self, size_px: tuple[int, int], rng: _Rng) -> tuple[ByteImage, str]:
        # A room takes half a second at full size; drawn at half size it looks as soft as passthrough does.
        number = 3 * int(rng.integers(40)) + tuple(Split).index(self._split)
        key = Path(f"room-{number}")
        if key not in self._loaded:
            self._keep(key, draw_room(640, 480, number))
        return _cropped(self._loaded[key], size_px, rng), f"room/{number}"

    def _load(self, path: Path) -> ByteImage:
        if path not in self._loaded:
            bgr = cv2.imread(str(path), cv2.IMREAD_COLOR)
            if bgr is None:
                msg = f"{path} is not a readable photo; remove it from the folder of backgrounds"
                raise ValueError(msg)
            self._keep(path, np.asarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2RGB), dtype=np.uint8))
        self._loaded.move_to_end(path)
        return self._loaded[path]

    def _keep(self, key: Path, rgb: ByteImage) -> None:
        self._loaded[key] = rgb
        if len(self._loaded) > _KEPT:
            self._loaded.popitem(last=False)


def _cropped(rgb: ByteImage, size_px: tuple[int, int], rng: _Rng) -> ByteImage:
    """A random part with the right aspect, sometimes mirrored, in the wanted size."""
    width_px, height_px = size_px
    fit = min(rgb.shape[1] / width_px, rgb.shape[0] / height_px)
    part = float(rng.uniform(0.62, 1.0)) * fit
    wide, high = max(2, int(width_px * part)), max(2, int(height_px * part))
    left = int(rng.integers(rgb.shape[1] - wide + 1))
    top = int(rng.integers(rgb.shape[0] - high + 1))
    piece = rgb[top : top + high, left : left + wide]
    method = cv2.INTER_AREA if part > 1.2 else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(piece, size_px, interpolation=method), dtype=np.uint8)
