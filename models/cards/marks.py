"""Writes the measured numbers into a model card, between its two marks."""

from __future__ import annotations

from pathlib import Path

BEGIN, END = "<!-- numbers: begin -->", "<!-- numbers: end -->"


def fill_card(path: Path, numbers: str) -> None:
    """Replace what stands between the marks of the card.

    Raises:
        ValueError: the card is there but has no marks.
    """
    if not path.exists():
        return
    text = path.read_text(encoding="utf-8")
    if BEGIN not in text or END not in text:
        msg = f"{path} lacks the marks {BEGIN} and {END} between which the numbers go"
        raise ValueError(msg)
    head, tail = text[: text.index(BEGIN) + len(BEGIN)], text[text.index(END) :]
    path.write_text(f"{head}\n\n{numbers}\n{tail}", encoding="utf-8")
