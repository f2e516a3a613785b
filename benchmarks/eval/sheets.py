"""Contact sheets of wrong verdicts: what was there, what was found and read, what was made of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from arwarden.core.findings import Element
from arwarden.core.frame import ByteImage
from arwarden.headset.pictures import load_rgb
from arwarden.offline import decoded
from benchmarks.eval.judge import Record
from models.scenes.sheet import sheet

COLUMNS, ROWS, TILE_PX = 2, 4, 800
THERE, FOUND, NAMED = (255, 255, 255), (255, 170, 0), (255, 30, 30)
MISSED_BAR, ALARM_BAR = (150, 80, 0), (190, 0, 0)
_FONT = cv2.FONT_HERSHEY_SIMPLEX


def write_sheets(records: Sequence[Record], files: Path, folder: Path) -> list[Path]:
    """Draw all wrong verdicts, so many to a sheet; ``files`` is the folder of the material."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.jpg"):
        old.unlink()
    written = []
    for sort in ("missed", "false-alarms"):
        chosen = [
            one for one in records if one.cause is not None and one.truth.contradictory == (sort == "missed")
        ]
        for start in range(0, len(chosen), COLUMNS * ROWS):
            tiles = [drawn(one, _picture(one, files)) for one in chosen[start : start + COLUMNS * ROWS]]
            path = folder / f"{sort}-{start // (COLUMNS * ROWS):02}.jpg"
            cv2.imwrite(str(path), sheet(tiles, COLUMNS, TILE_PX)[:, :, ::-1], (cv2.IMWRITE_JPEG_QUALITY, 85))
            written.append(path)
    return written


def drawn(record: Record, rgb: ByteImage) -> ByteImage:
    """A picture with the pair (white), what was found (orange) and what was raised (red)."""
    out = rgb.copy()
    truth = record.truth
    for one in truth.elements:
        if truth.pair is not None and one.index in truth.pair:
            quad = np.round(np.array(one.quad) * (out.shape[1], out.shape[0])).astype(np.int32)
            cv2.polylines(out, [quad], True, THERE, 2, cv2.LINE_AA)
    named = {element.box for element in record.finding.elements} if record.finding is not None else set()
    for element in record.elements:
        _draw(out, element, NAMED if element.box in named else FOUND)
    cause = record.cause
    lines = [
        f"{record.part.value} {record.name} {truth.application}/{truth.kind} {truth.recipe} | {record.forms}",
        "" if cause is None else f"{cause.stage}: {'; '.join(cause.faults)}",
        " | ".join(
            one.text.replace("\n", " / ") for one in truth.elements if truth.pair and one.index in truth.pair
        ),
        "" if record.finding is None else f"{record.finding.confidence:.2f} {record.finding.message}",
    ]
    bar = np.zeros((22 * len(lines) + 8, out.shape[1], 3), np.uint8)
    bar[:] = MISSED_BAR if truth.contradictory else ALARM_BAR
    for place, line in enumerate(lines):
        cv2.putText(bar, line[:150], (6, 20 + 22 * place), _FONT, 0.55, THERE, 1, cv2.LINE_AA)
    return np.vstack([bar, out])


def _draw(out: ByteImage, element: Element, colour: tuple[int, int, int]) -> None:
    height, width = out.shape[:2]
    x, y, w, h = element.box
    left, top, right, bottom = (
        round(x * width),
        round(y * height),
        round((x + w) * width),
        round((y + h) * height),
    )
    cv2.rectangle(out, (left, top), (right, bottom), colour, 2)
    way = "" if element.direction_deg is None else f" {element.direction_deg:.0f}deg"
    claims = ", ".join(claim.describe() for claim in element.claims[:2])
    said = " ".join(part.label for part in element.parts)
    for place, text in enumerate(
        (f"{element.type.value} {said}{way}: {element.text!r}"[:70], claims.replace("≠", "!=")[:80])
    ):
        at = (left, min(height - 6, bottom + 18 + 20 * place))
        cv2.putText(out, text, at, _FONT, 0.6, (0, 0, 0), 4, cv2.LINE_AA)
        cv2.putText(out, text, at, _FONT, 0.6, colour, 1, cv2.LINE_AA)


def _picture(record: Record, files: Path) -> ByteImage:
    folder = files / record.part.value
    if not record.part.moving:
        return load_rgb(folder / f"{record.name}.jpg")
    found: ByteImage | None = None
    for at_s, _, picture in decoded(folder / f"{record.name}.mp4"):
        found = picture.rgb()
        if at_s >= record.at_s:
            break
    if found is None:
        msg = f"{folder / record.name} holds no frame"
        raise ValueError(msg)
    return found
