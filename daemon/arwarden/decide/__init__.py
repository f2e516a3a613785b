"""From findings to alerts: the life cycle. Pure decisions, no asyncio."""

from arwarden.decide.draft import AlertDraft, publishable, stamp
from arwarden.decide.lifecycle import AlertLifecycle

__all__ = ["AlertDraft", "AlertLifecycle", "publishable", "stamp"]
