"""Clips: a moving camera, elements that appear, leave, take turns or replace each other; truth per frame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np

from arwarden.core.frame import ByteImage
from models.scenes.capture import Wear, seen_by_camera, sent
from models.scenes.chance import weighted
from models.scenes.compose import Placed, Placer, element_truths
from models.scenes.overlay import Seen, overlay
from models.scenes.scene import SceneMaker, camera_of, scene_truth
from models.scenes.situation import Situation
from models.scenes.truth import ClipTruth, ElementTruth, FrameTruth, SceneTruth
from models.scenes.view import Camera, Pose, Vector, homography

X264 = {"preset": "veryfast", "threads": "1", "x264-params": "cpu-independent=1"}
"""The same frames give the same file. Without the last the encoder's fast paths differ by CPU, and by chance:
at 96x64, 320x180, 480x270 and others the same pictures gave another file each time."""
_Rng = np.random.Generator
PATTERNS = {"together": 0.4, "appearing": 0.3, "leaving": 0.08, "alternating": 0.22}
REPLACED = 0.15
"""Share of the clips without a contradiction whose pair would be one if it were shown together: the second
takes the first one's place for good, as when a door is opened."""
FADE_S = 0.15
EVIDENT_VISIBILITY = 0.65
"""From this share in view on, with its texts whole, an element counts as readable."""
_WORLD_DEPTH_M = 4.0
_WORLD_MARGIN = 1.5
"""The world is a photo on a distant plane, this much wider than the view at rest."""
_Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Motion:
    """How the camera moves: slow swings, shake of the head, steps. Angles in degrees, lengths in metres."""

    swing_deg: tuple[float, float]
    swing_hz: float
    phase: float
    shake_deg: float
    walk_m_s: float
    bob_m: float
    drift: tuple[float, ...]
    """Eight random numbers that the shake is made of."""

    @classmethod
    def drawn(cls, rng: _Rng) -> Motion:
        """A random one: still, panning or walking."""
        panning, walking = rng.random() < 0.55, rng.random() < 0.35
        return cls(
            swing_deg=(float(rng.uniform(1.5, 9.0)), float(rng.uniform(0.3, 3.0))) if panning else (0.6, 0.4),
            swing_hz=float(rng.uniform(0.08, 0.3)),
            phase=float(rng.uniform(0, 2 * np.pi)),
            shake_deg=float(rng.uniform(0.05, 0.35)),
            walk_m_s=float(rng.uniform(0.03, 0.12)) if walking else 0.0,
            bob_m=float(rng.uniform(0.004, 0.015)) if walking else 0.001,
            drift=tuple(float(number) for number in rng.uniform(0, 2 * np.pi, 8)),
        )

    def camera(self, at_rest: Camera, t_s: float) -> Camera:
        """The camera at a time."""
        turn = 2 * np.pi * self.swing_hz * t_s + self.phase
        shake = [
            sum(
                np.sin(2 * np.pi * hz * t_s + self.drift[place + axis])
                for place, hz in enumerate((0.9, 2.3, 4.1))
            )
            / 2
            for axis in (0, 3)
        ]
        return replace(
            at_rest,
            yaw_deg=float(
                self.swing_deg[0] * (np.sin(turn) - np.sin(self.phase)) / 1.5 + self.shake_deg * shake[0]
            ),
            pitch_deg=float(
                self.swing_deg[1] * (np.cos(turn) - np.cos(self.phase)) / 1.5 + self.shake_deg * shake[1]
            ),
            roll_deg=float(self.shake_deg * np.sin(2 * np.pi * 0.6 * t_s + self.drift[6])),
            position_m=(
                0.0,
                float(self.bob_m * np.sin(2 * np.pi * 1.8 * t_s + self.drift[7])),
                self.walk_m_s * t_s,
            ),
        )


@dataclass(frozen=True, slots=True)
class Clip:
    """A clip that is about to be drawn, frame by frame."""

    situation: Situation
    placed: tuple[Placed, ...]
    shown_s: tuple[tuple[_Interval, ...], ...]
    """For each element, when it is shown."""
    pattern: str
    motion: Motion
    camera: Camera
    wear: Wear
    world: ByteImage
    background: str
    fps: int
    frame_count: int
    noise_seed: tuple[int, ...]

    @property
    def duration_s(self) -> float:
        """Length of the clip."""
        return self.frame_count / self.fps


class ClipMaker:
    """Makes the clips of one split and seed, each by its number."""

    def __init__(
        self, scenes: SceneMaker, *, duration_s: _Interval = (3.0, 8.0), fps: tuple[int, int] = (15, 30)
    ) -> None:
        """Everything that scenes are made of comes from ``scenes``."""
        self._scenes = scenes
        self._duration_s = duration_s
        self._fps = fps

    def clip(self, index: int) -> Clip:
        """What the clip with this number will show."""
        maker = self._scenes
        rng = maker.rng(index, purpose=2)
        situation = maker.situation(index, rng)
        replaced = self._replaced(index, situation)
        situation = situation if replaced is None else replaced
        camera = camera_of(maker.size_px, rng)
        placer = Placer(camera, rng, truncated=0.12, drawn_scale=maker.scale)
        placed = placer.place(maker.drawn(situation, rng))
        pattern = weighted(tuple(PATTERNS), tuple(PATTERNS.values()), rng)
        pattern = pattern if replaced is None else "replaced"
        fps = int(rng.integers(self._fps[0], self._fps[1] + 1))
        frame_count = max(2, round(float(rng.uniform(*self._duration_s)) * fps))
        if pattern in {"alternating", "replaced"}:
            placed = (placed[0], _at_the_place_of(placed[0], placed[1]), *placed[2:])
        size = (round(maker.size_px[0] * _WORLD_MARGIN), round(maker.size_px[1] * _WORLD_MARGIN))
        world, background = maker.backdrops.picture(situation.application, size, rng)
        return Clip(
            situation=situation,
            placed=placed,
            shown_s=_schedule(pattern, len(placed), frame_count / fps, rng),
            pattern=pattern,
            motion=Motion.drawn(rng),
            camera=camera,
            wear=Wear.drawn(rng, video=True),
            world=world,
            background=background,
            fps=fps,
            frame_count=frame_count,
            noise_seed=(maker.seed, index),
        )

    def _replaced(self, index: int, situation: Situation) -> Situation | None:
        """Now and then, instead of a coherent situation, one whose first element gives way to the second."""
        rng = self._scenes.rng(index, purpose=3)
        if situation.contradictory or rng.random() >= REPLACED:
            return None
        changed = self._scenes.author.situation(situation.application, rng, contradictory=True)
        return replace(changed, contradictory=False, recipe="replaced")

    def frames(self, clip: Clip) -> Iterator[tuple[ByteImage, FrameTruth]]:
        """The pictures of the clip and what is in view in each."""
        rng = np.random.default_rng(clip.noise_seed)
        before: Camera | None = None
        for number in range(clip.frame_count):
            t_s = number / clip.fps
            camera = clip.motion.camera(clip.camera, t_s)
            world = seen_by_camera(_world_seen(clip, camera), clip.wear, rng)
            opacities = [_opacity(intervals, t_s) for intervals in clip.shown_s]
            visible = [place for place, opacity in enumerate(opacities) if opacity > 0.02]
            # The pair comes first, so it is drawn last: on top.
            shown = [
                replace(
                    clip.placed[place].shown(camera), opacity=clip.placed[place].opacity * opacities[place]
                )
                for place in reversed(visible)
            ]
            rgb, seen = overlay(world, shown)
            elements = _truths(clip.placed, dict(zip(reversed(visible), seen, strict=True)), opacities)
            yield sent(rgb, _moved(clip.wear, before, camera)), FrameTruth(t_s, elements)
            before = camera

    def truth(self, index: int, clip: Clip, frames: Sequence[FrameTruth]) -> ClipTruth:
        """The truth of a clip whose frames have been drawn."""
        maker = self._scenes
        best: dict[int, ElementTruth] = {}
        for frame in frames:
            for element in frame.elements:
                if element.index not in best or element.visibility > best[element.index].visibility:
                    best[element.index] = element
        scene: SceneTruth = replace(
            scene_truth(
                f"{maker.split}-{maker.seed}-v{index:05}",
                maker.split,
                clip.situation,
                maker.size_px,
                clip.background,
            ),
            elements=tuple(best[place] for place in sorted(best)),
        )
        return ClipTruth(
            scene, float(clip.fps), clip.pattern, _evident_from_s(frames, clip.placed), tuple(frames)
        )


def write_clip(path: Path, maker: ClipMaker, index: int, *, rate_factor: int = 23) -> ClipTruth:
    """Draw a clip into an MP4 file (H264) and return its truth. An unfinished file is never left behind."""
    clip = maker.clip(index)
    partial = path.with_name(f".{path.name}.part")
    truths: list[FrameTruth] = []
    width_px, height_px = clip.camera.width_px, clip.camera.height_px
    with av.open(str(partial), "w", format="mp4") as container:
        stream = container.add_stream("libx264", rate=Fraction(clip.fps))
        stream.width, stream.height, stream.pix_fmt = width_px, height_px, "yuv420p"
        stream.options = {**X264, "crf": str(rate_factor), "g": str(clip.fps)}
        for rgb, truth in maker.frames(clip):
            truths.append(truth)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(rgb, format="rgb24")))
        container.mux(stream.encode(None))
    partial.replace(path)
    whole = maker.truth(index, clip, truths)
    return replace(whole, scene=replace(whole.scene, file=path.name))


def _at_the_place_of(first: Placed, second: Placed) -> Placed:
    """The second where the first hangs, at its own size: cues that take turns in one place."""
    pose: Pose = replace(first.pose, width_m=second.pose.width_m, height_m=second.pose.height_m)
    ratio = first.pose.centre_m[2] / second.pose.centre_m[2]
    return replace(second, pose=replace(pose, width_m=pose.width_m * ratio, height_m=pose.height_m * ratio))


def _schedule(pattern: str, count: int, duration_s: float, rng: _Rng) -> tuple[tuple[_Interval, ...], ...]:
    """When each element is shown; the first two are the pair."""
    always: tuple[_Interval, ...] = ((-1.0, duration_s + 1.0),)
    others = tuple(
        always if rng.random() < 0.7 else ((float(rng.uniform(0, duration_s / 2)), duration_s + 1.0),)
        for _ in range(count - 2)
    )
    if pattern == "appearing":
        first = float(rng.uniform(0.0, 0.25)) * duration_s if rng.random() < 0.5 else -1.0
        second = float(rng.uniform(0.25, 0.6)) * duration_s
        return (((first, duration_s + 1.0),), ((second, duration_s + 1.0),), *others)
    if pattern == "replaced":
        change = float(rng.uniform(0.35, 0.65)) * duration_s
        return (((-1.0, change),), ((change, duration_s + 1.0),), *others)
    if pattern == "leaving":
        end = float(rng.uniform(0.45, 0.75)) * duration_s
        return (always, ((-1.0, end),), *others)
    if pattern == "alternating":
        each_s = float(rng.uniform(0.6, max(0.6, min(1.6, duration_s / 3))))
        turns = int(np.ceil(duration_s / each_s))
        start = -FADE_S
        spans = [(start + turn * each_s, start + (turn + 1) * each_s) for turn in range(turns + 1)]
        return (tuple(spans[::2]), tuple(spans[1::2]), *others)
    return (always, always, *others)


def _opacity(intervals: Sequence[_Interval], t_s: float) -> float:
    """How solid an element is: it fades in after the start of an interval and out before its end."""
    for start, end in intervals:
        if start <= t_s < end:
            return float(np.clip(min(t_s - start, end - t_s) / FADE_S, 0.0, 1.0))
    return 0.0


def _world_seen(clip: Clip, camera: Camera) -> ByteImage:
    height_px, width_px = clip.world.shape[:2]
    half = (
        np.array([camera.width_px, camera.height_px]) * _WORLD_MARGIN / 2 / camera.focal_px * _WORLD_DEPTH_M
    )
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half
    points: Vector = np.hstack([corners, np.full((4, 1), _WORLD_DEPTH_M)])
    matrix = homography(width_px, height_px, camera.project(points))
    return np.asarray(
        cv2.warpPerspective(
            clip.world,
            matrix,
            (camera.width_px, camera.height_px),
            flags=cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_REFLECT,
        ),
        dtype=np.uint8,
    )


def _moved(wear: Wear, before: Camera | None, camera: Camera) -> Wear:
    """The wear with the blur of the camera's turn during a shutter of 40 % of the frame time."""
    if before is None:
        return replace(wear, motion_px=0.0)
    per_degree_px = camera.focal_px * np.pi / 180
    turn = np.array([camera.yaw_deg - before.yaw_deg, camera.pitch_deg - before.pitch_deg]) * per_degree_px
    lines = camera.height_px / 720.0
    angle = float(np.degrees(np.arctan2(turn[1], turn[0]))) % 180.0
    return replace(wear, motion_px=0.4 * float(np.hypot(*turn)) / lines, motion_deg=angle)


def _truths(
    placed: Sequence[Placed], seen: dict[int, Seen], opacities: Sequence[float]
) -> tuple[ElementTruth, ...]:
    """The elements in view with numbers that stay the same through the clip."""
    nothing = Seen((0.0, 0.0, 0.0, 0.0), ((0.0, 0.0),) * 4, 0.0)
    every = [
        seen.get(place, replace(nothing, parts=tuple(replace(nothing, part=part) for part in one.art.parts)))
        for place, one in enumerate(placed)
    ]
    # Parts of an element out of view are missing from what is seen: filled up, so that numbers stay.
    whole = [
        one
        if one.parts or not placed[place].art.parts
        else replace(one, parts=tuple(replace(nothing, part=part) for part in placed[place].art.parts))
        for place, one in enumerate(every)
    ]
    truths = element_truths(placed, whole, least=-1.0)
    found = []
    for element in truths:
        carrier = element.index if element.carried_by is None else element.carried_by
        opacity = element.opacity * opacities[carrier]
        if element.visibility >= 0.05 and opacity >= 0.3:
            found.append(replace(element, opacity=opacity))
    return tuple(found)


def _evident_from_s(frames: Sequence[FrameTruth], placed: Sequence[Placed]) -> float | None:
    """The first time by which both elements of the pair have been readable."""
    waiting = {0, 1}
    for frame in frames:
        waiting -= {index for index in waiting if _readable(frame.elements, index, placed[index])}
        if not waiting:
            return frame.t_s
    return None


def _readable(elements: Sequence[ElementTruth], index: int, placed: Placed) -> bool:
    whole = any(
        one.index == index and one.visibility >= EVIDENT_VISIBILITY and one.opacity >= 0.6 for one in elements
    )
    lines = [
        one for one in elements if one.carried_by == index and one.kind == "text" and one.visibility >= 0.9
    ]
    return whole and len(lines) == sum(part.kind == "text" for part in placed.art.parts)
