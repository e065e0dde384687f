"""What the faults cost: from the ledger, the update stream and what each page heard. Pure.

Lost, of a summary's item: it has no entry in the ledger; or its last offering is not over; or that was cut,
or failed, and nothing was offered in its place. What was superseded, grew too old, gave way to the closing or
was skipped was not lost: the same happens without faults, and the page says so.
Twice: two offerings of one item, both SPOKEN to their end; but for a critical finding that nobody took note
of, which is told again after two minutes.
Two voices: sound on two tracks at one page in the same moment, `OVERLAP_S` of it in all; or a stretch of
sound of `GHOST_S` while, by the ledger, nothing was being spoken (a tone is shorter).
Stuck: `STUCK_S` without a word while items wait, a listener is there and nobody asked for quiet.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from infra.ledger import LedgerEntry
from lab.chaos.runs import Run, merged, overlap_s, without
from lab.chaos.watching import Look, perhaps_speaking, stuck_s
from tts_queue import Phase, is_over

OVERLAP_S: Final = 0.1  # a jitter buffer conceals a track that broke off for as long
GHOST_S: Final = 1.0
MARGIN_S: Final = 1.0  # a look at the ledger, the way to the ear, and what a jitter buffer holds
STUCK_S: Final = 30.0
REMINDED_S: Final = 120.0  # realtime/speech/alerts.py
PASSING: Final = frozenset(
    {"question", "welcome", "reply", "filler", "greeting", "arrival", "failure", "silence"}
)


@dataclass(frozen=True, slots=True)
class Heard:
    """What one page heard: sound by track, and when it was connected."""

    sound: Mapping[str, Sequence[Run]]
    there: Sequence[Run]


@dataclass(frozen=True, slots=True)
class Audit:
    """One session's audit. `lost`, `twice` and `unfinished` hold utterance ids with what is wrong."""

    session_id: str
    summaries: int
    items: int
    spoken: int
    again: int  # offered again after a cut
    lost: tuple[str, ...]
    twice: tuple[str, ...]
    two_tracks_s: float
    ghosts: tuple[Run, ...]
    stuck_s: float
    needless: int = 0  # voices that took the session over though no fault had hit the one before

    @property
    def two_voices(self) -> bool:
        """Whether two voices were heard at once."""
        return self.two_tracks_s > OVERLAP_S or bool(self.ghosts)

    @property
    def stuck(self) -> bool:
        """Whether the session stood still."""
        return self.stuck_s >= STUCK_S


def audit(
    session_id: str,
    items_by_update: Mapping[str, int],
    entries: Sequence[LedgerEntry],
    pages: Sequence[Heard],
    looks: Sequence[Look],
    needed: int = 0,
) -> Audit:
    """Return the audit.

    Args:
        session_id: the session's.
        items_by_update: how many items each update of the stream has.
        entries: its ledger, in order.
        pages: what each of its pages heard.
        looks: at its ledger while it ran.
        needed: faults that ended, or may have ended, a voice of it.
    """
    wanted = [f"{uid}.{n}" for uid, items in items_by_update.items() for n in range(1, items + 1)]
    sound = merged(run for page in pages for runs in page.sound.values() for run in runs)
    return Audit(
        session_id=session_id,
        summaries=len(items_by_update),
        items=len(wanted),
        spoken=len({root(e.utterance.utterance_id) for e in entries if e.phase is Phase.SPOKEN}),
        again=sum(entry.utterance.replays is not None for entry in entries),
        lost=tuple(lost(wanted, entries)),
        twice=tuple(twice(entries)),
        two_tracks_s=max((two_tracks_s(page) for page in pages), default=0.0),
        ghosts=tuple(ghosts(sound, looks)),
        stuck_s=stuck_s(looks, sound, merged(run for page in pages for run in page.there)),
        needless=max(0, max((entry.epoch for entry in entries), default=1) - 1 - needed),
    )


def root(utterance_id: str) -> str:
    """Return the id under which an item was offered first: `x.r2` is of `x`."""
    stem, mark, number = utterance_id.rpartition(".r")
    return stem if mark and number.isdigit() else utterance_id


def lost(wanted: Sequence[str], entries: Sequence[LedgerEntry]) -> list[str]:
    """Return the items, and other utterances that are not of their moment, that were lost, and how."""
    offerings: defaultdict[str, list[LedgerEntry]] = defaultdict(list)
    for entry in entries:
        offerings[root(entry.utterance.utterance_id)].append(entry)
    found = [f"{item}: not in the ledger" for item in wanted if item not in offerings]
    for item, offered in offerings.items():
        last = offered[-1]
        if any(each.phase is Phase.SPOKEN for each in offered):
            continue
        if not is_over(last.phase):
            found.append(f"{item}: still {last.phase.value}")
        elif last.phase in (Phase.CUT, Phase.FAILED) and not _excused(last):
            found.append(f"{item}: {last.phase.value}, {last.reason or 'no reason'}")
    return found


def _excused(entry: LedgerEntry) -> bool:
    return entry.utterance.kind in PASSING or entry.reason in ("skipped", "repeated")


def twice(entries: Sequence[LedgerEntry]) -> list[str]:
    """Return the items that were spoken to their end under two ids."""
    spoken: dict[str, LedgerEntry] = {}
    found = []
    for entry in entries:
        if entry.phase is not Phase.SPOKEN:
            continue
        item = root(entry.utterance.utterance_id)
        before = spoken.get(item)
        if before is not None and not _reminds(before, entry):
            found.append(f"{before.utterance.utterance_id} and {entry.utterance.utterance_id}")
        spoken[item] = entry
    return found


def _reminds(before: LedgerEntry, after: LedgerEntry) -> bool:
    if after.utterance.critical_key is None:
        return False
    return after.created_at_ms - before.moved_at_ms >= (REMINDED_S - 1.0) * 1_000


def two_tracks_s(page: Heard) -> float:
    """Return for how long a page heard sound on two tracks at once, the worst pair of tracks."""
    tracks = [merged(runs) for runs in page.sound.values()]
    pairs = [(one, other) for i, one in enumerate(tracks) for other in tracks[i + 1 :]]
    return max((overlap_s(one, other) for one, other in pairs), default=0.0)


def ghosts(sound: Sequence[Run], looks: Sequence[Look]) -> list[Run]:
    """Return the stretches of sound that no utterance of the ledger explains."""
    if not looks:
        return []
    known = perhaps_speaking(looks, MARGIN_S)
    return [left for run in sound for left in without(run, known) if left.lasts_s >= GHOST_S]
