"""Messages bent by chance: the package's readers refuse what the contract's schemas refuse, and no more."""

from __future__ import annotations

import copy
import json
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.contract.golden import EXAMPLES
from tests.contract.test_golden import CONFIGS
from tests.unity.mono import build_console, runtime

pytestmark = pytest.mark.xdist_group("unity")

MESSAGES = 4000
RUN_TIMEOUT_S = 60
ONLY_WRITTEN = {"scenereport"}
"""The headset writes these and never reads them."""
KEPT = {"type"}
"""What tells the messages of the data channel apart: the schemas, one for each, do not ask for it."""
ODD: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 1.0, 0.5, -0.0, 1e15, -1e15, 5e-324, 2**53, 2**31, 2**31 + 1),
    *(
        "",
        "x",
        "a b",
        "\u0000",
        "\n",
        "\u202e",
        "é" * 70,
        "🥐" * 64,
        "🥐" * 65,
        "x" * 64,
        "x" * 65,
        "x" * 257,
    ),
    *([], {}, [0, 0, 0], [0, 0, 0, 0], [0.1, 0.2, 0.3, None], [[1]], {"a": 1}),
    *("raised", "apply", "revert", "online", "ok", "ping"),
)
Place = tuple[str | int, ...]


def paths(value: object, here: Place = ()) -> Iterator[Place]:
    """Every place in a message that can be bent."""
    items: list[tuple[str | int, object]] = []
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    for key, inner in items:
        if key not in KEPT:
            yield (*here, key)
            yield from paths(inner, (*here, key))


def bent(message: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """The message with one or two places changed, taken away, repeated or added to."""
    message = copy.deepcopy(message)
    for _ in range(chance.choice((1, 1, 1, 2))):
        path = chance.choice([*paths(message)] or [()])
        if not path:
            break
        owner: Any = message
        for key in path[:-1]:
            owner = owner[key]
        _bend(owner, path[-1], chance)
    return message


def _bend(owner: Any, key: str | int, chance: random.Random) -> None:
    value = owner[key]
    how = chance.randrange(6)
    if how == 0:
        del owner[key]
    elif how == 1 and isinstance(owner, dict):
        owner["later_version"] = copy.deepcopy(chance.choice(ODD))
    elif how == 2 and isinstance(value, str | list):
        owner[key] = value * chance.choice((0, 2, 40))
    elif how == 3 and isinstance(value, int | float) and not isinstance(value, bool):
        owner[key] = value * chance.choice((-1, 0, 1e3, 1e-3))
    else:
        owner[key] = copy.deepcopy(chance.choice(ODD))


def test_the_readers_and_the_schemas_agree(
    build_folder: Path, package: dict[str, Path], tmp_path: Path
) -> None:
    chance = random.Random(6)  # noqa: S311 - the same messages in every run, no secret
    stems = sorted(EXAMPLES.keys() - ONLY_WRITTEN)
    cases = [(stem, bent(EXAMPLES[stem], chance)) for stem in chance.choices(stems, k=MESSAGES)]
    messages = tmp_path / "messages"
    messages.write_text("".join(f"{stem}\t{json.dumps(case)}\n" for stem, case in cases), encoding="utf-8")
    probe = build_console(build_folder, "ContractProbe", package)
    command = [runtime(), str(probe), f"messages={messages}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=RUN_TIMEOUT_S, check=True)
    said = done.stdout.splitlines()
    schemas = {
        stem: jsonschema.Draft202012Validator(
            json.loads((CONFIGS / f"{stem}.schema.json").read_text(encoding="utf-8"))
        )
        for stem in stems
    }
    valid = [schemas[stem].is_valid(case) for stem, case in cases]
    assert MESSAGES / 10 < sum(valid) < MESSAGES * 9 / 10
    assert [
        (stem, verdict, case)
        for (stem, case), verdict, is_valid in zip(cases, said, valid, strict=True)
        if (verdict == "taken") != is_valid
    ] == []
