"""Videos in AR-VIM's layout: a drawn sign, and virtual content that changes, hides or denies what it says.

A sign says something and points somewhere. An attack replaces a character, the phrase or the arrow, covers
it, or adds something that is wrong. Where nothing is attacked a harmless panel is added.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from arwarden.core.frame import ByteImage
from benchmarks.datasets.arvim import FORMATS, PURPOSES
from benchmarks.datasets.drawing import FPS, margin_px, swaying, write_video
from benchmarks.datasets.origin import mark

HOW: Final = "drawn signs and manipulations"
SOURCE: Final = "Monitor-Based Data"
CLIP_S: Final = 2.0

Colour = tuple[int, int, int]
PAPER: Final = (245, 243, 235)
INK: Final = (25, 25, 30)
VIRTUAL: Final = (30, 90, 200)


@dataclass(frozen=True, slots=True)
class Sign:
    """A real sign: what it says, the same with another character, and another phrase."""

    says: str
    character: str
    phrase: str


SIGNS: Final = (
    Sign("Gate 12", "Gate 72", "Gate closed"),
    Sign("Room 305", "Room 308", "Staff only"),
    Sign("Price 4.50", "Price 1.50", "Free today"),
    Sign("Danger 400 V", "Danger 4 V", "Safe to touch"),
    Sign("Speed limit 30", "Speed limit 80", "No speed limit"),
    Sign("Bus 17 Airport", "Bus 11 Airport", "Bus 17 Harbour"),
    Sign("Max. 2 tablets", "Max. 8 tablets", "Take as needed"),
    Sign("Open until 18:00", "Open until 13:00", "Closed on Mondays"),
)
HARMLESS: Final = ("Welcome", "12:30", "21 °C", "Battery 80 %", "3 messages")


def generate_arvim(
    out: Path, count: int, *, seed: int, size_px: tuple[int, int], step: Callable[[], None] = lambda: None
) -> None:
    """Write ``count`` pairs, attacked or not 1:1, over all formats and purposes in turn.

    Raises:
        InputError: the folder holds something else.
        ValueError: width or height is odd.
    """
    mark(out, HOW, {"set": "arvim", "seed": seed, "count": count, "size_px": list(size_px)})
    rng = np.random.default_rng((seed, 5))
    numbers: dict[tuple[str, str], int] = {}
    kinds = [(form, purpose) for form in FORMATS for purpose in PURPOSES]
    for index in range(count):
        attacked, (form, purpose) = index % 2 == 0, kinds[index // 2 % len(kinds)]
        folder = out / SOURCE / f"{form} + {purpose}"
        folder.mkdir(parents=True, exist_ok=True)
        letter = "A" if attacked else "N"
        number = numbers[folder.name, letter] = numbers.get((folder.name, letter), 0) + 1
        raw, augmented = _drawn(size_px, (form, purpose) if attacked else None, rng)
        for kind, whole in (("Raw", raw), ("Augmented", augmented)):
            path = folder / f"{kind}_Recordings_{letter}_{number:03}.mp4"
            write_video(path, swaying(whole, size_px, round(FPS * CLIP_S)), size_px)
        step()


def _drawn(
    size_px: tuple[int, int], attack: tuple[str, str] | None, rng: np.random.Generator
) -> tuple[ByteImage, ByteImage]:
    """A view without and with virtual content, with a margin for a camera that sways."""
    margin = margin_px(size_px)
    width, height = size_px
    wall = tuple(int(part) for part in rng.integers(120, 190, 3))
    view = _View(
        Image.new("RGB", (width + 2 * margin, height + 2 * margin), wall),
        sign=(margin + round(0.3 * width), margin + round(0.3 * height)),
        unit=height / 20,
    )
    sign, left = SIGNS[int(rng.integers(len(SIGNS)))], bool(rng.random() < 0.5)
    view.sheet(8.0)
    view.words(sign.says, INK, row=1.0)
    view.arrow(left=left, colour=INK)
    raw = view.rgb()
    if attack is None:
        view.panel(HARMLESS[int(rng.integers(len(HARMLESS)))])
    else:
        _attacked(view, sign, attack, left=left)
    return raw, view.rgb()


def _attacked(view: _View, sign: Sign, attack: tuple[str, str], *, left: bool) -> None:
    form, purpose = attack
    pattern = form == FORMATS[2]
    other = sign.character if form == FORMATS[0] else sign.phrase
    if purpose == PURPOSES[2]:  # beside what is there
        if pattern:
            view.arrow(left=not left, colour=VIRTUAL, row=10.0)
        else:
            view.panel(other)
        return
    colour = PAPER if purpose == PURPOSES[0] else VIRTUAL
    hides_an_end = form == FORMATS[0] and purpose == PURPOSES[1]
    view.patch(row=3.9 if pattern else 0.6, colour=colour, begins=0.3 if hides_an_end else 0.0)
    if purpose == PURPOSES[0]:
        if pattern:
            view.arrow(left=not left, colour=INK)
        else:
            view.words(other, INK, row=1.0)


@dataclass(slots=True)
class _View:
    """What is drawn on. ``unit`` is a twentieth of the view's height, ``sign`` the sign's upper left."""

    image: Image.Image
    sign: tuple[int, int]
    unit: float

    @property
    def _width(self) -> float:
        return 19 * self.unit

    def rgb(self) -> ByteImage:
        return np.asarray(self.image, dtype=np.uint8).copy()

    def sheet(self, rows: float) -> None:
        x, y = self.sign
        box = (x, y, round(x + self._width), round(y + rows * self.unit))
        ImageDraw.Draw(self.image).rectangle(box, fill=PAPER, outline=(90, 90, 90), width=2)

    def words(self, text: str, colour: Colour, row: float) -> None:
        x, y = self.sign
        font = ImageFont.load_default(round(2.1 * self.unit))
        ImageDraw.Draw(self.image).text((x + self.unit, y + row * self.unit), text, fill=colour, font=font)

    def arrow(self, *, left: bool, colour: Colour, row: float = 5.7) -> None:
        x, y = self.sign
        near, far = round(x + 3 * self.unit), round(x + 12 * self.unit)
        level = round(y + row * self.unit)
        ends = ((far, level), (near, level)) if left else ((near, level), (far, level))
        rgb = self.rgb()
        cv2.arrowedLine(rgb, *ends, colour, max(2, round(0.5 * self.unit)), cv2.LINE_AA, tipLength=0.16)
        self.image = Image.fromarray(rgb)

    def patch(self, row: float, colour: Colour, begins: float) -> None:
        """Cover a row of the sign, from a share of its width on."""
        x, y = self.sign
        left, right = round(x + begins * self._width) + 4, round(x + self._width) - 4
        box = (left, round(y + row * self.unit), right, round(y + (row + 3.3) * self.unit))
        ImageDraw.Draw(self.image).rectangle(box, fill=colour)

    def panel(self, text: str) -> None:
        x, y = self.sign
        top = round(y + 8.8 * self.unit)
        draw = ImageDraw.Draw(self.image)
        draw.rounded_rectangle(
            (x, top, round(x + self._width), round(top + 3 * self.unit)), radius=8, fill=VIRTUAL
        )
        font = ImageFont.load_default(round(1.8 * self.unit))
        draw.text((x + self.unit, top + 0.5 * self.unit), text, fill=(255, 255, 255), font=font)
