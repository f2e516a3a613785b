"""Which names speak of kinds of contradiction that are held out: a strict measurement does without them."""

from __future__ import annotations

import re
from functools import cache

from models.assets.library import read_classes
from models.pairs.topics import held_out_words
from models.scenes.kinds import held_out_classes

_EVERYWHERE = frozenset({"no", "on", "off", "do", "not", "wear", "open", "allowed", "protection", "mobile"})


@cache
def pattern() -> re.Pattern[str]:
    """Matches a name that speaks of one of these kinds, or of a picture that only they use."""
    classes = read_classes()
    words = {
        word.lower()
        for name in held_out_classes()
        for said in (name.replace("_", " "), *classes[name].words)
        for word in re.findall(r"[A-Za-z]+", said)
    }
    own = "|".join(rf"\b{word}s?\b" for word in sorted(words - _EVERYWHERE))
    return re.compile(f"{held_out_words().pattern}|{own}", re.IGNORECASE)
