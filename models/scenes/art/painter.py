"""One call that draws any element: by kind, by pictogram class or by country code."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from models.assets.library import Library, read_classes, read_countries
from models.assets.sources import Split
from models.scenes.art.arrows import paint_arrow
from models.scenes.art.content import Carried
from models.scenes.art.drawings import DRAWINGS
from models.scenes.art.element import Art
from models.scenes.art.flags import carried_flag, paint_flag
from models.scenes.art.glyphs import can_show
from models.scenes.art.kit import Kit
from models.scenes.art.panels import paint_badge, paint_panel, paint_tag
from models.scenes.art.pictograms import carried_pictogram, paint_pictogram
from models.scenes.art.signs import ACCESSIBLE_RESTROOM, ACCESSIBLE_RESTROOM_NEEDS, paint_sign, sign_forms
from models.scenes.art.widgets import WIDGETS

SIGN_SHARE = 0.5
WIDGET_SHARE = 0.5


@lru_cache(maxsize=1)
def default_library() -> Library:
    """The assets in build/assets; without them only what we draw ourselves can be painted."""
    return Library()


def paintable(split: Split, library: Library) -> tuple[str, ...]:
    """The classes that can be painted in a split with the assets that are here."""
    return tuple(
        cls
        for cls in read_classes()
        if cls in WIDGETS
        or "traffic" in sign_forms(cls)
        or can_show(ACCESSIBLE_RESTROOM_NEEDS if cls == ACCESSIBLE_RESTROOM else cls, split, library)
    )


def paint(
    what: str,
    rng: np.random.Generator,
    split: Split,
    *,
    text: str = "",
    height_px: float = 140,
    library: Library | None = None,
    **explicit: Any,  # noqa: ANN401 (handed to the painter of the kind, which names and checks it)
) -> Art:
    """Draw one element; the same generator state, split and assets give the same picture.

    Args:
        what: "arrow", "panel", "tag", "badge", "flag" (and `code=`), a class of classes.yaml, a country code.
        rng: decides everything that is left open.
        split: which icons, flags, fonts and drawn looks may be used.
        text: what is written on it (of a tag: the price).
        height_px: about how high the picture gets.
        library: the assets; build/assets when left out.
        **explicit: parameters of the painter of that kind, such as direction_deg=, carried=, form=, backing=.

    Raises:
        KeyError: no such kind, class or country.
        AssetsMissing: what is needed is not fetched.
    """
    kit = Kit(rng, split, library or default_library())
    if what == "arrow":
        explicit.setdefault("direction_deg", float(rng.uniform(0, 360)))
        return paint_arrow(rng, split, kit.library, text=text, height_px=height_px, **explicit)
    if what in read_countries() or what == "flag":
        explicit.setdefault("code", what)
        return paint_flag(rng, split, kit.library, height_px=height_px, **explicit)
    if what in _TEXTED:
        painter, word = _TEXTED[what]
        return painter(rng, split, kit.library, height_px=height_px, **{word: text}, **explicit)
    if what not in read_classes():
        raise KeyError(f"{what!r} is no kind, class of classes.yaml or country of flags.csv")
    return _class(what, kit, text, height_px, explicit)


_TEXTED: dict[str, tuple[Callable[..., Art], str]] = {
    "panel": (paint_panel, "text"),
    "tag": (paint_tag, "price"),
    "badge": (paint_badge, "text"),
}


def _class(cls: str, kit: Kit, text: str, height_px: float, explicit: dict[str, Any]) -> Art:
    forms = sign_forms(cls)
    bare = "bare" in read_classes()[cls].forms
    wants_sign = "form" in explicit or bool(text)
    if forms and "backing" not in explicit and (wants_sign or not bare or kit.rng.random() < SIGN_SHARE):
        return paint_sign(
            kit.rng, kit.split, kit.library, cls=cls, text=text, height_px=height_px, **explicit
        )
    only_widget = cls in WIDGETS and cls not in DRAWINGS and not kit.library.icons(cls, kit.split)
    if cls in WIDGETS and not explicit and (only_widget or kit.rng.random() < WIDGET_SHARE):
        return WIDGETS[cls](kit.rng, kit.split, kit.library, height_px)
    return paint_pictogram(kit.rng, kit.split, kit.library, cls=cls, height_px=height_px, **explicit)


def carry(what: str, rng: np.random.Generator, split: Split, *, library: Library | None = None) -> Carried:
    """A pictogram (by class) or flag (by country code) to be put on an arrow, a panel or a tag."""
    assets = library or default_library()
    if what in read_countries():
        return carried_flag(what, rng, split, assets)
    if not can_show(what, split, assets):
        art = paint(what, rng, split, library=assets, height_px=140)
        return Carried("pictogram", what, art.rgba)
    return carried_pictogram(what, rng, split, assets)
