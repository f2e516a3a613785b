"""Reading lexicon files: YAML in, checked :class:`LexiconFile` out, every problem with its place and fix."""

from __future__ import annotations

import re
from collections.abc import Hashable
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from arwarden.fast.claims.schema import LexiconFile

MAX_FILE_BYTES = 4_000_000

_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _WordLoader(_Base):  # type: ignore[misc]
    """YAML in which ``on``, ``off``, ``yes``, ``no``, dates and times are the words they look like.

    A key given twice is an error instead of the last one winning.
    """

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 - PyYAML's own protocol

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if key.value in seen:
                problem = f"{key.value!r} is given twice; merge the two entries"
                raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
            seen.add(key.value)
        result: dict[Hashable, Any] = super().construct_mapping(node, deep=deep)
        return result


_WordLoader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|false)$"), list("tf"))
_WordLoader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"^-?\d+$"), list("-0123456789"))
_WordLoader.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(r"^-?\d+\.\d+$"), list("-0123456789"))
_WordLoader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"^(?:~|null|)$"), ["~", "n", ""])


def shipped_files(language: str) -> list[Path]:
    """The files of one language that come with the package, the main one first; empty when there are none."""
    folder = Path(str(files("arwarden.fast.claims"))) / "lexicon"
    return sorted([*folder.glob(f"{language}.yaml"), *folder.glob(f"{language}.*.yaml")])


def shipped_languages() -> list[str]:
    """Codes of the languages that come with the package."""
    folder = Path(str(files("arwarden.fast.claims"))) / "lexicon"
    return sorted({path.name.split(".")[0] for path in folder.glob("*.yaml")})


def read_file(path: Path) -> tuple[LexiconFile | None, list[str]]:  # noqa: PLR0911 - one per fault
    """One file's content, or ``None`` and what is wrong with it, one line per problem."""
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            return None, [f"{path.name}: larger than {MAX_FILE_BYTES} bytes; split it into several files"]
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        return None, [f"{path}: cannot be read ({error.strerror}); check the path and its permissions"]
    except UnicodeDecodeError:
        return None, [f"{path.name}: is not UTF-8; save it as UTF-8"]
    try:
        data = yaml.load(text, Loader=_WordLoader)  # noqa: S506 - derived from the safe loader
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        return None, [f"{path.name}: is not valid YAML: {_one_line(error)}"]
    if not isinstance(data, dict):
        return None, [f"{path.name}: must be a mapping that starts with 'language: xx'"]
    try:
        return LexiconFile.model_validate(data), []
    except ValidationError as error:
        return None, [f"{path.name}: {_explain(problem)}" for problem in error.errors()]


def _explain(problem: Any) -> str:  # noqa: ANN401 - pydantic's ErrorDetails
    """One line: where in the file, what is wrong, how to fix it."""
    place = ".".join(str(part) for part in problem["loc"])
    kind = problem["type"]
    if kind == "extra_forbidden":
        return f"{place}: there is no such key; see docs/claims.md for the ones there are"
    if kind == "missing":
        return f"{place}: is missing; add it"
    if kind == "string_type" and isinstance(problem.get("input"), bool):
        return f'{place}: YAML reads this word as true or false; put it in quotes, as in "true"'
    return f"{place}: {problem['msg']}"


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:300]
