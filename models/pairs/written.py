"""Pairs from statements that were written one by one, not filled into frames.

``material/written/*.tsv``: four columns, a statement, one that contradicts it, one that follows from it or
says the same, and one that looks like a contradiction and is none. A column may be empty where nothing
natural fits.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from zlib import crc32

import numpy as np

from models.pairs.compose import CONTRADICTORY, ENTAILED, NEUTRAL, Pair
from models.pairs.topics import held_out_words
from models.pairs.writing import as_read, pick

FOLDER = Path(__file__).parent / "material" / "written"
KEPT_EVERY = 10
"""One statement in so many is never trained on, with all that is written beside it."""
FORMS = {
    "contradicts": 0.22, "against agreeing": 0.12, "denied": 0.1, "agrees": 0.22, "compatible": 0.26,
    "elsewhere": 0.08,
}  # fmt: skip
"""What pairs are made of, and how often."""
DENIED_ELSEWHERE = 0.3
"""Share of what is said of other things that is denied: a "not" alone is no contradiction."""
_AUXILIARY = r"is|are|was|were|will|can|may|must|should|does|do|did|has been|have been|needs? to"
_DENIAL = re.compile(rf"\b({_AUXILIARY})( not\b|n't\b|not\b|\b)(?= )", re.IGNORECASE)
_ASKED_TO = re.compile(r"^(please )?(do not |don't )(?=\w)|^(please )(?=[a-z])", re.IGNORECASE)
_DENIED_OTHERWISE = re.compile(
    r"\?|n't\b|\b(?:not|cannot|no|never|nobody|nothing|none|some|few|many|most|all|any\w*|every\w*|each|both|often|"
    r"sometimes|only|until|unless|if|when|where|that|which|what|who|but|or)\b",
    re.IGNORECASE,
)
_LONGER = {
    "has been": "has not been",
    "have been": "have not been",
    "need to": "need not",
    "needs to": "need not",
}


@dataclass(frozen=True, slots=True)
class Statement:
    """One line, and the name of its file."""

    domain: str
    anchor: str
    contradicts: str
    agrees: str
    compatible: str

    @property
    def kept(self) -> bool:
        """Whether it is kept from training."""
        return crc32(self.anchor.casefold().encode()) % KEPT_EVERY == 0


@cache
def statements() -> tuple[Statement, ...]:
    """All of them, without any text about a kind that is held out.

    Raises:
        ValueError: a line that has not four columns; names file and line.
    """
    found = []
    for path in sorted(FOLDER.glob("*.tsv")):
        with path.open(encoding="utf-8", newline="") as file:
            for number, row in enumerate(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE), 1):
                if len(row) != 4 or not row[0]:
                    msg = f"{path.name}:{number}: four columns with a statement in the first are expected"
                    raise ValueError(msg)
                texts = ["" if held_out_words().search(text) else text.strip() for text in row]
                if texts[0]:
                    found.append(Statement(path.stem, *texts))
    return tuple(found)


def written_pairs(seed: int, *, kept: bool) -> Iterator[Pair]:
    """Without end: pairs of those statements that are ``kept`` from training or not."""
    rng = np.random.default_rng((seed, 13, kept))
    chosen = [one for one in statements() if one.kept is kept]
    forms = list(FORMS)
    while True:
        one = pick(chosen, rng)
        made = _pair(one, forms[int(rng.choice(len(forms), p=list(FORMS.values())))], chosen, rng)
        if made is None:
            continue
        relation, first, second = made
        # What follows from a statement need not be followed by it; the other relations know no order.
        if relation != ENTAILED and rng.random() < 0.5:
            first, second = second, first
        first, second = as_read(first, rng), as_read(second, rng)
        if first.casefold() != second.casefold():
            yield Pair(relation, f"written/{one.domain}", first, second)


def _pair(
    one: Statement, form: str, chosen: Sequence[Statement], rng: np.random.Generator
) -> tuple[str, str, str] | None:
    """None where the line has no such pair."""
    if form == "elsewhere":
        other = pick(chosen, rng)
        said = (denied(other.anchor) if rng.random() < DENIED_ELSEWHERE else "") or other.anchor
        return None if other.domain == one.domain else (NEUTRAL, one.anchor, said)
    relation, first, second = {
        "contradicts": (CONTRADICTORY, one.anchor, one.contradicts),
        "against agreeing": (CONTRADICTORY, one.agrees, one.contradicts),
        "denied": (CONTRADICTORY, one.anchor, denied(one.agrees)),
        "agrees": (ENTAILED, one.anchor, one.agrees),
        "compatible": (NEUTRAL, one.anchor, one.compatible),
    }[form]
    return (relation, first, second) if first and second else None


def denied(text: str) -> str:
    """The opposite of a plain English statement or request, by a "not" more or less.

    Empty where there is no verb to deny, or where a word beside it would make the denial mean less than the
    opposite: "some", "only", "until", another "not".
    """
    asked = _ASKED_TO.search(text)
    found = asked or _DENIAL.search(text)
    if found is None or _DENIED_OTHERWISE.search(text[: found.start()] + " " + text[found.end() :]):
        return ""
    before, after = text[: found.start()], text[found.end() :]
    if asked:
        return f"{asked[1] or ''}{after}".capitalize() if asked[2] else f"{asked[3]}do not {after}"
    said = found[1]
    if found[2]:
        return before + said + after
    made = _LONGER.get(said.lower(), said + ("not" if said.lower() == "can" else " not"))
    return before + made + after if before else ""
