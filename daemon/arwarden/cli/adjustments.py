"""What ``check-config`` and ``run`` say about corrections of the app's objects."""

from __future__ import annotations

from arwarden.config import Config


def adjustment_summary(config: Config) -> list[str]:
    """What would be judged and how far it would be changed, line by line."""
    adjust = config.adjust
    if not adjust.enabled:
        return ["corrects no objects"]
    factors = ", then ".join(adjust.factors)
    return [
        f"corrects the app's objects: asks about {factors}, one object at a time, and corrects what is "
        f"rated below {adjust.below:g}",
        f"corrections: at most {adjust.max_steps} in a row, {adjust.gain:.0%} of what the judge asks for; "
        f"each moves at most {adjust.max_step_m:g} m and scales by at most {adjust.max_step_factor:g}, all "
        f"together at most {adjust.max_move_m:g} m and a factor of {adjust.max_factor:g}; taken back where "
        "it got worse",
        f"corrections expire {adjust.max_age_ms / 1000:g} s after the picture that they come from; an object "
        f"is left alone for {adjust.cool_down_ms / 1000:g} s after a judgement and for "
        f"{adjust.held_pause_ms / 1000:g} s after the user has held it",
    ]


def adjustment_warnings(config: Config) -> list[str]:
    """What is allowed but would hardly ever correct anything, or more than somebody may have meant."""
    adjust, escalate = config.adjust, config.escalate
    if not adjust.enabled:
        return []
    found = []
    if adjust.max_age_ms <= escalate.deadline_ms:
        found.append(
            f"adjust.max_age_ms ({adjust.max_age_ms:g}) is not above escalate.deadline_ms "
            f"({escalate.deadline_ms:g}): an answer that takes its time comes too late for any correction"
        )
    questions = len(adjust.factors) + adjust.max_steps
    if escalate.budget.calls_per_minute < questions:
        found.append(
            f"escalate.budget.calls_per_minute ({escalate.budget.calls_per_minute}): one object can take "
            f"{questions} questions, which then also keep alerts from being judged; allow more"
        )
    return found
