"""What is spoken of a case, beside the list of what ought to be: the real session on virtual time.

Engine, narrator, budget, queue and session are the real ones (`lab.bench.playing`). In place of Piper speaks
a voice that lasts as long: one even clip a text. What one hears is timed by the track's own samples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from agents.recorded import Trace
from exaim_core import CasePaper
from lab.bench.playing import TO_EAR_S, Played, play
from lab.evaluation.points import ROUNDED_S, Gold, Terms, Wanted, met
from realtime.speech.narrator import first_offering
from tts_queue import Phase, Utterance
from tts_queue.model import SAMPLE_RATE_HZ, Part, Prosody, WordSpan

WITHIN_S: Final = 8.0  # from when an item can rightly be spoken to its first sound
# The default voice, fitted to 58 clauses of what the engine says (165 s of Piper, residual 0.3 s):
CLAUSE_S: Final = 0.14
CHAR_S: Final = 0.058  # of the text as it is written for the ear


class EvenVoice:
    """Lasts as long as the default voice would; its words are of equal length."""

    def parts(self, text: str, prosody: Prosody) -> Iterable[Part]:
        """Yield one part that is the whole."""
        samples = round((CLAUSE_S + CHAR_S * len(text)) / prosody.rate * SAMPLE_RATE_HZ)
        words = text.split()
        bounds = [samples * at // max(1, len(words)) for at in range(len(words) + 1)]
        spans = tuple(WordSpan(word, bounds[at], bounds[at + 1]) for at, word in enumerate(words))
        yield Part(np.full(samples, 1000, np.int16), samples, spans, "even")


@dataclass(frozen=True, slots=True)
class Said:
    """One item and what became of it, in seconds since the first delta; `begun_s` None: never spoken.

    `told`: the words in which it was spoken, if they are others than it was offered in.
    """

    text: str
    kind: str
    offered_s: float
    begun_s: float | None
    told: str = ""


@dataclass(frozen=True, slots=True)
class Aloud:
    """The spoken side of one case.

    `in_time` are ids of the list that were heard in time, `offered` those given to the voice in time, `late`
    those heard in time or later. `extra` is spoken and none of the list; `fair` of what was spoken counts
    neither way.
    """

    case_id: str
    wanted: int
    in_time: tuple[str, ...]
    offered: tuple[str, ...]
    late: tuple[str, ...]
    spoken: int
    fair: int
    extra: tuple[str, ...]
    dropped: int
    words: int
    lags_s: tuple[float, ...]  # offered → first sound

    @property
    def counted(self) -> int:
        """How many spoken items count for or against."""
        return self.spoken - self.fair


def heard(trace: Trace, title: str, paper: CasePaper | None) -> tuple[Said, ...]:
    """Play a case and return every item of its updates, as it was offered, repeats left out.

    Raises: TimeoutError: it does not end.
    """
    return said_of(play(trace, title, paper, EvenVoice()))


def said_of(played: Played) -> tuple[Said, ...]:
    """Return every item of a played case's updates, as it was offered, repeats left out.

    What is offered again under another id, as before the closing, is begun when that is.
    """
    again = dict[str, list[Utterance]]()
    for each in played.utterances:
        again.setdefault(first_offering(each.utterance_id), []).append(each)
    return tuple(
        _said(played, each, again[each.utterance_id])
        for each in played.utterances
        if each.update_id is not None and each.replays is None
    )


def scored(gold: Gold, said: Sequence[Said]) -> Aloud:
    """Score what was said by the list of what ought to be spoken."""
    return judged(gold.case_id, said, gold.spoken, [_fair(terms) for terms in gold.also_fair])


def judged(
    case_id: str, said: Sequence[Said], wanted: Sequence[Wanted], fair: Sequence[Callable[[str], bool]]
) -> Aloud:
    """Score what was said by what is wanted and what is fair to say beside it."""
    spoken = [(each.text, each.begun_s, each.offered_s) for each in said if each.begun_s is not None]
    rest = [text for text, _, _ in spoken if not any(point.met_by(text) for point in wanted)]
    extra = tuple(text for text in rest if not any(may(text) for may in fair))
    begun = [(text, begun_s) for text, begun_s, _ in spoken]
    return Aloud(
        case_id=case_id,
        wanted=len(wanted),
        in_time=_met(wanted, begun),
        offered=_met(wanted, [(each.text, each.offered_s) for each in said]),
        late=_met(wanted, begun, within_s=float("inf")),
        spoken=len(spoken),
        fair=len(rest) - len(extra),
        extra=extra,
        dropped=len(said) - len(spoken),
        words=sum(len(text.split()) for text, _, _ in spoken),
        lags_s=tuple(begun_s - offered_s for _, begun_s, offered_s in spoken),
    )


def _fair(terms: Terms) -> Callable[[str], bool]:
    return lambda text: met(terms, text)


def _met(
    wanted: Sequence[Wanted], texts: Sequence[tuple[str, float]], *, within_s: float = WITHIN_S
) -> tuple[str, ...]:
    return tuple(
        point.point_id
        for point in wanted
        if any(
            point.from_s - ROUNDED_S <= at_s <= point.at_s + within_s and point.met_by(text)
            for text, at_s in texts
        )
    )


def _said(played: Played, utterance: Utterance, offerings: Sequence[Utterance]) -> Said:
    moves = [played.last.get(each.utterance_id) for each in offerings]
    begun = [
        (move.start_sample, offering.text if move.text is None else move.text)
        for move, offering in zip(moves, offerings, strict=True)
        if move is not None and move.phase_to is Phase.SPOKEN and move.start_sample is not None
    ]
    start, told = min(begun, default=(None, utterance.text))
    return Said(
        utterance.text,
        utterance.kind,
        utterance.queued_at_s - played.began_s,
        None if start is None else start / SAMPLE_RATE_HZ + TO_EAR_S - played.began_s,
        told if told != utterance.text else "",
    )
