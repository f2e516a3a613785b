"""Videos in ContrAR's layout, drawn by the scene generator from its test split."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arwarden.core.errors import ConfigError
from benchmarks.datasets.contrar import COLUMNS, TABLE
from benchmarks.datasets.origin import mark
from models.scenes.art.painter import default_library
from models.scenes.compose import NoRoomError
from models.scenes.kinds import PROPORTIONS, KindFilter, Split
from models.scenes.painter import Painter
from models.scenes.scene import FULL_SIZE_PX, SceneMaker
from models.scenes.truth import to_json
from models.scenes.video import ClipMaker, write_clip

HOW: Final = "drawn scenes"
SEED: Final = 5000
"""Away from the seeds of training data and of the benchmark eval."""
TOGETHER: Final = "together"
"""Both elements in view from the first frame to the last, as in the published videos."""
MOST_TRIED: Final = 60
"""Clips looked at for each that is kept, before giving up."""
LEAST_TRIED: Final = 300
"""For very small sets: about one clip in 30 is of a given application and label and shows both elements."""

Step = Callable[[], None]


@dataclass(frozen=True, slots=True)
class VideoOrder:
    """What is to be drawn. ``clip_s`` is the range of lengths; published videos have 5 to 15 s."""

    count: int
    seed: int = SEED
    size_px: tuple[int, int] = FULL_SIZE_PX
    clip_s: tuple[float, float] = (5.0, 15.0)
    backgrounds: Path | None = None
    kinds: KindFilter = KindFilter.ALL


def quotas(count: int) -> Counter[tuple[str, bool]]:
    """So many videos by application and label: labels 1:1, applications in the published proportions."""
    shares = {(name, label): share for name, share in PROPORTIONS.items() for label in (True, False)}
    whole = sum(shares.values())
    exact = {key: count * share / whole for key, share in shares.items()}
    found = Counter({key: int(value) for key, value in exact.items()})
    order = sorted(exact, key=lambda key: (found[key] - exact[key], key[0], not key[1]))
    for key in order[: count - found.total()]:
        found[key] += 1
    return found


def generate_contrar(
    out: Path, order: VideoOrder, painter: Painter | None = None, step: Step = lambda: None
) -> None:
    """Write the set; what is there already is kept.

    Raises:
        InputError: the folder holds something else.
        ConfigError: no scene of an application and label could be drawn; names the fix.
        AssetsMissing: what scenes are drawn with is not fetched; names the command. Without it only drawings
            that are in training data too would be left.
    """
    if painter is None:
        default_library().require()
    arguments = {
        "set": "contrar", "seed": order.seed, "size_px": list(order.size_px), "clip_s": list(order.clip_s),
        "count": order.count, "kinds": order.kinds.value,
        "backgrounds": None if order.backgrounds is None else order.backgrounds.name,
        "assets": default_library().fingerprint if painter is None else None,
    }  # fmt: skip
    mark(out, HOW, arguments)
    scenes = SceneMaker(
        Split.TEST, order.seed, painter=painter, backgrounds=order.backgrounds, kinds=order.kinds,
        size_px=order.size_px,
    )  # fmt: skip
    clips = ClipMaker(scenes, duration_s=order.clip_s)
    wanted = quotas(order.count)
    rows: list[tuple[str, str, str, str]] = []
    for index in range(max(LEAST_TRIED, MOST_TRIED * order.count)):
        if not wanted.total():
            break
        row = _one(out, clips, index, wanted)
        if row is not None:
            rows.append(row)
            step()
    if wanted.total():
        raise ConfigError(str(out), [f"{wanted.total()} videos could not be drawn; use another --seed"])
    with (out / TABLE).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        writer.writerows(rows)


def _one(
    out: Path, clips: ClipMaker, index: int, wanted: Counter[tuple[str, bool]]
) -> tuple[str, str, str, str] | None:
    """Draw the clip with this number, if it is one of those that are wanted."""
    try:
        clip = clips.clip(index)
    except NoRoomError:
        return None
    key = clip.situation.application, clip.situation.contradictory
    if clip.pattern != TOGETHER or not wanted[key]:
        return None
    label = "contradictory" if key[1] else "non_contradictory"
    path = out / key[0] / label / f"{index:05}.mp4"
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        truth = write_clip(path, clips, index)
        path.with_suffix(".json").write_text(json.dumps(to_json(truth)), encoding="utf-8")
    wanted[key] -= 1
    return f"{index:05}", path.relative_to(out).as_posix(), key[0], label
