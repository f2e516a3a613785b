"""The closed loop over one headset's objects: judge, correct, wait, judge again, keep or take back. Pure.

RateAR, section 4.2, with what a live headset needs on top: one object and one factor at a time, limits,
damping, an expiry on everything sent, and a way back. A plain object in the daemon's time; asking the judge
is done by :mod:`arwarden.corrections`.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from arwarden.adjust.draft import AdjustmentDraft
from arwarden.adjust.episode import Effect, Episode, Note, Phase, Rated, Target, effect_of
from arwarden.adjust.records import End, Record, Records
from arwarden.adjust.scene import Seen
from arwarden.adjust.steps import AS_PLACED, Correction, next_correction
from arwarden.config import AdjustConfig
from arwarden.contract.messages import Ack, AckAction
from arwarden.core.counters import Counters

UNDO_TRIES: Final = 3
SILENT_OBJECTS: Final = 3
"""A headset that leaves so many corrections in a row unanswered does not know them, or hears nothing: from
then on one object at a time is tried, with the cool-down between."""
HELD_BACK_MS: Final = 5000.0
RESEND_MS: Final = 2000.0
"""A correction that the headset does not say it has received may have come while it was not subscribed. Sent
again under the same version it does no harm."""
REMEMBERED_IDS: Final = 256
MOVED_AFTER_MS: Final = 1000.0
"""Reports of the correction's own motion may come so long after its acknowledgement."""


@dataclass(slots=True)
class AdjustLoop:
    """Decides for one session. Counts ``adjust.*``.

    ``new_version`` counts over the whole run of the daemon: a headset takes only newer versions of an
    object's corrections, whichever session they come from.
    """

    config: AdjustConfig
    device_id: str
    session_id: str
    new_id: Callable[[], str]
    new_version: Iterator[int]
    counters: Counters
    on_note: Callable[[Note], None]
    _records: Records = field(init=False)
    _episode: Episode | None = None
    _ids: deque[str] = field(default_factory=lambda: deque(maxlen=REMEMBERED_IDS))
    _not_before_ms: float = 0.0
    _silent: int = 0

    def __post_init__(self) -> None:
        self._records = Records(self.config)

    @property
    def phase(self) -> Phase | None:
        """Where the object in hand is; None where there is none."""
        return None if self._episode is None else self._episode.phase

    # What to do ---------------------------------------------------------------------------------------

    def wanted(self, scene: Mapping[str, Seen], now_ms: float) -> Target | None:
        """What to ask the judge now; it is under way from ``begun`` on."""
        if now_ms < self._not_before_ms:
            return None
        self._records.note_held(scene, now_ms)
        episode = self._episode
        if episode is None:
            chosen = self._records.next(scene, now_ms)
            return None if chosen is None else Target(*chosen, scene[chosen[0]])
        seen = scene.get(episode.object_id)
        settled = episode.phase is Phase.SETTLING and now_ms - episode.since_ms >= self.config.settle_ms
        if seen is None or not settled or not self._records.judgeable(seen, now_ms):
            return None
        return Target(episode.object_id, episode.factor, seen)

    def begun(self, target: Target, captured_ms: float, now_ms: float) -> None:
        """The question is asked, about a picture of ``captured_ms``."""
        episode = self._episode
        if episode is None:
            record = self._records.of(target.object_id)
            in_force = record.in_force(target.seen)
            label = target.seen.item.label or target.seen.item.class_ or target.object_id
            episode = self._episode = Episode(
                target.object_id,
                target.factor,
                self.new_id(),
                Phase.JUDGING,
                now_ms,
                now_ms,
                captured_ms,
                in_force,
                captured_ms,
                label,
                best=in_force,
                best_view_ms=captured_ms,
            )
            self._ids.append(episode.adjustment_id)
        else:
            episode.phase = Phase.REJUDGING
            if target.seen.item.corrected_m is not None:
                episode.in_force = self._record(episode).in_force(target.seen)
                episode.view_ms = captured_ms
        episode.asked_ms, episode.captured_ms = now_ms, captured_ms
        self.counters.add(f"adjust.asked.{target.factor}")

    def held_back(self, now_ms: float) -> None:
        """A limit of the judge's keeps the question from being asked."""
        self.counters.add("adjust.held_back")
        self._not_before_ms = now_ms + HELD_BACK_MS

    def answered(
        self, rated: Rated | None, scene: Mapping[str, Seen], now_ms: float
    ) -> AdjustmentDraft | None:
        """The judge has answered, None where it has not or not readably. Returns what to send."""
        episode = self._episode
        if episode is None or episode.phase not in (Phase.JUDGING, Phase.REJUDGING):
            return None
        seen = scene.get(episode.object_id)
        if rated is not None:
            self._note(episode, "rated", rating=rated.rating)
        if seen is None or seen.item.held or seen.moved_ms > episode.asked_ms:
            self._outdated(episode, now_ms, held=seen is not None and seen.item.held)
            return None
        if episode.phase is Phase.JUDGING:
            return self._first(episode, rated, now_ms)
        if rated is None:
            self._settle_again(episode, now_ms)
            return None
        return self._again(episode, rated, now_ms)

    def tick(self, scene: Mapping[str, Seen], now_ms: float) -> AdjustmentDraft | None:
        """Time has passed. Returns what to send."""
        episode = self._episode
        if episode is None:
            return None
        if episode.phase is Phase.SETTLING:
            self._watch_settling(episode, scene.get(episode.object_id), now_ms)
        elif episode.phase in (Phase.SENT, Phase.UNDOING):
            return self._watch_sent(episode, now_ms)
        return None

    def current(self, draft: AdjustmentDraft, now_ms: float) -> bool:
        """Whether a correction may still be sent: it is the newest, and not expired."""
        episode = self._episode
        return episode is not None and episode.draft is draft and now_ms < draft.expires_ms

    def acknowledged(self, ack: Ack, now_ms: float) -> bool:
        """The headset's word about a correction; False where it is about none of this session's.

        Repeated ones, and those about earlier versions, change nothing and count ``adjust.acks.repeated``.
        """
        if ack.alert_id not in self._ids:
            return False
        self._silent = 0
        episode = self._episode
        draft = None if episode is None else episode.draft
        waits = episode is not None and episode.phase in (Phase.SENT, Phase.UNDOING)
        fits = draft is not None and (draft.adjustment_id, draft.version) == (ack.alert_id, ack.revision)
        if episode is None or draft is None or not waits or not fits:
            self.counters.add("adjust.acks.repeated")
            return True
        self._note(episode, "acknowledged", ack.action.value, version=draft.version)
        episode.resend_ms = math.inf
        if ack.action in (AckAction.APPLIED, AckAction.CLAMPED):
            self._arrived(episode, draft, now_ms, clamped=ack.action is AckAction.CLAMPED)
        elif ack.action is AckAction.REFUSED:
            self._refused(episode, ack.reason, now_ms)
        elif ack.action is AckAction.EXPIRED:
            self._expired(episode, now_ms)
        return True

    def drop(self) -> None:
        """The stream is lost or the session over: whatever is under way is dropped."""
        if self._episode is not None:
            self.counters.add("adjust.dropped")
        self._episode = None

    # Judgements ---------------------------------------------------------------------------------------

    def _outdated(self, episode: Episode, now_ms: float, *, held: bool) -> None:
        if episode.phase is Phase.JUDGING:
            self._finish(episode, End.OUTDATED, now_ms)
        elif held:
            self._finish(episode, End.HELD, now_ms)
        else:
            self._settle_again(episode, now_ms)

    def _first(self, episode: Episode, rated: Rated | None, now_ms: float) -> AdjustmentDraft | None:
        if rated is None:
            self._finish(episode, End.FAILED, now_ms)
            return None
        episode.rating = episode.best_rating = rated.rating
        if rated.rating >= self.config.below:
            self._finish(episode, End.GOOD, now_ms)
            return None
        following = self._following(episode, rated)
        if isinstance(following, End):
            self._finish(episode, following, now_ms)
            return None
        return self._send(episode, following, now_ms)

    def _again(self, episode: Episode, rated: Rated, now_ms: float) -> AdjustmentDraft | None:
        before, episode.rating = episode.rating, rated.rating
        effect = effect_of(before, rated.rating)
        self.counters.add(f"adjust.effect.{effect}")
        self._note(episode, "effect", effect.value, rating=rated.rating)
        if rated.rating > episode.best_rating:
            episode.best_rating = rated.rating
            episode.best, episode.best_view_ms = episode.in_force, episode.view_ms
        if effect is Effect.WORSE:
            return self._undo(episode, End.WORSE, now_ms)
        if rated.rating >= self.config.below:
            self._finish(episode, End.GOOD, now_ms)
            return None
        following = self._following(episode, rated)
        if not isinstance(following, End):
            return self._send(episode, following, now_ms)
        if not episode.in_force.same(episode.best):
            return self._undo(episode, End.NO_BETTER, now_ms)
        self._finish(episode, End.IMPROVED, now_ms)
        return None

    def _following(self, episode: Episode, rated: Rated) -> Correction | End:
        """The correction that follows from a low rating, or why there is none."""
        if episode.factor == "shadow":
            return End.RATED_ONLY
        if rated.wish is None or rated.wish.nothing:
            return End.NO_WISH
        following = next_correction(episode.in_force, rated.wish, self.config)
        exhausted = episode.clamped or episode.steps >= self.config.max_steps
        return End.AT_LIMIT if exhausted or following.same(episode.in_force) else following

    def _settle_again(self, episode: Episode, now_ms: float) -> None:
        """The second judgement has failed: try again, while there is time for it."""
        episode.phase = Phase.SETTLING
        self._not_before_ms = now_ms + HELD_BACK_MS

    # Corrections --------------------------------------------------------------------------------------

    def _send(self, episode: Episode, correction: Correction, now_ms: float) -> AdjustmentDraft | None:
        expires_ms = episode.captured_ms + self.config.max_age_ms
        if now_ms >= expires_ms:
            if episode.in_force.same(episode.best):
                self._finish(episode, End.LATE, now_ms)
                return None
            return self._undo(episode, End.NO_BETTER, now_ms)
        episode.steps += 1
        return self._issue(episode, Phase.SENT, correction, expires_ms, now_ms)

    def _undo(self, episode: Episode, end: End, now_ms: float) -> AdjustmentDraft:
        """Back to the best that was judged. Restoring is worth it later, too: it expires by its own time."""
        episode.end = end
        episode.undo_tries += 1
        self.counters.add("adjust.undone")
        return self._issue(episode, Phase.UNDOING, episode.best, now_ms + self.config.max_age_ms, now_ms)

    def _issue(
        self, episode: Episode, phase: Phase, correction: Correction, expires_ms: float, now_ms: float
    ) -> AdjustmentDraft:
        undoes = phase is Phase.UNDOING
        episode.phase = phase
        episode.deadline_ms = expires_ms + self.config.ack_timeout_ms
        episode.resend_ms = now_ms + RESEND_MS
        draft = episode.draft = AdjustmentDraft(
            episode.adjustment_id,
            next(self.new_version),
            self.device_id,
            self.session_id,
            episode.object_id,
            correction,
            f"{episode.label}: {episode.factor} {'as before' if undoes else 'corrected'}",
            episode.best_view_ms if undoes else episode.captured_ms,
            expires_ms,
            undoes=undoes,
        )
        self.counters.add(f"adjust.sent.{'undo' if undoes else 'step'}")
        action = "revert" if draft.reverts else "apply"
        self._note(episode, "sent", action, version=draft.version, correction=correction)
        return draft

    # What becomes of them -----------------------------------------------------------------------------

    def _arrived(self, episode: Episode, draft: AdjustmentDraft, now_ms: float, *, clamped: bool) -> None:
        self._record(episode).correction = episode.in_force = draft.correction
        episode.view_ms = draft.captured_ms
        if episode.phase is Phase.UNDOING:
            self._finish(episode, episode.end, now_ms)
            return
        episode.clamped = clamped
        episode.phase, episode.since_ms = Phase.SETTLING, now_ms

    def _refused(self, episode: Episode, reason: str, now_ms: float) -> None:
        record = self._record(episode)
        if reason == "held_by_user":
            record.correction = AS_PLACED  # where the user puts it is where it belongs
            self._finish(episode, End.HELD, now_ms)
            return
        record.given_up = reason == "unknown_object"
        if episode.phase is Phase.UNDOING and not record.given_up and not episode.best.same(AS_PLACED):
            # The way back to an earlier correction is closed; to where the app placed it there always is one.
            episode.best, episode.deadline_ms = AS_PLACED, now_ms
            return
        self._finish(episode, End.REFUSED, now_ms)

    def _expired(self, episode: Episode, now_ms: float) -> None:
        if episode.phase is Phase.UNDOING:
            episode.deadline_ms = now_ms
            return
        if episode.in_force.same(episode.best):
            self._finish(episode, End.EXPIRED, now_ms)
            return
        # What is in force was not an improvement by itself, and the step that built on it did not come.
        episode.end, episode.phase, episode.deadline_ms = End.NO_BETTER, Phase.UNDOING, now_ms

    def _watch_sent(self, episode: Episode, now_ms: float) -> AdjustmentDraft | None:
        if now_ms >= episode.deadline_ms:
            return self._unanswered(episode, now_ms)
        if episode.draft is None or not episode.resend_ms <= now_ms < episode.draft.expires_ms:
            return None
        episode.resend_ms = now_ms + RESEND_MS
        self.counters.add("adjust.resent")
        return episode.draft

    def _unanswered(self, episode: Episode, now_ms: float) -> AdjustmentDraft | None:
        """Nobody knows whether it was carried out: go back to what is known, a few times."""
        if episode.phase is Phase.SENT:
            self.counters.add("adjust.unanswered")
            self._silent += 1
            return self._undo(episode, End.UNANSWERED, now_ms)
        if episode.undo_tries < UNDO_TRIES:
            return self._undo(episode, episode.end, now_ms)
        self._finish(episode, End.UNANSWERED, now_ms)
        if self._silent >= SILENT_OBJECTS:
            self._not_before_ms = now_ms + self.config.cool_down_ms
        return None

    def _watch_settling(self, episode: Episode, seen: Seen | None, now_ms: float) -> None:
        if seen is not None and seen.item.held:
            self._finish(episode, End.HELD, now_ms)
        elif seen is not None and seen.moved_ms > episode.since_ms + MOVED_AFTER_MS:
            self._finish(episode, End.MOVED, now_ms)
        elif now_ms - episode.since_ms >= self.config.rejudge_ms:
            self._finish(episode, End.UNVERIFIED, now_ms)

    def _finish(self, episode: Episode, end: End, now_ms: float) -> None:
        self._records.concluded(episode.object_id, episode.factor, end, now_ms)
        self.counters.add(f"adjust.ended.{end}")
        self._note(episode, "ended", end.value, rating=episode.rating or None)
        self._episode = None

    def _record(self, episode: Episode) -> Record:
        return self._records.of(episode.object_id)

    def _note(
        self,
        episode: Episode,
        what: str,
        detail: str = "",
        *,
        rating: float | None = None,
        version: int = 0,
        correction: Correction = AS_PLACED,
    ) -> None:
        self.on_note(Note(what, episode.object_id, episode.factor, detail, rating, version, correction))
