"""The corpus of attempts, and the pictures they are drawn into."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Final, Literal, NamedTuple

import numpy as np
import yaml
from PIL import Image, ImageDraw, ImageFont
from pydantic import BaseModel, ConfigDict, Field

from arwarden.core.errors import ConfigError
from arwarden.core.frame import ByteImage
from arwarden.headset.panels import PASTELS, Colour
from arwarden.headset.room import draw_room
from arwarden.headset.situations import COHERENT, CONTRADICTORY, Situation

CORPUS_FILE: Final = "corpus.yaml"
WIDTH_PX: Final = 1280
HEIGHT_PX: Final = 720
PLAIN_PX: Final = 30
TINY_PX: Final = 12
"""A tenth of a millimetre short of what a wearer notices at arm's length, and at the limit of reading."""
FAINT_STEP: Final = 38
"""Grey levels between faint text and its panel."""
INK: Final = (18, 24, 32)
ATTACK_LEFT_PX: Final = 40
OTHERS_LEFT_PX: Final = 760
ROOM_SEED: Final = 4


class Attempt(BaseModel):
    """Orders to the judge, and how they are drawn."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    technique: str
    wants: Literal["yes", "no"] = Field(description="The verdict that the attacker wants.")
    texts: tuple[str, ...] = Field(min_length=1, max_length=4, description="Panels, top to bottom.")
    look: Literal["plain", "tiny", "faint"] = "plain"
    language: str = "en"

    @property
    def situation(self) -> Situation:
        """The content beside it: what the attacker wants to be judged wrongly."""
        choices = CONTRADICTORY if self.wants == "no" else COHERENT
        return choices[sum(map(ord, self.id)) % len(choices)]


class _Place(NamedTuple):
    left_px: int
    top_px: int


def shipped_attempts() -> tuple[Attempt, ...]:
    """The corpus that lies beside this module."""
    return read_attempts(Path(str(files("benchmarks.injection"))) / CORPUS_FILE)


def read_attempts(path: Path) -> tuple[Attempt, ...]:
    """A corpus file. Raises ``ConfigError`` that names what is wrong with it."""
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
        attempts = tuple(Attempt.model_validate(entry) for entry in content["attempts"])
    except (OSError, yaml.YAMLError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(str(path), [" ".join(str(error).split())[:300]]) from error
    if not attempts:
        raise ConfigError(str(path), ["attempts: there are none"])
    return attempts


def drawable(attempt: Attempt, font: Path | None = None) -> bool:
    """Whether the font has every letter of it; Pillow's own has Latin letters only."""
    used = _font(PLAIN_PX, font)
    missing = used.getmask("\U0010ffff").getbbox(), bytes(used.getmask("\U0010ffff"))
    letters = {char for text in attempt.texts for char in text if not char.isspace()}
    return all((used.getmask(char).getbbox(), bytes(used.getmask(char))) != missing for char in letters)


def painted(attempt: Attempt, font: Path | None = None, *, attacked: bool = True) -> ByteImage:
    """The view with the content and, unless ``attacked`` is False, the orders: RGB, 1280×720."""
    image = Image.fromarray(_room().copy())
    tops = (130, 470)
    for turn, text in enumerate(attempt.situation.texts[:2]):
        fill = PASTELS[(turn + 2) % len(PASTELS)]
        _panel(image, text, _Place(OTHERS_LEFT_PX, tops[turn]), _font(PLAIN_PX, font), (fill, INK))
    if attacked:
        top_px = 60
        for text in attempt.texts:
            top_px += _attack(image, text, top_px, attempt, font) + 24
    return np.asarray(image, dtype=np.uint8)


def _attack(image: Image.Image, text: str, top_px: int, attempt: Attempt, font: Path | None) -> int:
    fill = PASTELS[0]
    faint = tuple(level - FAINT_STEP for level in fill)
    ink = (faint[0], faint[1], faint[2]) if attempt.look == "faint" else INK
    size_px = TINY_PX if attempt.look == "tiny" else PLAIN_PX
    return _panel(image, text, _Place(ATTACK_LEFT_PX, top_px), _font(size_px, font), (fill, ink))


def _panel(
    image: Image.Image,
    text: str,
    place: _Place,
    font: ImageFont.FreeTypeFont,
    colours: tuple[Colour, Colour],
) -> int:
    """Draw a panel in the colours of its face and its letters, and return its height."""
    fill, ink = colours
    size = round(font.size)
    lines = list(_broken(text, font, WIDTH_PX // 2 - 4 * size))
    width = max(round(font.getlength(line)) for line in lines) + 2 * size
    height = round(len(lines) * size * 1.35) + size
    draw = ImageDraw.Draw(image)
    box = (place.left_px, place.top_px, place.left_px + width, place.top_px + height)
    draw.rounded_rectangle(box, radius=size // 2, fill=fill)
    for index, line in enumerate(lines):
        draw.text(
            (place.left_px + size, place.top_px + size * (0.5 + 1.35 * index)), line, font=font, fill=ink
        )
    return height


def _broken(text: str, font: ImageFont.FreeTypeFont, room_px: float) -> Iterator[str]:
    """Lines that fit; words that do not, and writing without spaces, are broken anywhere."""
    line = ""
    for word in _pieces(text.split(), font, room_px):
        longer = f"{line} {word}".strip()
        if line and font.getlength(longer) > room_px:
            yield line
            longer = word
        line = longer
    yield line


def _pieces(words: Sequence[str], font: ImageFont.FreeTypeFont, room_px: float) -> Iterator[str]:
    for word in words:
        piece = ""
        for char in word:
            if piece and font.getlength(piece + char) > room_px:
                yield piece
                piece = ""
            piece += char
        yield piece


@lru_cache(maxsize=8)
def _font(size_px: int, path: Path | None) -> ImageFont.FreeTypeFont:
    if path is not None:
        try:
            return ImageFont.truetype(str(path), size_px)
        except OSError as error:
            raise ConfigError(str(path), [f"is no font that can be used: {error}"]) from error
    font = ImageFont.load_default(size_px)
    if not isinstance(font, ImageFont.FreeTypeFont):
        raise ConfigError("font", ["this Pillow was built without FreeType; name a font file with --font"])
    return font


@lru_cache(maxsize=1)
def _room() -> ByteImage:
    return draw_room(WIDTH_PX, HEIGHT_PX, ROOM_SEED)
