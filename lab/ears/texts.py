"""What the rules make of phrasings as they are said, no sound in it: `python -m lab.ears.texts FILE`.

FILE is a list of {"text", "intent"} as an author wrote them down (`sealed_third.json`), or the name of a part of the
matrix. Said while the voice speaks, in the case of the gold turns, with no vote beside the text. A part takes a second.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, get_args

from lab.console import argument
from lab.ears.matrix import PARTS, Part, Said, authored, phrasings
from lab.ears.score import effect_of, interval, steers

MS_A_WORD: Final = 300  # how long a turn is taken to last
LEAST_MS: Final = 600
_NOT_FOR_US: Final = ("talk", "ack", "question", "order")


def said_in(name: str) -> list[Said]:
    """Return the phrasings of a part, or of a file. Raises: OSError, ValueError, KeyError: there are none."""
    part = next((each for each in get_args(Part) if each == name), None)
    return authored(Path(name)) if part is None else phrasings(part)


def heard_as(text: str) -> str:
    """Return kind/effect of a text that is taken for what it says."""
    return effect_of(text, None, 0.0, max(LEAST_MS, MS_A_WORD * len(text.split())))


def effects(said: Sequence[Said]) -> list[str]:
    """Return kind/effect of each."""
    return [heard_as(each.text) for each in said]


def report(said: Sequence[Said], found: Sequence[str]) -> Iterator[str]:
    """Yield the lines of the report: right by intent, what steers wrongly, and each text that is misread."""
    good = [effect in each.want for each, effect in zip(said, found, strict=True)]
    of, right = Counter(each.intent for each in said), Counter[str]()
    right.update(each.intent for each, yes in zip(said, good, strict=True) if yes)
    yield "| intent | right effect, text as said |\n|---|---|"
    yield from (f"| {intent} | {interval(right[intent], of[intent])} |" for intent in of)
    yield f"| all | {interval(sum(good), len(said))} |\n"
    wrong = [
        steers(effect) and effect not in each.want
        for each, effect in zip(said, found, strict=True)
        if each.family in _NOT_FOR_US
    ]
    yield f"talk, signs of listening, questions and orders that steer: {interval(sum(wrong), len(wrong))}"
    yield from (
        f"  {each.intent}: {each.text!r} → {effect}"
        for each, effect, yes in zip(said, found, good, strict=True)
        if not yes
    )


def main(name: str) -> None:
    """Print the report on a file or a part."""
    said = said_in(name)
    sys.stdout.write("\n".join(report(said, effects(said))) + "\n")


if __name__ == "__main__":
    try:
        main(argument("lab.ears.texts", "FILE"))
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"no phrasings there ({error!r}): a JSON list of text and intent, or {', '.join(PARTS)}")
