"""The tables of the model card."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_PAIRS = {
    "validation": "generated, topics trained on, unseen wordings of scenes",
    "kept": "generated, topics never trained on",
    "written": "written one by one, statements never trained on",
    "corpus_tuned": "text corpus, the half that the rules were tuned on",
    "corpus_check": "text corpus, the half for checking",
}


def numbers(result: Mapping[str, Any]) -> str:
    """The tables of the card."""
    pairs = [
        f"| {_PAIRS[name]} | {row['pairs']} | {row['two_way']:.3f} | {row['found']:.3f} | "
        f"{row['false_alarm_rate']:.4f} |"
        for name, row in result["pairs"].items()
    ]
    scenes = [
        f"| {series.replace('_', ' ', 1)} | {judges} | {row['accuracy']:.3f} | {row['found']:.3f} | "
        f"{row['false_alarm_rate']:.4f} |"
        for series, told in result["scenes"].items()
        for judges in ("rules", "network", "both")
        for row in (told[judges],)
    ]
    speed = result["latency_ms"]
    return "\n".join(
        [
            "Accuracy: the likeliest relation, contradictory or not. Found and false alarms: at the daemon's "
            "threshold.\n",
            "| pairs | number | accuracy | found | false alarms |",
            "|---|---|---|---|---|",
            *pairs,
            "",
            "Scenes whose elements are seen without error, balanced.\n",
            "| scenes | judged by | accuracy | found | false alarms |",
            "|---|---|---|---|---|",
            *scenes,
            "",
            f"Four new pairs at once, one thread: {speed['four_pairs_min']} ms at best, "
            f"{speed['four_pairs_median']} ms median.\n",
        ]
    )
