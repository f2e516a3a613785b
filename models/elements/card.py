"""The tables of the model card."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


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
    said, said_groups = crops["said"], crops["said_groups"]
    parts.append(
        "**What is said** (labels that reach their share): "
        + "; ".join(
            f"{name} precision {row['precision']:.3f}, recall {row['recall']:.3f}"
            for name, row in {"all": said, **said_groups}.items()
        )
        + ".\n"
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
    parts.append(_table("Classifier, by class: what is said", _rows(listed)))
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
