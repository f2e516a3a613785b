"""Whose turn it is when several sessions want the same worker."""

from __future__ import annotations


class FairShare:
    """Gives the next turn to the session that has waited longest.

    A session asks again after every turn, so it joins the end: with ``n`` sessions asking, nobody waits
    for more than ``n - 1`` turns. A session that has not repeated its wish for ``stale_ms`` lost its
    stream or its wish meanwhile, and is passed over.
    """

    def __init__(self, stale_ms: float) -> None:
        self._stale_ms = stale_ms
        self._asked_ms: dict[str, float] = {}
        self._renewed_ms: dict[str, float] = {}
        self._passed_over = 0

    @property
    def waiting(self) -> int:
        """How many sessions wait for a turn."""
        return len(self._asked_ms)

    @property
    def passed_over(self) -> int:
        """Wishes that were dropped because nobody repeated them."""
        return self._passed_over

    def ask(self, session_id: str, now_ms: float) -> None:
        """Wish for a turn, or repeat the wish; repeating keeps the place in the line."""
        self._asked_ms.setdefault(session_id, now_ms)
        self._renewed_ms[session_id] = now_ms

    def withdraw(self, session_id: str) -> None:
        """Stop waiting: the session ended, or what it wanted to show is gone."""
        self._asked_ms.pop(session_id, None)
        self._renewed_ms.pop(session_id, None)

    def next_turn(self, now_ms: float) -> str | None:
        """The session whose turn it is, which then waits no longer; None when nobody waits."""
        for session_id in [s for s, at_ms in self._renewed_ms.items() if now_ms - at_ms > self._stale_ms]:
            self.withdraw(session_id)
            self._passed_over += 1
        if not self._asked_ms:
            return None
        chosen = min(self._asked_ms, key=lambda session_id: self._asked_ms[session_id])
        self.withdraw(chosen)
        return chosen
