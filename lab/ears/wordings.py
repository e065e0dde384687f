"""Whether words that are typed or spoken to us do what their author meant: `python -m lab.ears.wordings checking`.

The words are in `tests/gold/verdict_wordings.yaml`. Spoken ones are said while the voice speaks and are taken for what
they say, with no sound in it; all of them in the case of the gold turns. A second is enough.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from lab.console import argument
from lab.ears.score import case_words, interval, verdict_of
from lab.ears.texts import LEAST_MS, MS_A_WORD
from lab.yamlfile import read_yaml
from realtime.conversation.chat import meaning_of
from realtime.interruption import Context, Effect

WORDINGS: Final = Path(__file__).parents[2] / "tests" / "gold" / "verdict_wordings.yaml"
SPLITS: Final = ("working", "checking")
_PASSES: Final = frozenset(
    {Effect.GO_ON, Effect.ANSWER, Effect.NOT_ACTED_ON, Effect.ASK, Effect.REFUSE_ORDER}
)
WANTED: Final[Mapping[str, frozenset[Effect]]] = {
    "question": frozenset({Effect.ANSWER}),
    "order": frozenset({Effect.REFUSE_ORDER, Effect.NOT_ACTED_ON}),
    "talk": _PASSES,  # whatever is made of it: nothing is silenced, dropped or set
    "wrong": frozenset({Effect.WRONG_CASE}),
    "steer-skip": frozenset({Effect.SKIP}),
    "steer-stop": frozenset({Effect.QUIET}),
    "steer-wait": frozenset({Effect.WAIT}),
    "steer-go_on": frozenset({Effect.GO_ON, Effect.RESUME}),
    "steer-repeat": frozenset({Effect.REPEAT}),
    "steer-slower": frozenset({Effect.SLOWER}),
}
"""The effects that are right for each kind of words."""


@dataclass(frozen=True, slots=True)
class Wording:
    """Words with how they came and what they are."""

    medium: str  # "typed" or "spoken"
    kind: str
    words: str

    @property
    def effect(self) -> Effect:
        """What they do."""
        if self.medium == "typed":
            return meaning_of(
                self.words, Context(speaking=True, asked_anything=True, case_words=case_words())
            ).effect
        return verdict_of(self.words, None, 0.0, max(LEAST_MS, MS_A_WORD * len(self.words.split()))).effect

    @property
    def right(self) -> bool:
        """Whether that is what was meant."""
        return self.effect in WANTED[self.kind]


def wordings(split: str) -> tuple[Wording, ...]:
    """Return the words of a split. Raises: OSError, KeyError."""
    found = read_yaml(WORDINGS)["wordings"]
    return tuple(
        Wording(each["medium"], each["kind"], each["words"]) for each in found if each["split"] == split
    )


def report(said: Sequence[Wording]) -> Iterator[str]:
    """Yield what is right by medium and kind, and each that is not."""
    groups = sorted({(each.medium, each.kind.split("-")[0]) for each in said})
    for medium, kind in groups:
        of = [each for each in said if each.medium == medium and each.kind.split("-")[0] == kind]
        yield f"{medium} {kind}: {interval(sum(each.right for each in of), len(of))}"
    yield f"all: {interval(sum(each.right for each in said), len(said))}"
    yield from (
        f"  {each.medium} {each.kind}: {each.words!r} -> {each.effect}" for each in said if not each.right
    )


def main(split: str) -> None:
    """Print the report on a split."""
    sys.stdout.write("\n".join(report(wordings(split))) + "\n")


if __name__ == "__main__":
    main(argument("lab.ears.wordings", "|".join(SPLITS)))
