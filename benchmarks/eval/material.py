"""What is judged: scenes, clips and pictures without virtual content, kept on disk so that a run can go on.

A folder belongs to one generator, one set of assets and one set of photos; where any of them changes, another
folder is filled.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from pathlib import Path

import cv2

from arwarden.core.frame import ByteImage
from arwarden.headset.pictures import load_rgb
from models.elements.collage import Collages
from models.elements.crowded import CrowdedScenes
from models.scenes import scene as scene_module
from models.scenes.compose import NoRoomError
from models.scenes.kinds import KindFilter, Split
from models.scenes.painter import Painter
from models.scenes.scene import FULL_SIZE_PX, Scene, SceneMaker
from models.scenes.truth import ClipTruth, FrameTruth, SceneTruth, clip_from_json, scene_from_json, to_json
from models.scenes.video import Clip, ClipMaker, write_clip

JPEG_QUALITY = 95
GENERATOR = Path(scene_module.__file__).parent
RECORDING_S = (3.0, 5.0)


class Part(StrEnum):
    """The parts of the material."""

    FRAMES = "frames"
    HELD_OUT = "held_out"
    """Frames of kinds that nothing was trained on or written for."""
    CLIPS = "clips"
    NEGATIVES = "negatives"
    """Photos without virtual content."""
    CROWDED = "crowded"
    """Frames with further pictures in them, for counting elements: usual ones hold few of each class."""
    RECORDINGS = "recordings"
    """Clips without virtual content."""

    @property
    def moving(self) -> bool:
        """Whether its items are videos."""
        return self in (Part.CLIPS, Part.RECORDINGS)


@dataclass(frozen=True, slots=True)
class Still:
    """One picture to judge."""

    path: Path
    truth: SceneTruth

    def rgb(self) -> ByteImage:
        """The picture, uint8 of shape (height, width, 3)."""
        return load_rgb(self.path)


@dataclass(frozen=True, slots=True)
class Moving:
    """One video to judge."""

    path: Path
    truth: ClipTruth


class EmptyClips(ClipMaker):
    """Clips of a moving camera over a world without virtual content."""

    def __init__(self, scenes: SceneMaker) -> None:
        super().__init__(scenes, duration_s=RECORDING_S)
        self._split = scenes.split

    def clip(self, index: int) -> Clip:
        """The clip with this number, its elements taken away."""
        return replace(super().clip(index), placed=(), shown_s=(), pattern="empty")

    def truth(self, index: int, clip: Clip, frames: Sequence[FrameTruth]) -> ClipTruth:
        """That of a clip in which nothing is to be found."""
        situation = replace(clip.situation, contradictory=False, recipe="negative")
        scene = scene_module.scene_truth(
            f"r{index:05}",
            self._split,
            situation,
            (clip.camera.width_px, clip.camera.height_px),
            clip.background,
        )
        scene = replace(scene, pair=None, kind="", attribute="")
        return ClipTruth(scene, float(clip.fps), clip.pattern, None, tuple(frames))


class Material:
    """Makes items by their number when they are asked for first; afterwards they are read from disk."""

    def __init__(
        self,
        root: Path,
        split: Split,
        *,
        seed: int = 1,
        backgrounds: Path | None = None,
        painter: Painter | None = None,
        size_px: tuple[int, int] = FULL_SIZE_PX,
        clip_s: tuple[float, float] = (3.0, 8.0),
    ) -> None:
        """Without ``backgrounds`` the world is drawn rooms; without ``painter`` the project's own draws."""
        seen = SceneMaker(split, seed, painter=painter, backgrounds=backgrounds, size_px=size_px)
        held_out = SceneMaker(
            split,
            seed,
            painter=seen.painter,
            backgrounds=backgrounds,
            kinds=KindFilter.HELD_OUT,
            size_px=size_px,
        )
        self._makers: dict[Part, Callable[[int], Scene]] = {
            Part.FRAMES: seen.scene,
            Part.HELD_OUT: held_out.scene,
            Part.NEGATIVES: seen.negative,
            Part.CROWDED: lambda index: crowded().crowded(index),
        }

        @cache
        def crowded() -> CrowdedScenes:
            collages = Collages(split, seed, seen.backdrops)
            return CrowdedScenes(split, seed, backgrounds, collages, size_px)

        self._clips: dict[Part, ClipMaker] = {
            Part.CLIPS: ClipMaker(seen, duration_s=clip_s),
            Part.RECORDINGS: EmptyClips(seen),
        }
        key = _fingerprint(seed, backgrounds, painter, size_px, clip_s)
        self.folder = root / f"{split}-{key}"
        """Where the items lie."""

    def still(self, part: Part, index: int) -> Still | None:
        """A picture; None where its elements find no room, which is so for one scene in some hundreds."""
        path = self._path(part, index, ".jpg")
        truth_file = path.with_suffix(".json")
        if not truth_file.exists():
            try:
                scene = self._makers[part](index)
            except NoRoomError:
                return None
            _write_picture(path, scene.rgb)
            _write_truth(truth_file, scene.truth)
        return Still(path, scene_from_json(json.loads(truth_file.read_text(encoding="utf-8"))))

    def moving(self, part: Part, index: int) -> Moving | None:
        """A video; None where its elements find no room."""
        path = self._path(part, index, ".mp4")
        truth_file = path.with_suffix(".json")
        if not truth_file.exists():
            try:
                truth = write_clip(path, self._clips[part], index)
            except NoRoomError:
                return None
            _write_truth(truth_file, truth)
        return Moving(path, clip_from_json(json.loads(truth_file.read_text(encoding="utf-8"))))

    def _path(self, part: Part, index: int, suffix: str) -> Path:
        folder = self.folder / part.value
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"{index:05}{suffix}"


def _fingerprint(
    seed: int, backgrounds: Path | None, painter: Painter | None, *rest: tuple[float, ...]
) -> str:
    digest = hashlib.sha256(repr((seed, *rest)).encode())
    for path in sorted((*GENERATOR.rglob("*.py"), *GENERATOR.rglob("*.yaml"))):
        digest.update(path.read_bytes())
    if backgrounds is not None:
        photos = sorted(path for path in backgrounds.rglob("*") if path.is_file())
        digest.update(repr([(str(p.relative_to(backgrounds)), p.stat().st_size) for p in photos]).encode())
    if painter is None:
        from models.scenes.art.painter import default_library  # noqa: PLC0415 - tests run without the assets

        digest.update(default_library().fingerprint.encode())
    return digest.hexdigest()[:10]


def _write_picture(path: Path, rgb: ByteImage) -> None:
    done, data = cv2.imencode(path.suffix, rgb[:, :, ::-1], (cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY))
    if not done:
        msg = f"{path} cannot be encoded"
        raise OSError(msg)
    _write_whole(path, data.tobytes())


def _write_truth(path: Path, truth: SceneTruth | ClipTruth) -> None:
    _write_whole(path, json.dumps(to_json(truth)).encode())


def _write_whole(path: Path, content: bytes) -> None:
    partial = path.with_name(f".{path.name}.part")
    partial.write_bytes(content)
    partial.replace(path)
