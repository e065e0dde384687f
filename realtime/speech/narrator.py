"""Make utterances of updates: their words, priority, weight, tone and age limit.

Plain functions; the queue decides when each is spoken, and the ledger records what became of it. Every spoken
item of an update becomes exactly one utterance, with the item's own id.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from exaim_core import DISPUTED, SpokenItem, SpokenKind, Update
from exaim_core.text.names import number_word
from realtime.speech.alerts import not_acknowledged
from realtime.speech.verbosity import Verbosity
from realtime.team.long_words import cut_long_words
from tts_queue import Priority, Utterance
from tts_queue.prosody import prosody_for

# The agents say 39 words a second: what is not spoken soon is old. The page has everything.
TTL_S: Final = (6.0, 10.0, 12.0, 15.0)  # by weight; what protects never expires
READ_TTL_S: Final = 45.0
"""Of an item whose claims a model read and the checks let stand: it is told in lulls. It is taken off while it waits
if a later reading says that its speaker changed it, and the rules see a word of change there.

A team of models speaks in bursts that a voice needs four to six times as long to read (docs/decisions/115).
"""
TIMELY_S: Final = 8.0  # from when it was emitted to its first sound: docs/evaluation.md
CLOSING_YIELDS_S: Final = 180.0
"""So long all else goes before the closing, notices and what was broken into too: nothing is said behind it.

After that it goes first (`speech.closing`).
"""
LONG_SILENCE_S: Final = 90.0  # from here on a silence is told in minutes
SILENCE: Final = "silence"  # the kind of what says that the agents are silent
BRIEF_FOR_S: Final = 30.0  # the short forms are used for so long after an item was dropped
VIEWS: Final = frozenset({SpokenKind.CHANGE, SpokenKind.DISAGREEMENT, SpokenKind.AGREEMENT})  # who holds what
ASKED: Final = frozenset({SpokenKind.ACTION, SpokenKind.TEST})  # what to do weighs more than what it is

_TURNS: Final = frozenset({SpokenKind.ACTION, SpokenKind.CHANGE, SpokenKind.CAUTION, SpokenKind.DISAGREEMENT})
_MAY_BE_LATE: Final = frozenset({SpokenKind.CRITICAL, SpokenKind.CORRECTION, SpokenKind.CLOSING})


def item_id(update_id: str, item: int) -> str:
    """Return the id of an update's item; `item` counts from 1."""
    return f"{update_id}.{item}"


def first_offering(utterance_id: str) -> str:
    """Return the id under which something was offered first: `x` for `x`, `x.r1`, `x.r2`, …"""
    stem, mark, number = utterance_id.rpartition(".r")
    return stem if mark and number.isdigit() else utterance_id


def number_of(utterance: Utterance) -> int | None:
    """Return the number of the update of which an utterance is an item, or None."""
    tail = (utterance.update_id or "").rpartition("-")[2]
    return int(tail) if tail.isdigit() else None


def utterances(
    update: Update,
    update_id: str,
    *,
    now_s: float,
    emitted_at_s: float,
    behind: bool = False,
    verbosity: Verbosity = Verbosity.NORMAL,
) -> tuple[Utterance, ...]:
    """Return an update's items as utterances, in its order; none if it is for the page only.

    `emitted_at_s` is when the last delta that it cites was emitted, on the same clock as `now_s`.
    `behind`: not everything can be said in time, so the short forms are taken where there are any. Brief
    takes them always, full never: then nothing is replaced by a newer item, or grows too old.
    """
    short = verbosity is Verbosity.BRIEF or (behind and verbosity is Verbosity.NORMAL)
    return tuple(
        _utterance(item, item_id(update_id, number), update_id, now_s, emitted_at_s, short, verbosity)
        for number, item in enumerate(update.items, start=1)
    )


def spare_utterance(item: SpokenItem, utterance_id: str, update_id: str, now_s: float) -> Utterance:
    """Return a spare sentence as an utterance: it gives way to what presses, and weighs least."""
    return Utterance(
        utterance_id=utterance_id,
        text=cut_long_words(item.text),
        priority=Priority.SUMMARY,
        kind=item.kind.value,
        prosody=prosody_for(item.kind.value, item.urgency),
        update_id=update_id,
        gives_way=True,
        queued_at_s=now_s,
    )


def weight(item: SpokenItem) -> int:
    """Return an item's weight among those of its priority: 2 is indispensable, 0 only if there is room.

    4 is a stated consensus. 3 is an order to follow now for a critical finding, or only if, a change of mind or
    of orders, or a view against the leading one: what was said before it holds no more. Of alarms that wait
    those go first that the case paper does not contradict: they stand, and are shorter.
    """
    if item.kind is SpokenKind.CRITICAL:
        return 2 if item.text.startswith(DISPUTED) else 3
    if item.kind in _TURNS and item.urgency != "routine":
        return 3
    if item.kind is SpokenKind.AGREEMENT and item.presses:
        return 4
    if item.protects or item.kind in (SpokenKind.LEADING, SpokenKind.CAUTION):
        return 2
    if item.urgency == "routine":
        return 1 if item.kind in VIEWS or item.kind in ASKED else 0
    return 2 if item.kind in VIEWS or item.kind is SpokenKind.FINDING else 1


def priority_of(item: SpokenItem) -> Priority:
    """Return an item's priority. The closing goes after everything that presses or protects."""
    if item.kind is SpokenKind.CRITICAL:
        return Priority.CRITICAL
    return Priority.PRESSING if item.presses or item.kind is SpokenKind.CORRECTION else Priority.SUMMARY


def _utterance(
    item: SpokenItem,
    uid: str,
    update_id: str,
    now_s: float,
    emitted_at_s: float,
    short: bool,
    verbosity: Verbosity,
) -> Utterance:
    urgent = item.presses or item.kind in _MAY_BE_LATE
    full = verbosity is Verbosity.FULL
    stays = full or urgent or item.protects
    heavy = weight(item)
    brief = item.brief if short and item.kind not in _MAY_BE_LATE else None
    text = cut_long_words(brief or item.text)
    return Utterance(
        utterance_id=uid,
        text=text,
        priority=priority_of(item),
        kind=item.kind.value,
        topic=None if full or item.kind is SpokenKind.CLOSING else item.topic,
        prosody=prosody_for(item.kind.value, item.urgency),
        update_id=update_id,
        protects=item.protects or item.kind is SpokenKind.CLOSING,
        revises=item.kind in (SpokenKind.CHANGE, SpokenKind.CORRECTION),
        critical_key=item.critical_key,
        expires_after_s=None if stays else READ_TTL_S if item.read else TTL_S[heavy],
        queued_at_s=now_s,
        lag_from_s=emitted_at_s,
        timely_s=None if full or item.kind in _MAY_BE_LATE else TIMELY_S,
        weight=heavy,
        yields_for_s=CLOSING_YIELDS_S if item.kind is SpokenKind.CLOSING else 0.0,
    )


def with_unacknowledged(closing: str, names: Sequence[str], *, eased: int = 0) -> str:
    """Return the closing with the critical findings not acknowledged, if there are any; "" is one without a name.

    `eased`: how many there are of which a value that is not critical was stated since.
    """
    if not (names or eased):
        return closing
    return f"{closing} {not_acknowledged(len(names), names, eased=eased)}"


def with_unread(closing: str, unread: int) -> str:
    """Return the closing with the number of items not read, if there are any."""
    if unread == 0:
        return closing
    return f"{closing} {number_word(unread).capitalize()} {'item' if unread == 1 else 'items'} not read."


def silence_text(for_s: float) -> str:
    """Return the sentence that the agents have been silent for `for_s`; they may go on."""
    minutes = round(for_s / 60)
    count, unit = (int(for_s), "second") if for_s < LONG_SILENCE_S else (minutes, "minute")
    return f"The agents have said nothing for {number_word(count)} {unit}{'s' if count > 1 else ''}."


def silence(utterance_id: str, for_s: float, *, now_s: float) -> Utterance:
    """Return the notice that nothing came from the agents for `for_s`."""
    return Utterance(
        utterance_id=utterance_id,
        text=silence_text(for_s),
        priority=Priority.NOTICE,
        kind=SILENCE,
        queued_at_s=now_s,
    )


def failure(session_id: str, *, now_s: float) -> Utterance:
    """Return the notice that the reasoning broke off, so that silence is not taken for its end."""
    return Utterance(
        utterance_id=f"{session_id}.notice.failure",
        text="The agents have stopped with an error. What they found so far is on the page.",
        priority=Priority.NOTICE,
        kind="failure",
        queued_at_s=now_s,
    )
