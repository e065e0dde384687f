"""Read what an earlier worker left to its successor, besides the ledger's open entries. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from infra.ledger import LedgerEntry, Reached
from infra.streams import LoggedCommand
from realtime.interruption import Effect, Kind, Mode
from realtime.speech.alerts import ToldBefore, is_missed, is_told
from realtime.speech.closing import Unread
from realtime.speech.dial import turned
from realtime.speech.narrator import first_offering, number_of
from realtime.speech.takeover import Takeover, take_over
from realtime.speech.verbosity import Verbosity, verbosity_after
from realtime.team.to_team import NOT_APPROVED, NOT_SENT
from tts_queue import Dial, HoldCause, Phase, Utterance
from tts_queue.phases import is_over
from tts_queue.prosody import USUAL

LISTENER: Final = "listener"  # kind of the note that the listener came or went

_MODE_AFTER: Final[Mapping[str, Mode]] = {
    Effect.QUIET: Mode.QUIET,
    Effect.WAIT: Mode.WAITING,
    Effect.RESUME: Mode.FREE,
    Effect.SKIP: Mode.FREE,
    Effect.REPEAT: Mode.FREE,
    Effect.SLOWER: Mode.FREE,
    Effect.LOUDER: Mode.FREE,
    Effect.PREVIOUS: Mode.FREE,
    Effect.CONFIRM_WRONG_CASE: Mode.WRONG_CASE,
    Effect.RIGHT_CASE: Mode.FREE,
}
"""The mode after an effect; any other effect leaves the mode as it was."""
_ANSWERED: Final = frozenset({Effect.MORE, Effect.ANSWER, Effect.REFUSE_ORDER})
"""These end a wait; a quiet goes on after the answer."""
_READ_BACK: Final = frozenset({Effect.ASK_TEAM, Effect.APPROVE})
READ_BACK_MS: Final = 60_000.0  # a message to the team that was read back longer ago was answered, or dropped
MISSED_S: Final = 30.0  # after a longer absence of the voice nobody knows any more what was meant
_SILENCES: Final = frozenset(
    {Effect.QUIET, Effect.WAIT, Effect.ASK, Effect.WRONG_CASE, Effect.CONFIRM_WRONG_CASE}
)  # each holds what had begun


@dataclass(frozen=True, slots=True, kw_only=True)
class StateBefore:
    """The session's state when this worker took over; times are in seconds before it began.

    `away_s`: since the listener's last sign, if it was gone while the earlier worker lived. `vacant_s`: since
    that worker last held the lease; None: there was none. `now_ms`: the store's clock at the beginning.
    """

    vacant_s: float | None = None
    away_s: float | None = None
    device: str | None = None
    begun: bool = False  # somebody was greeted
    mode: Mode = Mode.FREE
    silenced_ms: float | None = None  # when a quiet or a wait that lasts began to hold, on the store's clock
    asked_in_quiet: str = ""  # turn whose answer passes the quiet that lasts
    unanswered: str = ""  # turn of the last question, if no answer to it was made
    missed: str = ""  # utterance that was last spoken over, or turn that was read back: nothing came of it
    read_back_ms: float = 0.0  # when that turn was read back, on the store's clock
    turned_ms: float = 0.0  # when the last turn was decided, on the store's clock
    dial: Dial = USUAL
    verbosity: Verbosity = Verbosity.NORMAL
    told: tuple[ToldBefore, ...] = ()
    acknowledged: frozenset[str] = frozenset()
    heard: int = 0  # number of the summary of which something sounded last
    sounded: frozenset[str] = (
        frozenset()
    )  # items of which something sounded, by the id of their first offering
    unread: frozenset[str] = frozenset()  # items, by the id of their first offering
    read: frozenset[str] = frozenset()
    now_ms: float = 0.0

    @property
    def silent_s(self) -> float:
        """Return for how long the listener has heard nothing, as it was away or no worker was there."""
        return max(self.away_s or 0.0, self.vacant_s or 0.0)

    @property
    def held_ms(self) -> float:
        """Return until when an earlier worker held the lease, on the store's clock in ms; 0: none did."""
        return 0.0 if self.vacant_s is None else self.now_ms - 1000 * self.vacant_s

    @property
    def settled(self) -> frozenset[str]:
        """Return the keys of the critical findings that were heard and acknowledged."""
        heard = {key for each in self.told if each.heard and (key := each.utterance.critical_key) is not None}
        return self.acknowledged & heard

    def take_over(
        self, entries: Sequence[LedgerEntry], *, now_s: float, reached: Reached | None = None
    ) -> Takeover:
        """Return what to do with the ledger, see `realtime.speech.takeover.take_over`."""
        return take_over(
            entries,
            now_s=now_s,
            reached=reached,
            settled=self.settled,
            silenced_ms=self.silenced_ms,
        )

    def grace_used(self, grace_s: float) -> float:
        """Return how much of the grace is used up, in seconds.

        An absence longer than the grace uses none: it was an outage, or the session was opened again.
        """
        away_s = self.away_s or 0.0
        return away_s if away_s < grace_s else 0.0


FIRST: Final = StateBefore()


def read_before(
    commands: Iterable[LoggedCommand],
    entries: Sequence[LedgerEntry],
    *,
    vacant_s: float | None,
    now_ms: float,
    verbosity: Verbosity = Verbosity.NORMAL,
) -> StateBefore:
    """Return the state that `commands` and the ledger tell of.

    * `vacant_s`: how long ago an earlier worker last held the lease; None: there was none.
    * `now_ms`: the present on the store's clock, as the times of commands and entries.
    * `verbosity`: how much is told unless the clinician asked for more or less.
    """
    before = StateBefore(vacant_s=vacant_s, now_ms=now_ms, verbosity=verbosity)
    for logged in commands:
        before = _after(before, logged)
    items = Unread()
    for entry in entries:
        items.ended(entry.utterance, entry.phase, entry.reason)
    return replace(
        before,
        unanswered="" if _was_answered(before.unanswered, entries) else before.unanswered,
        missed=_missed(before, entries) if _is_short(vacant_s) else "",
        silenced_ms=None if before.mode is Mode.FREE else before.silenced_ms,
        told=_told(entries, now_ms),
        heard=max(_begun(entries), default=(0, 0))[1],
        sounded=frozenset(first_offering(e.utterance.utterance_id) for e in entries if _has_begun(e)),
        unread=frozenset(items.unread),
        read=frozenset(items.read),
    )


def _after(before: StateBefore, logged: LoggedCommand) -> StateBefore:
    """Return the state after one more command; those that say nothing of it leave it as it is."""
    kind, args = logged.command.kind, logged.command.args
    if kind == "ready":
        return replace(before, begun=True)
    if kind == "turn":
        effect, turn_id = str(args.get("effect")), _text(args.get("turn_id")) or ""
        mode = _mode_after(before.mode, effect)
        if effect == Effect.PREVIOUS and args.get("reply"):
            mode = before.mode  # nothing was said before, and the silence went on
        in_quiet = mode is Mode.QUIET and effect in _ANSWERED
        read_back = _read_back(before, logged)
        return replace(
            before,
            mode=mode,
            asked_in_quiet=turn_id if in_quiet else "" if effect in _MODE_AFTER else before.asked_in_quiet,
            unanswered=_unanswered(before, effect, turn_id),
            missed=read_back,
            read_back_ms=logged.at_ms if read_back == turn_id else before.read_back_ms,
            turned_ms=logged.at_ms,
            dial=turned(before.dial, effect),
            verbosity=verbosity_after(before.verbosity, effect),
            silenced_ms=logged.at_ms if effect in _SILENCES else before.silenced_ms,
        )
    if kind == "answer" and args.get("turn_id") == before.unanswered:
        return replace(before, unanswered="")
    if kind == "acknowledge":
        return replace(before, acknowledged=before.acknowledged | {str(args.get("critical_key", ""))})
    if kind == LISTENER and args.get("here"):
        return replace(before, away_s=None, device=_text(args.get("device")))
    if kind == LISTENER:
        ago_s = max(0.0, before.now_ms - logged.at_ms) / 1000
        return replace(before, away_s=ago_s + _seconds(args.get("silent_s")))
    return before


def _unanswered(before: StateBefore, effect: str, turn_id: str) -> str:
    """Return the turn of the last question without an answer after one more turn: a quiet asks for none."""
    if effect == Effect.ANSWER:
        return turn_id
    return "" if effect in _SILENCES else before.unanswered


def _read_back(before: StateBefore, logged: LoggedCommand) -> str:
    """Return the spoken turn that is read back and waits for a yes after one more turn; a hum leaves it."""
    args = logged.command.args
    recent = before.now_ms - logged.at_ms <= READ_BACK_MS
    if args.get("effect") in _READ_BACK and args.get("via") == "voice" and not args.get("reply") and recent:
        return _text(args.get("turn_id")) or ""
    return before.missed if args.get("kind") == Kind.IGNORE else ""


def _missed(before: StateBefore, entries: Sequence[LedgerEntry]) -> str:
    """Return what was read back or said over, and came to nothing without a word of ours; "" if nothing was."""
    told = (e for e in entries if e.phase is Phase.SPOKEN and e.utterance.text in (NOT_SENT, NOT_APPROVED))
    was_told = any(entry.moved_at_ms > before.read_back_ms for entry in told)
    return ("" if was_told else before.missed) or _spoken_over(entries, before.turned_ms)


def _spoken_over(entries: Iterable[LedgerEntry], turned_ms: float) -> str:
    """Return the utterance that a voice holds of which no turn was made; "" if there is none."""
    held = (e for e in entries if e.phase is Phase.HELD and e.cause is HoldCause.VOICE)
    return next((e.utterance.utterance_id for e in held if e.moved_at_ms > turned_ms), "")


def _is_short(vacant_s: float | None) -> bool:
    return vacant_s is not None and vacant_s <= MISSED_S


def _mode_after(mode: Mode, effect: str) -> Mode:
    """Return the mode after `effect`; after a confirmed wrong case only "right case" changes it."""
    if mode is Mode.WRONG_CASE and effect != Effect.RIGHT_CASE:
        return mode
    if effect in _ANSWERED:
        return Mode.QUIET if mode is Mode.QUIET else Mode.FREE
    return _MODE_AFTER.get(effect, mode)


def _told(entries: Sequence[LedgerEntry], now_ms: float) -> tuple[ToldBefore, ...]:
    """Return each critical finding that was told, heard or not."""
    by_key: dict[str, list[LedgerEntry]] = {}
    for entry in entries:
        if entry.utterance.critical_key is not None:
            by_key.setdefault(entry.utterance.critical_key, []).append(entry)
    return tuple(each for offered in by_key.values() if (each := _told_of(offered, now_ms)) is not None)


def _told_of(offered: Sequence[LedgerEntry], now_ms: float) -> ToldBefore | None:
    heard = [entry for entry in offered if is_told(entry.phase, entry.reason)]
    told = [*heard, *(entry for entry in offered if is_missed(entry.phase, entry.reason))]
    if not told:
        return None
    due = any(not is_over(entry.phase) for entry in offered)
    return ToldBefore(
        offered[-1].utterance,
        ago_s=max(0.0, now_ms - max(entry.moved_at_ms for entry in told)) / 1000,
        again=len(told) - 1 + due,
        due=due,
        heard=bool(heard),
    )


def _was_answered(turn_id: str, entries: Iterable[LedgerEntry]) -> bool:
    """Return whether the ledger has the answer to a turn: the note of it may have been lost."""
    return any(is_answer_to(turn_id, entry.utterance) for entry in entries)


def is_answer_to(turn_id: str, utterance: Utterance) -> bool:
    """Return whether an utterance, in any offering, is the answer or the refusal that a turn got."""
    answers = utterance.kind in {"answer", "refusal"}
    return answers and bool(turn_id) and first_offering(utterance.utterance_id).endswith(f".{turn_id}")


def _begun(entries: Iterable[LedgerEntry]) -> list[tuple[int, int]]:
    """Return the time and the number of each summary of which something sounded."""
    return [
        (entry.moved_at_ms, number)
        for entry in entries
        if _has_begun(entry) and (number := number_of(entry.utterance)) is not None
    ]


def _has_begun(entry: LedgerEntry) -> bool:
    return entry.move is not None and entry.move.start_sample is not None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _seconds(value: object) -> float:
    return max(0.0, float(value)) if isinstance(value, int | float) else 0.0
