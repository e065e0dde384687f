"""Discussions whose sentences were labelled by a reader who had not seen the code (docs/labels.md).

The labels of this project's own discussions lie in `tests/gold/labels/own`, with the text. Those of public
discussions hold the origin, offsets and a hash only; they can be used where the texts lie beside the checkout.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from lab.evaluation.discussions import Discussion, read
from lab.evaluation.habits import FOLDER

LABELS: Final = Path("tests/gold/labels")
CORPORA: Final = Path("../shared/corpora")
SPLITS: Final = ("tune", "develop")
PUBLIC: Final = "public"
KINDS: Final = frozenset(
    (
        "value finding leading differential excluded confirmed test action done prohibition allergy emergency "
        "correction agreement disagreement change decision open_question reason textbook plan_of_talk other"
    ).split()
)
STANCES: Final = frozenset(
    ("affirmed", "denied", "hedged", "conditional", "asked", "past", "planned", "withdrawn")
)
SUBJECTS: Final = frozenset(("patient", "relative", "donor", "other_patient", "books", "nobody"))


class NotALabel(ValueError):
    """A row of labels does not fit its discussion; the message says which, and quotes nothing of it."""


@dataclass(frozen=True, slots=True)
class Label:
    """One labelled sentence: where it stands (`turn` from 0, offsets in its text), and what it does there."""

    turn: int
    start: int
    end: int
    text: str
    kind: str
    holder: str
    subject: str
    stance: str
    keep: tuple[str, ...]
    presses: bool


@dataclass(frozen=True, slots=True)
class Labelled:
    """A discussion with its labels, in order."""

    split: str
    discussion: Discussion
    labels: tuple[Label, ...]

    @property
    def style(self) -> str:
        """The way in which it is written."""
        return self.discussion.source


def own(split: str) -> Iterator[Labelled]:
    """Yield the labelled discussions of a split of our own. Raises: NotALabel, OSError."""
    for path in sorted((FOLDER / split).glob("*.jsonl")):
        yield _labelled(split, read(path), LABELS / "own" / f"{path.stem}.labels.jsonl")


def public(corpora: Path = CORPORA) -> Iterator[Labelled]:
    """Yield the labelled public discussions that lie in `corpora`. Raises: NotALabel, OSError."""
    for path in sorted((LABELS / PUBLIC).glob("*.labels.jsonl")):
        text = corpora / path.name.replace(".labels", "")
        if text.exists():
            yield _labelled(PUBLIC, read(text), path)


def rows(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a file of labels, as they are."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def hashed(text: str) -> str:
    """Return the sixteen digits that stand for a text that is not copied."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _labelled(split: str, discussion: Discussion, path: Path) -> Labelled:
    labels = tuple(_label(discussion, number, row) for number, row in enumerate(rows(path), 1))
    return Labelled(split, discussion, labels)


def _label(discussion: Discussion, number: int, row: dict[str, Any]) -> Label:
    turn, start, end = row["turn"], row["start"], row["end"]
    whole = discussion.turns[turn][1]
    text = whole[start:end]
    fits = text == row["text"] if "text" in row else hashed(text) == row["sha256"]
    listed = row["kind"] in KINDS and row["stance"] in STANCES and row["subject"] in SUBJECTS
    if not (fits and text and listed):
        raise NotALabel(f"{discussion.name}, row {number}: label the sentence anew, or mend its offsets")
    keep = tuple(each if isinstance(each, str) else whole[each[0] : each[1]] for each in row["keep"])
    return Label(
        *(turn, start, end, text, row["kind"], row["holder"], row["subject"], row["stance"], keep),
        presses=row["presses"],
    )


_WORD: Final = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)?")


def words(text: str) -> list[str]:
    """Return the words and numbers of a text in lower case, without marks."""
    return [word.lower().replace("’", "'") for word in _WORD.findall(text)]


def best(labels: list[Label], text: str, entity: str = "") -> Label | None:
    """Return the label that shares most words with `text`, and with `entity`; the first of equals, or None."""
    scores = [_alike(label.text, text) + held(entity, label.text) for label in labels]
    top = max(scores, default=0.0)
    return labels[scores.index(top)] if top > 0 else None


def _alike(one: str, other: str) -> float:
    """Return how many words two texts share, of all that they have (Dice)."""
    left, right = set(words(one)), set(words(other))
    return 2 * len(left & right) / (len(left) + len(right)) if left and right else 0.0


def held(part: str, whole: str) -> float:
    """Return the share of the words of `part` that stand in `whole`; 0 of nothing."""
    there = set(words(part))
    return len(there & set(words(whole))) / len(there) if there else 0.0
