"""What the commands say about judges: who is asked, what leaves for them, what they may cost and lack."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

from arwarden.config import (
    EscalateConfig,
    JudgeConfig,
    OpenAiJudgeConfig,
    QwenVlJudgeConfig,
    asked_judges,
)
from arwarden.escalate.budget import Estimate, estimate
from arwarden.escalate.prices import PriceTable
from arwarden.escalate.questions import Fact
from arwarden.escalate.sending import MAX_FACT_CHARS, MAX_FACTS
from arwarden.escalate.switched_off import Lack, lack_of

MINUTES: Final = 60
UNVERIFIED: Final = "alerts stay unverified"


def judge_lines(escalate: EscalateConfig) -> list[str]:
    """Who is asked, what leaves for it, and what that may cost."""
    if escalate.judge is None:
        never = "; never_upload: no client for any endpoint is ever made" if escalate.never_upload else ""
        return [f"asks no judge: sends nothing to any cloud service{never}; costs no money"]
    judges = asked_judges(escalate.judge)
    places = "; then ".join(_place(judge) for judge in judges)
    budget = escalate.budget
    every = "every sample" if escalate.replaces_fast else "what is uncertain or new"
    return [
        f"asks about {every}: {places}; answers within {escalate.deadline_ms / 1000:g} s",
        _sent(escalate, judges),
        f"judges: at most {budget.calls_per_minute} questions a minute, "
        f"{budget.tokens_per_hour} tokens an hour",
        f"costs: {_cost(escalate, _endpoints(judges))}",
    ]


def judge_warnings(escalate: EscalateConfig) -> list[str]:
    """What a second opinion lacks, costs or gives away that somebody may not have meant."""
    asked = () if escalate.judge is None else asked_judges(escalate.judge)
    found = [off_line(lack, len(asked)) for lack in map(lack_of, asked) if lack is not None]
    away = _endpoints(asked)
    for judge in away:
        host = urlsplit(judge.base_url).hostname or ""
        if urlsplit(judge.base_url).scheme == "http" and not is_loopback(host):
            found.append(f"judge {judge.name}: pictures and key cross the network in clear text; use https")
        if judge.api_key is not None and judge.api_key.value is not None:
            found.append(f"judge {judge.name}: its key stands in this file; give it as env or file")
    if any(not is_loopback(urlsplit(judge.base_url).hostname or "") for judge in away):
        if escalate.budget.cost_per_hour is None:
            found.append("escalate.budget.cost_per_hour is absent: only calls and tokens are limited")
        if not escalate.send.blur_faces:
            found.append("escalate.send.blur_faces is off: faces in view are sent as they are")
    return found


def off_line(lack: Lack, judges: int) -> str:
    """What a judge lacks, and what that means where there are so many judges."""
    means = UNVERIFIED if judges == 1 else "the others are asked without it"
    return f"judge {lack.judge} is SWITCHED OFF: {lack.detail} (until then {means})"


def unpriced(escalate: EscalateConfig) -> list[str]:
    """Models behind endpoints whose price nobody has said."""
    table = PriceTable(escalate.budget.prices)
    judges = () if escalate.judge is None else asked_judges(escalate.judge)
    return [judge.model for judge in _endpoints(judges) if table.cost(judge.model, 1, 1) is None]


def is_loopback(host: str) -> bool:
    """Whether a listening address can be reached from this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _endpoints(judges: Sequence[JudgeConfig]) -> list[OpenAiJudgeConfig]:
    return [judge for judge in judges if isinstance(judge, OpenAiJudgeConfig)]


def _place(judge: JudgeConfig) -> str:
    off = ", SWITCHED OFF" if lack_of(judge) is not None else ""
    if isinstance(judge, OpenAiJudgeConfig):
        key = "without a key" if judge.api_key is None or judge.api_key.missing else "with a key"
        return f"{judge.name} ({judge.model} at {judge.base_url}, {key}{off})"
    if isinstance(judge, QwenVlJudgeConfig):
        return f"{judge.name} ({judge.model} in this process{off})"
    return "replay (recorded answers)"


def _sent(escalate: EscalateConfig, judges: Sequence[JudgeConfig]) -> str:
    away = _endpoints(judges)
    if not away:
        return "sends nothing to any cloud service"
    blurred = ", faces blurred" if escalate.send.blur_faces else ""
    count = max(judge.pictures for judge in away)
    hosts = " and ".join(dict.fromkeys(urlsplit(judge.base_url).netloc for judge in away))
    facts = ", with what was read and found in them" if escalate.send.facts else ""
    size = f"{count} picture(s) of at most {escalate.send.max_side_px} px"
    return f"sends {size} a question{blurred}{facts} to {hosts}"


def _cost(escalate: EscalateConfig, away: Sequence[OpenAiJudgeConfig]) -> str:
    """What a question and an hour cost at most."""
    if not away:
        return "no money"
    budget = escalate.budget
    missing = unpriced(escalate)
    if missing:
        return f"not known: add the price of {' and '.join(missing)} to escalate.budget.prices"
    most = _dearest(escalate, away)
    prices = PriceTable(budget.prices)
    dearest = max(prices.cost(judge.model, *one) or 0.0 for judge in away for one in ((1, 0), (0, 1)))
    hour = min(
        MINUTES * budget.calls_per_minute * most.cost,
        budget.tokens_per_hour * dearest,
        budget.cost_per_hour or float("inf"),
    )
    return f"at most {hour:.2f} {budget.currency} an hour, {most.cost:.3f} {budget.currency} a question"


def _dearest(escalate: EscalateConfig, away: Sequence[OpenAiJudgeConfig]) -> Estimate:
    side = escalate.send.max_side_px
    return estimate(
        [(side, side)] * max(judge.pictures for judge in away),
        [Fact("read", "x" * MAX_FACT_CHARS)] * MAX_FACTS,
        max(judge.max_output_tokens for judge in away),
        [judge.model for judge in away],
        PriceTable(escalate.budget.prices),
    )
