"""Scenes in which something newer is said before an older statement can be told: is the older one still told as so?

A scene (`tests/gold/overtaken*.yaml`) is a few turns, the words by which a told sentence shows the `old` statement, and
those of which one shows the `new` state. It is played in the real session on virtual time (`lab.bench.playing`), and
what is begun after the last turn counts. In look-alikes the old statement still stands.

    python -m lab.evaluation.overtaken FILE [--all]
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from lab.bench.playing import play
from lab.evaluation.aloud import EvenVoice, said_of
from lab.evaluation.discussions import WORDS_PER_S, Discussion, trace
from lab.yamlfile import read_yaml

TITLE: Final = "a case"
CLOSING: Final = "closing"


class Told(StrEnum):
    """What became of the old statement, once all was said."""

    AS_IT_STOOD = "told as it stood"
    WITH_THE_NEWER = "told with the newer"
    NOT = "not told"


@dataclass(frozen=True, slots=True)
class Outcome:
    """One scene: how the old statement was told, whether the newer one was, and all that was begun too late for it."""

    scene_id: str
    kind: str
    overtaken: bool
    told: Told
    newer_told: bool
    said: tuple[str, ...]

    @property
    def is_right(self) -> bool:
        """Return whether what is overtaken is not told as it stood, or what still stands is told."""
        return self.told is not (Told.AS_IT_STOOD if self.overtaken else Told.NOT)


def outcome(scene: dict[str, Any]) -> Outcome:
    """Play a scene. Raises: KeyError: it has not the shape; TimeoutError: it does not end."""
    turns = tuple((agent, text) for agent, _, text in (each.partition(": ") for each in scene["turns"]))
    discussion = Discussion(Path(str(scene["id"])), {"title": TITLE}, turns)
    over_s = sum(len(text.split()) for _, text in turns) / WORDS_PER_S
    said = said_of(play(trace(discussion), TITLE, None, EvenVoice(), None))
    late = tuple(
        (each.told or each.text).lower()
        for each in said
        if each.begun_s is not None and each.begun_s >= over_s and each.kind != CLOSING
    )
    old, new = ([str(word).lower() for word in scene[key]] for key in ("old", "new"))
    olds = [text for text in late if all(word in text for word in old)]
    newer = [any(word in text for word in new) for text in olds]
    told = Told.NOT if not olds else Told.WITH_THE_NEWER if all(newer) else Told.AS_IT_STOOD
    any_new = any(word in text for text in late for word in new)
    return Outcome(str(scene["id"]), scene["kind"], bool(scene["overtaken"]), told, any_new, late)


def main() -> None:
    """Print what became of the scenes of a file, and with `--all` each that is not right."""
    asked = argparse.ArgumentParser(description=main.__doc__)
    asked.add_argument("file", type=Path)
    asked.add_argument("--all", action="store_true")
    args = asked.parse_args()
    outcomes = [outcome(scene) for scene in read_yaml(args.file)]
    lines = [
        *(_row(f"{kind:8}", [each for each in outcomes if each.kind == kind]) for kind in _kinds(outcomes)),
        _row("all", outcomes),
    ]
    for each in outcomes if args.all else ():
        if not each.is_right:
            lines += [
                f"- {each.scene_id} {each.kind}: {each.told.value}",
                *(f"    {text}" for text in each.said),
            ]
    sys.stdout.write("\n".join(lines) + "\n")


def _kinds(outcomes: Sequence[Outcome]) -> list[str]:
    return sorted({each.kind for each in outcomes})


def _row(name: str, outcomes: Sequence[Outcome]) -> str:
    """Return two lines: what became of those that are overtaken, and of those that stand."""
    lines = list[str]()
    for overtaken, label in ((True, "overtaken"), (False, "stands")):
        of = [each for each in outcomes if each.overtaken is overtaken]
        told = Counter(each.told for each in of)
        row = "  ".join(f"{each.value} {told[each]:2}" for each in Told)
        lines.append(f"{name:8} {label:10} {row}  newer told {sum(each.newer_told for each in of):2}")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
