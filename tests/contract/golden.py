"""Golden messages: what both sides must take, and what both must refuse.

Made from the contract's schemas, so that a change of the contract changes them, and the readers in Python and
in C# have to follow. Run as ``python -m tests.contract.golden`` after a change of the contract.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from arwarden.contract.documents import Document, json_schemas

FOLDER = Path(__file__).resolve().parent / "golden"
Json = dict[str, Any]

_HEAD: Json = {"epoch": "4f1c", "published_ms": 1764460800123.5}
_SESSION: Json = {"device_id": "quest-3_a", "session_id": "s1", "capture_clock": "synced"}
_CLAIM: Json = {"subject": "", "attribute": "origin", "value": "france", "polarity": True}
_ELEMENT: Json = {
    "type": "text",
    "text": "Made in France – “été” 🥐",
    "box": [0.1, 0.2, 0.3, 0.05],
    "claim": _CLAIM,
    "label": "flag_fr",
    "direction_deg": 179.5,
    "object_id": "shelf-label-3",
}
_JUDGE: Json = {
    "name": "cloud",
    "model": "m",
    "verdict": "yes",
    "reason": "two places of origin",
    "problem": "",
    "latency_ms": 812.5,
    "tokens": 1210,
    "cost": 0.0021,
    "prompt_version": "3",
}
_OPINION: Json = {
    "judge": "cloud",
    "pending": False,
    "asked": 3,
    "confirmed": 1,
    "rejected": 1,
    "raised": 0,
    "unverified": 1,
    "late": 0,
    "tokens": 3000,
    "cost": 0.01,
    "saved_calls": 7,
    "saved_cost": 0.02,
    "held_back": "",
}
EXAMPLES: Mapping[str, Json] = {
    "alert": _HEAD
    | _SESSION
    | {
        "schema": "arwarden/alert/1",
        "alert_id": "a1",
        "revision": 2,
        "state": "confirmed",
        "reason": "judge_confirmed",
        "kind": "contradiction",
        "attribute": "origin",
        "severity": "warning",
        "message": "Two labels name different places of origin.",
        "elements": [_ELEMENT],
        "confidence": 0.93,
        "tier": "fast",
        "confirmation": "confirmed",
        "judge": _JUDGE,
        "first_captured_ms": 1764460799000.0,
        "captured_ms": 1764460800000.0,
        "expires_ms": 1764460803000.0,
        "budget_ms": 500,
        "age_ms": 123.5,
        "late": False,
        "stages_ms": {"ocr": 80.5, "claims": 1},
    },
    "health": _HEAD
    | _SESSION
    | {
        "schema": "arwarden/health/1",
        "state": "degraded",
        "reasons": ["passthrough_has_no_virtual_content"],
        "view": "passthrough",
        "clock_offset_ms": -12.25,
        "received_fps": 24.5,
        "analysed_fps": 3.9,
        "frames_received": 1000,
        "frames_analysed": 160,
        "frames_dropped": 2,
        "width_px": 1280,
        "height_px": 960,
        "loss_ratio": 0.001,
        "capture_to_publish_ms": {"p50": 120.0, "p95": 300},
        "second_opinion": _OPINION,
    },
    "adjustment": _HEAD
    | {
        "schema": "arwarden/adjustment/1",
        "adjustment_id": "j1",
        "version": 3,
        "device_id": "quest-3_a",
        "session_id": "s1",
        "object_id": "cup",
        "action": "apply",
        "move_m": [0.1, -0.05, 0],
        "scale": 1.25,
        "message": "The cup floats above the table.",
        "captured_ms": 1764460800000.0,
        "expires_ms": 1764460803000.0,
    },
    "scenereport": {
        "schema": "arwarden/scene/1",
        "version": 2,
        "base": 1,
        "headset_ms": 1764460800150.0,
        "objects": [
            {
                "id": "cup",
                "class": "cup",
                "label": "",
                "box": [0.1, 0.2, 0.3, 0.05],
                "position_m": [0, 1, 2],
                "rotation": [0, 0, 0, 1],
                "expected_size_m": [0.08, 0.1, 0.08],
                "held": False,
                "corrected_m": [0.1, -0.05, 0],
                "corrected_scale": 1.25,
            }
        ],
        "removed": ["lamp"],
    },
    "daemonstatus": _HEAD | {"schema": "arwarden/status/1", "state": "online", "version": "0.1.0"},
    "ack": {
        "schema": "arwarden/ack/1",
        "alert_id": "a1",
        "revision": 2,
        "action": "shown",
        "headset_ms": 1764460800150.0,
        "reason": "",
    },
    "clock-hello": {"type": "hello", "view": "composited", "client": "bridge/0.1.0"},
    "clock-ping": {"type": "ping", "id": 4294967295, "t0_ms": 12.5},
    "clock-pong": {"type": "pong", "id": 0, "t0_ms": 12.5, "t1_ms": -3.0, "t2_ms": 1e12},
}
"""One full message of each kind: every member of the schema, in lists as well."""


class Case(NamedTuple):
    """One message and whether it is of the contract."""

    name: str
    valid: bool
    payload: Any


def cases(stem: str) -> list[Case]:
    """The golden messages of one kind."""
    schema, example = json_schemas()[stem], EXAMPLES[stem]
    found = [Case("full", True, example), Case("unknown_member", True, example | {"later": {"x": [1]}})]
    found.append(Case("minimal", True, _minimal(schema, example)))
    found += [Case(f"not_an_object_{kind}", False, wrong) for kind, wrong in _NOT_OBJECTS.items()]
    found += _of_object(schema, schema, example, ())
    return found


_NOT_OBJECTS: Mapping[str, Any] = {"null": None, "list": [], "text": "x", "number": 1, "boolean": True}
_WRONG: Mapping[str, tuple[Any, ...]] = {
    "string": (7, None, ["x"]),
    "number": ("1", True, None),
    "integer": ("1", 1.5, True),
    "boolean": (1, "true", None),
    "array": ("x", {}, None),
    "object": ("x", [], 3),
}


def _minimal(schema: Document, example: Json) -> Json:
    needed = [*schema.get("required", []), *(["type"] if "type" in schema["properties"] else [])]
    return {name: example[name] for name in needed}


def _of_object(
    root: Document, schema: Document, example: Json, path: tuple[str | int, ...]
) -> Iterator[Case]:
    """Cases about the object at ``path`` of the whole example, whose own schema and value are given."""
    missing = set(schema["properties"]) - set(example)
    if missing:
        msg = f"the example lacks {sorted(missing)} at {path}"
        raise ValueError(msg)
    whole = _whole(root)
    for name in schema.get("required", []):
        yield Case(_name(path, name, "missing"), False, _without(whole, (*path, name)))
    for name, rule in schema["properties"].items():
        yield from _of_value(root, rule, example[name], (*path, name))


def _of_value(root: Document, rule: Document, value: Any, path: tuple[str | int, ...]) -> Iterator[Case]:
    whole = _whole(root)
    nullable = any(option.get("type") == "null" for option in rule.get("anyOf", ()))
    for option in rule.get("anyOf", (rule,)):
        resolved = root["$defs"][option["$ref"].rpartition("/")[2]] if "$ref" in option else option
        if resolved.get("type") == "null":
            yield Case(_name(path, "null"), True, _with(whole, path, None))
            continue
        for place, (valid, other) in enumerate(_others(resolved)):
            if nullable and other is None:
                continue
            label = f"{'good' if valid else 'bad'}_{place}"
            yield Case(_name(path, label), valid, _with(whole, path, other))
        if resolved.get("type") == "object" and "properties" in resolved:
            yield from _of_object(root, resolved, value, path)
        elif resolved.get("type") == "array":
            yield from _of_list(root, resolved, value, path)
        elif "additionalProperties" in resolved:
            yield Case(_name(path, "bad_member"), False, _with(whole, path, {"ocr": "80"}))


def _of_list(root: Document, rule: Document, value: list[Any], path: tuple[str | int, ...]) -> Iterator[Case]:
    whole = _whole(root)
    if "minItems" in rule:
        yield Case(_name(path, "too_short"), False, _with(whole, path, value[:-1]))
        yield Case(_name(path, "too_long"), False, _with(whole, path, [*value, *value[:1]]))
        yield from _of_value(root, rule["prefixItems"][-1], value[-1], (*path, len(value) - 1))
    else:
        yield Case(_name(path, "empty"), True, _with(whole, path, []))
        yield from _of_value(root, rule["items"], value[0], (*path, 0))


def _others(rule: Document) -> Iterator[tuple[bool, Any]]:
    """Other values for a place with this rule, and whether they are allowed there."""
    if "const" in rule:
        yield False, rule["const"] + "0"
    for allowed in rule.get("enum", ()):
        yield True, allowed
    if "enum" in rule:
        yield False, rule["enum"][0].upper()
        yield False, ""
    for wrong in _WRONG[rule["type"]]:
        yield False, wrong
    yield from _at_bounds(rule)
    yield from _of_text(rule)


def _at_bounds(rule: Document) -> Iterator[tuple[bool, Any]]:
    step = 1 if rule["type"] == "integer" else 0.5
    for bound, outwards in (("minimum", -step), ("maximum", step)):
        if bound in rule:
            yield True, rule[bound]
            yield False, rule[bound] + outwards
    if "exclusiveMaximum" in rule:
        yield True, rule["exclusiveMaximum"] - 1
        yield False, rule["exclusiveMaximum"]


def _of_text(rule: Document) -> Iterator[tuple[bool, Any]]:
    if "maxLength" in rule:
        yield True, "é" * rule["maxLength"]
        yield False, "é" * (rule["maxLength"] + 1)
    if "minLength" in rule:
        yield False, ""
    if "pattern" in rule:
        yield True, "A" * 64
        for text in ("", "-a", "a/b", "a b", "é", "A" * 65, "a+"):
            yield False, text


def _whole(root: Document) -> Json:
    return copy.deepcopy(EXAMPLES[_stems()[root["title"]]])


@cache
def _stems() -> dict[str, str]:
    return {schema["title"]: stem for stem, schema in json_schemas().items()}


def _with(whole: Json, path: tuple[str | int, ...], value: Any) -> Json:
    place: Any = whole
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return copy.deepcopy(whole)


def _without(whole: Json, path: tuple[str | int, ...]) -> Json:
    changed = copy.deepcopy(whole)
    place: Any = changed
    for step in path[:-1]:
        place = place[step]
    del place[path[-1]]
    return changed


def _name(path: tuple[str | int, ...], *what: str) -> str:
    return ".".join(str(step) for step in (*path, *what))


def text_of(stem: str) -> str:
    """The golden file of one kind of message: one case a line."""
    lines = [
        json.dumps({"name": case.name, "valid": case.valid, "payload": case.payload}, ensure_ascii=False)
        for case in cases(stem)
    ]
    return "[\n" + ",\n".join(lines) + "\n]\n"


def write(folder: Path = FOLDER) -> None:
    """Write every golden file below ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    for stem in EXAMPLES:
        (folder / f"{stem}.json").write_text(text_of(stem), encoding="utf-8")


if __name__ == "__main__":
    write()
