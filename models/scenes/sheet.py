"""Contact sheets to look at: scenes with their boxes, quads, directions and labels drawn in.

python -m models.scenes.sheet --out sheet.png --split train --count 12 --seed 1 --backgrounds DIR
python -m models.scenes.sheet --out sheet.png --scenes DIR       (what generate.py wrote)
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

import cv2
import numpy as np

from arwarden.core.frame import ByteImage
from models.scenes.kinds import KindFilter, Split
from models.scenes.scene import Scene, SceneMaker
from models.scenes.truth import ElementTruth, SceneTruth, scene_from_json

_COLOURS = {"panel": (40, 120, 255), "arrow": (255, 140, 0), "text": (110, 110, 110), "flag": (220, 0, 160)}
_OTHER = (0, 170, 60)


def drawn_over(rgb: ByteImage, truth: SceneTruth) -> ByteImage:
    """The picture with its truth: boxes thick for the pair, quads thin, arrows for directions."""
    out = rgb.copy()
    for element in truth.elements:
        _draw_element(out, element, paired=truth.pair is not None and element.index in truth.pair)
    label = "CONTRADICTORY" if truth.contradictory else "coherent"
    text = f"{truth.application} | {label} | {truth.kind or '-'} | {truth.recipe}"
    cv2.rectangle(out, (0, 0), (out.shape[1], 26), (200, 0, 0) if truth.contradictory else (0, 110, 0), -1)
    cv2.putText(out, text, (6, 19), cv2.FONT_HERSHEY_SIMPLEX, 0.6, (255, 255, 255), 1, cv2.LINE_AA)
    return out


def sheet(pictures: Sequence[ByteImage], columns: int, tile_width_px: int = 640) -> ByteImage:
    """The pictures side by side in rows, all at one width."""
    tiles = [
        cv2.resize(one, (tile_width_px, round(one.shape[0] * tile_width_px / one.shape[1])))
        for one in pictures
    ]
    height_px = max(tile.shape[0] for tile in tiles)
    rows = math.ceil(len(tiles) / columns)
    out = np.zeros((rows * height_px, columns * tile_width_px, 3), dtype=np.uint8)
    for place, tile in enumerate(tiles):
        top, left = place // columns * height_px, place % columns * tile_width_px
        out[top : top + tile.shape[0], left : left + tile_width_px] = tile
    return out


def _draw_element(out: ByteImage, element: ElementTruth, *, paired: bool) -> None:
    height_px, width_px = out.shape[:2]
    colour = _COLOURS.get(element.kind, _OTHER)
    quad = np.round(np.array(element.quad) * (width_px, height_px)).astype(np.int32)
    cv2.polylines(out, [quad], True, colour, 1, cv2.LINE_AA)
    if element.kind == "text":
        return
    x, y, width, height = element.box
    left, top = round(x * width_px), round(y * height_px)
    right, bottom = round((x + width) * width_px), round((y + height) * height_px)
    cv2.rectangle(out, (left, top), (right, bottom), colour, 3 if paired else 1)
    text = f"{element.index} {element.kind}:{element.cls} {element.visibility:.2f}"
    cv2.putText(
        out, text, (left + 2, max(40, top - 5)), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (0, 0, 0), 3, cv2.LINE_AA
    )
    cv2.putText(
        out, text, (left + 2, max(40, top - 5)), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (255, 255, 0), 1, cv2.LINE_AA
    )
    if element.direction_deg is not None:
        angle = math.radians(element.direction_deg)
        middle = ((left + right) // 2, (top + bottom) // 2)
        tip = (round(middle[0] + 60 * math.cos(angle)), round(middle[1] - 60 * math.sin(angle)))
        cv2.arrowedLine(out, middle, tip, (255, 0, 0), 3, cv2.LINE_AA)


def _from_disk(folder: Path) -> Iterable[Scene]:
    for line in (folder / "truth.jsonl").read_text(encoding="utf-8").splitlines():
        truth = scene_from_json(json.loads(line))
        bgr = cv2.imread(str(folder / truth.file), cv2.IMREAD_COLOR)
        if bgr is None:
            msg = f"{folder / truth.file} is missing: run models.scenes.generate again"
            raise SystemExit(msg)
        yield Scene(np.asarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2RGB), dtype=np.uint8), truth)


def main(arguments: Sequence[str] | None = None) -> None:
    """Write one contact sheet."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--scenes", type=Path, help="folder that models.scenes.generate wrote")
    parser.add_argument("--split", type=Split, default=Split.TRAIN, choices=list(Split))
    parser.add_argument("--kinds", type=KindFilter, default=KindFilter.SEEN, choices=list(KindFilter))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=12)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--columns", type=int, default=3)
    parser.add_argument("--tile-width", type=int, default=640)
    parser.add_argument("--backgrounds", type=Path)
    parser.add_argument("--plain", action="store_true", help="without the truth drawn in")
    options = parser.parse_args(arguments)
    if options.scenes is not None:
        found = list(islice(_from_disk(options.scenes), options.start, options.start + options.count))
    else:
        maker = SceneMaker(options.split, options.seed, backgrounds=options.backgrounds, kinds=options.kinds)
        found = [maker.scene(index) for index in range(options.start, options.start + options.count)]
    pictures = [one.rgb if options.plain else drawn_over(one.rgb, one.truth) for one in found]
    picture = sheet(pictures, options.columns, options.tile_width)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(options.out), picture[:, :, ::-1])


if __name__ == "__main__":
    main()
