"""What the rules make of a crowd's wordings: `python -m lab.ears.crowd data_full.json`.

The file is CLINC150's (github.com/clinc/oos-eval, CC BY 3.0), 23,700 utterances of 150 intents by paid strangers; it is
no part of this project. Four intents are near ours; the direction of a dial is not labelled there. Everything that is
said to an assistant of another kind must leave our voice alone.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, TypeAlias

from lab.console import argument
from lab.ears.score import interval, steers
from lab.ears.texts import heard_as

Row: TypeAlias = tuple[str, str]  # text and intent

WANTED: Final = {
    "change_speed": ("slower", "faster", "usual_pace"),
    "change_volume": ("louder", "softer", "usual_volume"),
    "repeat": ("repeat",),
    "cancel": ("quiet", "wait"),
    "spelling": ("spell",),
}
_NEAR_OURS: Final = frozenset(
    {*WANTED, "next_song", "yes", "no", "maybe", "greeting", "goodbye", "thank_you", "whisper_mode", "oos"}
)


def report(parts: dict[str, list[Row]]) -> Iterator[str]:
    """Yield a line for each intent near ours, and one on all that is none."""
    held = [*parts["val"], *parts["test"]]
    for intent, wanted in WANTED.items():
        found = [heard_as(text).partition("/")[2] for text, said in held if said == intent]
        yield f"{intent}: {interval(sum(effect in wanted for effect in found), len(found))}"
    others = [text for rows in parts.values() for text, intent in rows if intent not in _NEAR_OURS]
    yield f"other intents that steer: {interval(sum(steers(heard_as(text)) for text in others), len(others))}"


def main(path: str) -> None:
    """Print the report."""
    parts = json.loads(Path(path).read_text(encoding="utf-8"))
    sys.stdout.write("\n".join(report(parts)) + "\n")


if __name__ == "__main__":
    main(argument("lab.ears.crowd", "FILE"))
