"""Whether the endpoints of judges are there: asked for their list of models, and for nothing else.

No question, no picture and no text of anybody is sent, so that looking costs no money.
"""

from __future__ import annotations

import asyncio
import json
import ssl
from dataclasses import dataclass
from typing import Final

import aiohttp

from arwarden.config import OpenAiJudgeConfig

TIMEOUT_S: Final = 5.0
MAX_LIST_BYTES: Final = 2_097_152
_REFUSED: Final = (401, 403)
_NO_LIST: Final = (404, 405, 501)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """What was found: ``status`` is ok, warn or fail, as the checks of ``doctor`` are."""

    status: str
    detail: str
    fix: str = ""


def look_at(judge: OpenAiJudgeConfig, timeout_s: float = TIMEOUT_S) -> Endpoint:
    """Ask the judge's endpoint for its models. Never raises for what the endpoint does; shows no key."""
    return asyncio.run(_look(judge, timeout_s))


async def _look(judge: OpenAiJudgeConfig, timeout_s: float) -> Endpoint:
    headers = {"Accept-Encoding": "identity"}
    if judge.api_key is not None:
        headers["Authorization"] = f"Bearer {judge.api_key.reveal().strip()}"
    try:
        async with (
            asyncio.timeout(timeout_s),
            aiohttp.ClientSession() as client,
            client.get(
                f"{judge.base_url.rstrip('/')}/models",
                headers=headers,
                allow_redirects=False,
                ssl=ssl.create_default_context(cafile=judge.ca_file),
            ) as response,
        ):
            content = await _bounded(response) if response.status == 200 else b""
            return _judged(judge, response.status, content)
    except TimeoutError:
        fix = "is the server running, and does base_url name it?"
        return Endpoint("fail", f"{judge.base_url} did not answer within {timeout_s:g} s", fix)
    except aiohttp.ClientSSLError:
        return Endpoint(
            "fail",
            f"{judge.base_url}: TLS failed",
            "check base_url; for a certificate of your own set ca_file",
        )
    except (aiohttp.ClientError, OSError, ValueError) as error:
        fix = "is the server running, and does base_url name it?"
        return Endpoint("fail", f"{judge.base_url} cannot be reached ({type(error).__name__})", fix)


async def _bounded(response: aiohttp.ClientResponse) -> bytes:
    content = bytearray()
    async for chunk in response.content.iter_chunked(65_536):
        content += chunk
        if len(content) > MAX_LIST_BYTES:
            return b""
    return bytes(content)


def _judged(judge: OpenAiJudgeConfig, status: int, content: bytes) -> Endpoint:
    place = f"{judge.model} at {judge.base_url}"
    if status in _REFUSED:
        detail = f"{judge.base_url} refuses the key" if judge.api_key else f"{judge.base_url} wants a key"
        return Endpoint("fail", f"{detail} (HTTP {status})", "check api_key")
    if status in _NO_LIST:
        return Endpoint(
            "warn", f"{place}: it answers, and lists no models (HTTP {status})", "try analyse --judge"
        )
    if status != 200:
        return Endpoint(
            "fail", f"{judge.base_url} answers HTTP {status}", "check base_url; it usually ends in /v1"
        )
    models = _names(content)
    if not models:
        return Endpoint("warn", f"{place}: it answers, and its list of models is in no known form")
    if judge.model in models or f"models/{judge.model}" in models:
        return Endpoint("ok", f"{place}: there; nothing was sent but the key")
    return Endpoint(
        "fail",
        f"{judge.base_url} has no model {judge.model}",
        f"it has {len(models)}, for example {', '.join(sorted(models)[:3])}",
    )


def _names(content: bytes) -> frozenset[str]:
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return frozenset()
    entries = value.get("data") if isinstance(value, dict) else None
    if not isinstance(entries, list):
        return frozenset()
    names = (entry.get("id") for entry in entries if isinstance(entry, dict))
    return frozenset(name[:128] for name in names if isinstance(name, str) and name.isprintable())
