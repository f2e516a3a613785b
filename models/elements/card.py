"""Writes the measured numbers into the model card, between its two marks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

BEGIN, END = "<!-- numbers: begin -->", "<!-- numbers: end -->"


def fill_card(path: Path, result: Mapping[str, Any]) -> None:
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
    path.write_text(f"{head}\n\n{numbers(result)}\n{tail}", encoding="utf-8")


def numbers(result: Mapping[str, Any]) -> str:
    """The tables of the card."""
    parts = [
        f"Split `{result['split']}`, seed {result['seed']}. Precision and recall at IoU 0.5.\n",
        _table("Detector, crowded scenes", _rows(result["detector"]["types"], result["detector"]["overall"])),
        _table("Detector, scenes as the generator makes them", _rows(
            result["detector_own_scenes"]["types"], result["detector_own_scenes"]["overall"]
        )),
        _table("Detector, recall by size (root of area, 720 lines)", _rows(result["detector"]["sizes"])),
    ]  # fmt: skip
    together = result["detector_and_classifier"]
    parts.append(
        _table(
            "Detector and classifier heard together, crowded scenes",
            _rows(together["types"], together["found"]),
        )
    )
    both, angle = together["overall"], together["arrow_angle"]
    parts.append(
        f"**Found and named rightly** (crowded scenes): precision {both['precision']:.3f}, "
        f"recall {both['recall']:.3f}. Arrow direction: median error {angle.get('median_deg', '–')}°, "
        f"over 45° in {_percent(angle.get('over_45_share'))}.\n"
    )
    crops = result["classifier"]
    groups = ", ".join(f"{name} {value:.3f}" for name, value in crops["groups"].items())
    sizes = ", ".join(f"{name} px {value:.3f}" for name, value in crops["sizes"].items())
    parts.append(
        f"**Classifier alone** (balanced crops): accuracy {crops['accuracy']:.3f} ({groups}; {sizes}).\n"
    )
    parts.append("Weakest pictogram classes: " + ", ".join(crops["worst"]) + ".\n")
    mixed = ", ".join(f"{true} as {found} ({count})" for true, found, count in crops["mixed_up"][:12])
    parts.append(f"Most often mixed up: {mixed}.\n")
    quiet, speed = result["negatives"], result["latency_ms"]
    parts.append(
        f"Photos without virtual content: {_percent(quiet['with_any_detection'])} of {quiet['photos']} "
        f"have a detection, {quiet['detections_per_photo']} a photo. One thread, 1280x720: "
        f"detector {speed['detector_min']} ms at best, {speed['detector_median']} ms median; "
        f"eight crops {speed['eight_crops_min']} / {speed['eight_crops_median']} ms.\n"
    )
    listed = {name: row for name, row in crops["classes"].items() if not name.startswith("flag:")}
    parts.append(_table("Classifier, by class", _rows(listed)))
    return "\n".join(parts)


def _rows(groups: Mapping[str, Mapping[str, float]], overall: Mapping[str, float] | None = None) -> list[str]:
    named = dict(groups) | ({"**all**": overall} if overall else {})
    return [
        f"| {name} | {row['precision']:.3f} | {row['recall']:.3f} | {row['elements']} |"
        for name, row in named.items()
    ]


def _table(title: str, rows: list[str]) -> str:
    return "\n".join(
        [f"**{title}**", "", "| | precision | recall | elements |", "|---|---|---|---|", *rows, ""]
    )


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f} %"
