"""Thoughts with a pause in them: what is answered, where a pause ended the turn, before and since turns are joined.

    python -m lab.ears.rejoined [PART [EVERY]]    phrases cut in two, 0.8 s apart (develop)

By the first recogniser. A question is asked whole if what is answered last holds four fifths of its words, or all of
its words that are of the case. Of all else it is counted how often something is answered that was not before.
"""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from agents.shares import wilson
from lab.ears.ends import TEXT_AFTER, Listening, Spoken, material
from lab.ears.matrix import PARTS, Part
from lab.ears.score import case_words, verdict_of
from lab.ears.voices import RATE_HZ, Speakers
from realtime.conversation.eager import is_rest
from realtime.ears import WINDOW, EarsConfig
from realtime.ears.detector import DetectorState, EndedTurn, Paused, hear
from realtime.interruption import Effect, ending_of

GAP_S: Final = 0.8
ENOUGH: Final = 0.8  # of a question's words
_ANSWERED: Final = frozenset({Effect.ANSWER, Effect.ASK_TEAM})


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn as the ears end it, on the sound's clock."""

    began_s: float
    ended_s: float
    text: str


class Joining(Listening):
    """The detector and the first recogniser, which hears two turns as one, too."""

    def both(self, spoken: Spoken, first: Turn, then: Turn) -> str:
        """Return what is heard in the two of them together."""
        parts = [self.cut(spoken.sound, each.began_s, each.ended_s) for each in (first, then)]
        return self.write(np.concatenate(parts))


def turns_of(spoken: Spoken, listening: Listening) -> list[Turn]:
    """Return the turns of a sound, each ended by its words."""
    config, now, found, text, due = EarsConfig(), DetectorState(), list[Turn](), "", -1
    for number, probability in enumerate(listening.probabilities(spoken.sound)):
        now, change = hear(now, probability, number * WINDOW / RATE_HZ, config)
        if isinstance(change, Paused):
            text, due = listening.text(spoken.sound, now.began_s, change.at_s), number + TEXT_AFTER
        if number == due and now.silent:
            now = replace(now, ending=ending_of(text, case_words()))
        if isinstance(change, EndedTurn) and not change.noise:
            found.append(Turn(now.began_s, now.voiced_until_s, text))
    return found


def answered(spoken: Spoken, turns: list[Turn], listening: Joining, *, joins: bool) -> str:
    """Return the text that is answered last, or "": none is."""
    last, before = "", None
    for at, turn in enumerate(turns):
        verdict, text = verdict_of(turn.text, None, 0.0, _ms(turn)), turn.text
        if (
            joins
            and at
            and turn.began_s - turns[at - 1].ended_s <= EarsConfig().joins_s
            and is_rest(before, verdict)
        ):
            both = listening.both(spoken, turns[at - 1], turn)
            joined = verdict_of(both, None, 0.0, _ms(turn))
            if joined.effect in _ANSWERED:
                verdict, text = joined, both
        last = text if verdict.effect in _ANSWERED else last
        before = verdict
    return last


def _ms(turn: Turn) -> int:
    return round(1000 * (turn.ended_s - turn.began_s))


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9']+", text.lower())


def is_whole(said: str, text: str) -> bool:
    """Return whether a question's words are in a text."""
    wanted, there = _words(said), set(_words(text))
    of_case = [word for word in wanted if word in case_words()]
    return sum(word in there for word in wanted) >= ENOUGH * len(wanted) or (
        bool(of_case) and all(word in there for word in of_case)
    )


def main(part: Part, every: int) -> None:
    """Hear a part, and print what was answered."""
    listening, counts = Joining(), Counter[str]()
    for _, alike in material(part, every, Speakers()):
        spoken = next((each for each in alike if each.gap_s == GAP_S), None)
        if spoken is None:
            continue
        turns = turns_of(spoken, listening)
        question = spoken.said.family == "question"
        kind = "questions" if question else "all else"
        counts[f"{kind}: said"] += 1
        if len(turns) < 2:
            counts[f"{kind}: heard as one turn"] += 1
            continue
        for name, joins in (("before", False), ("now", True)):
            text = answered(spoken, turns, listening, joins=joins)
            counts[f"{kind}: {name}"] += is_whole(spoken.said.text, text) if question else bool(text)
    said, one = counts["questions: said"], counts["questions: heard as one turn"]
    for name in ("before", "now"):
        whole = counts[f"questions: {name}"]
        low, high = wilson(whole, said - one) if said > one else (0.0, 0.0)
        sys.stdout.write(
            f"{name}: of {said} questions with a pause of {GAP_S} s {said - one} are ended by it; of these "
            f"{whole} are answered whole ({100 * low:.0f}-{100 * high:.0f} %)\n"
        )
    others = counts["all else: said"] - counts["all else: heard as one turn"]
    sys.stdout.write(
        f"of all else {others} are ended by it; something is answered in {counts['all else: before']} before, "
        f"{counts['all else: now']} now\n"
    )


if __name__ == "__main__":
    chosen = sys.argv[1] if len(sys.argv) > 1 else "develop"
    if chosen not in PARTS:
        sys.exit(__doc__)
    main(next(each for each in PARTS if each == chosen), int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    sys.stdout.flush()
    os._exit(0)
