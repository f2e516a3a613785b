"""Files of weights: read whole, and only the ones that were meant. What all networks of the tier share."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, Final

from arwarden.core.errors import ModelError

FORMAT: Final = 1
FIX: Final = "reinstall it: pip install --force-reinstall --no-deps arwarden"


def description(path: Path, named: str, fix: str = FIX) -> dict[str, Any]:
    """What stands in the description of some networks; ``named`` says of which, for errors.

    Raises:
        ModelError: it cannot be read or is of another format; names it and the fix.
    """
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        msg = f"the description of {named} {path} cannot be read ({error}); {fix}"
        raise ModelError(msg) from error
    if not isinstance(values, dict) or values.get("format") != FORMAT:
        msg = f"{path} has not the format {FORMAT} of this version; {fix}"
        raise ModelError(msg)
    return values


def checked(path: Path, sha256: str, named: str, fix: str = FIX) -> bytes:
    """The content of a file with that checksum; ``named`` is what errors call the file.

    Raises:
        ModelError: the file is missing, unreadable or another one; names it and the fix.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        msg = f"{named} cannot be read ({error.strerror}); {fix}"
        raise ModelError(msg) from error
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        msg = f"{named} has sha256 {found}, not the expected {sha256}; {fix}"
        raise ModelError(msg)
    return content
