"""Can a small model tell which sentences press, on habits and by authors that it was not learned on?

    python -m lab.evaluation.worth           # each habit left out, then each author: how well it ranks, and precision

A sentence presses if it holds half of the words that state a pressing key point, or they hold half of it, or if it is
labelled as pressing (docs/labels.md). Of a list of sixteen points not every sentence that presses is one: a precision
here is a lower bound, and is for comparing. Compared are a logistic regression on the forms alone (how the clauses are
meant, what kinds of thing are named, what the markers of `claims/quotes.py` say), the same with hashed words, pairs and
pieces of words, and those markers by themselves, which learn nothing. The product uses only the last: decision 063.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from agents.shares import Share
from exaim_core.claims.quotes import with_title, worth_of
from exaim_core.lexicon.drugs import DRUG, drugs_named
from exaim_core.lexicon.kinds import names_condition, names_measure, names_test
from exaim_core.lexicon.prohibitions import prohibits
from exaim_core.text.assertion import statuses_of
from exaim_core.text.cleaning import TextCleaner
from exaim_core.text.names import is_moderator, person
from exaim_core.text.quantities import quantities
from exaim_core.text.reader import Reader
from exaim_core.text.token_gate import Chunk, Piece
from exaim_core.text.units import Sentence
from lab.evaluation.discussions import Discussion, read
from lab.evaluation.habits import data_hash, files
from lab.evaluation.labelled import LABELS
from lab.evaluation.labelled import rows as label_rows
from lab.evaluation.logistic import Marks, ranked

AUTHORS: Final = {"tune": 1, "develop": 1, "sealed": 1, "second": 2, "third": 3, "fourth": 4}
"""Who wrote which split: those that are measured here. Several wrote the later ones together."""
PENALTY: Final = 3.0
STEPS: Final = 120
PRECISIONS: Final = (0.8, 0.7, 0.6, 0.5)
PLACES: Final = 2048  # of the hashed features
PIECE: Final = 4  # characters of a piece of a word
MOST_WORDS: Final = 60  # of a sentence that are looked at
_WORD: Final = re.compile(r"\d+(?:[.,:/]\d+)*|[^\W\d_]+(?:['’-][^\W\d_]+)*|[→!?;:]")
_LENGTHS: Final = (4, 7, 11, 16, 22, 30)

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Row:
    """A sentence of a discussion: its marks, what the forms make of it, and whether it presses."""

    split: str
    habit: str
    words: tuple[str, ...]
    form: tuple[str, ...]
    worth: int
    presses: bool


def words_in(text: str) -> Iterator[str]:
    """Yield the words of a text, its pairs of words and pieces of words, numbers made alike."""
    words = [re.sub(r"\d", "0", word.lower()) for word in _WORD.findall(text)[:MOST_WORDS]]
    before = "^"
    for word in words:
        yield f"word {word}"
        yield f"pair {before} {word}"
        before = word
        for at in range(len(word) - PIECE + 1) if word[0].isalpha() and len(word) > PIECE else ():
            yield f"piece {word[at : at + PIECE]}"


def form_of(agent_id: str, unit: Sentence) -> Iterator[str]:
    """Yield how a sentence is meant, where it stands and what kinds of thing it names."""
    text = unit.full
    yield from (f"is {status}" for status in statuses_of(text, ""))
    yield f"under {unit.section}"
    yield f"length {sum(len(text.split()) > bound for bound in _LENGTHS)}"
    yield f"worth {worth_of(with_title(unit), unit.heading, unit.section)}"
    named = {
        "drug": DRUG.search(text) is not None or bool(drugs_named(text)),
        "condition": names_condition(text),
        "test": names_test(text),
        "measure": names_measure(text),
        "quantity": any(each.unit for each in quantities(text)),
        "number": re.search(r"\d", text) is not None,
        "ban": prohibits(text),
        "listed": unit.listed,
        "row": unit.row,
        "opens": unit.opens,
        "chair": is_moderator(agent_id),
        "first line": unit.line_no <= 1,
    }
    yield from (f"has {name}" for name, there in named.items() if there)


def units(discussion: Discussion) -> Iterator[tuple[int, Sentence, tuple[int, int]]]:
    """Yield the sentences with their turn (from 1) and the words of it that they take, first to behind the last."""
    for number, (agent, text) in enumerate(discussion.turns, 1):
        cleaner = TextCleaner()
        words = text.split(" ")
        pieces = [cleaner.take(word if at == len(words) - 1 else f"{word} ") for at, word in enumerate(words)]
        pieces.append(cleaner.end_turn())
        reader = Reader(agent, cleaner.places)
        parts = tuple(Piece(at, 0.0, len(piece)) for at, piece in enumerate(pieces))
        found = reader.push(Chunk(agent, "".join(pieces), "", parts, 0.0))
        for unit in (*found, *reader.end_turn()):
            if isinstance(unit, Sentence):
                yield number, unit, (unit.source.first_seq, unit.source.last_seq + 1)


def rows_of(split: str, path: Path) -> list[Row]:
    """Return the sentences of a discussion with what is known of them. Raises: OSError, KeyError."""
    discussion = read(path)
    points = json.loads(path.with_suffix(".gold.json").read_text(encoding="utf-8"))["points"]
    stated = [stretch(discussion, each) for each in points if each["presses"] is not None]
    labelled = LABELS / "own" / f"{path.stem}.labels.jsonl"
    marks = [each for each in label_rows(labelled) if each["presses"]] if labelled.exists() else []
    pressing = stated + [
        (each["turn"] + 1, *_words(discussion.turns[each["turn"]][1], each["start"], each["end"]))
        for each in marks
    ]
    found = []
    for turn, unit, (first, last) in units(discussion):
        agent = person(unit.source.agent_id)
        presses = any(at == turn and half(first, last, a, b) for at, a, b in pressing)
        form = tuple(form_of(agent, unit))
        worth = int(worth_of(with_title(unit), unit.heading, unit.section))
        found.append(Row(split, discussion.source, tuple(words_in(unit.full)), form, worth, presses))
    return found


def stretch(discussion: Discussion, point: Mapping[str, object]) -> tuple[int, int, int]:
    """Return where a key point is stated: the turn, from 1, its first word there and the one behind its last."""
    turn, quote = int(str(point["turn"])), str(point["quote"])
    text = discussion.turns[turn - 1][1]
    start = text.index(quote)
    return turn, *_words(text, start, start + len(quote))


def _words(text: str, start: int, end: int) -> tuple[int, int]:
    first = text.count(" ", 0, start)
    return first, first + text[start:end].strip().count(" ") + 1


def half(first: int, last: int, a: int, b: int) -> bool:
    """Tell whether one of two stretches of words holds half of the other."""
    shared = min(last, b) - max(first, a)
    return 2 * shared >= min(last - first, b - a) and shared > 0


def matrix(rows: Sequence[Row], *, words: bool) -> Floats:
    """Return a line of features for each row: its forms, and if `words` its hashed words, these of length one."""
    places = {mark: at for at, mark in enumerate(sorted({mark for row in rows for mark in row.form}))}
    found = np.zeros((len(rows), len(places) + (PLACES if words else 0)), np.float32)
    for at, row in enumerate(rows):
        found[at, [places[mark] for mark in row.form]] = 1.0
        hashed = sorted({len(places) + crc32(mark.encode()) % PLACES for mark in row.words if words})
        found[at, hashed] = 1 / np.sqrt(max(1, len(hashed)))
    return found


def learned(x: Floats, y: Floats) -> tuple[Floats, float]:
    """Return weights and bias of a logistic regression of `y` on `x`, by accelerated gradient steps."""
    x = np.column_stack([x, np.ones(len(x), np.float32)])
    toward = np.ones(x.shape[1], np.float32)
    for _ in range(10):  # the largest curvature, which bounds the step
        toward = x.T @ (x @ toward)
        toward /= np.linalg.norm(toward)
    step = 1 / (0.3 * float(np.linalg.norm(x.T @ (x @ toward))) + PENALTY)
    weights = ahead = np.zeros(x.shape[1], np.float32)
    for at in range(STEPS):
        p = 1 / (1 + np.exp(-(x @ ahead)))
        new = ahead - step * (x.T @ (p - y) + PENALTY * np.append(ahead[:-1], np.float32(0)))
        weights, ahead = new, new + at / (at + 3) * (new - weights)
    return weights[:-1], float(weights[-1])


def left_out(x: Floats, presses: Marks, groups: Sequence[object]) -> Floats:
    """Return the score of each row by a model that was learned on the other groups."""
    y, found = presses.astype(np.float32), np.zeros(len(x), np.float32)
    for group in sorted(set(map(str, groups))):
        out = np.array([str(each) == group for each in groups])
        weights, bias = learned(x[~out], y[~out])
        found[out] = x[out] @ weights + bias
    return found


def told(score: Floats, presses: Marks, precision: float) -> tuple[int, int]:
    """Return how many may be told so that at least `precision` of them press: those that do, and all.

    Of equal scores all are told or none.
    """
    order = np.argsort(-score, kind="stable")
    right = np.cumsum(presses[order])
    ends = np.append(np.diff(score[order]) != 0, True)
    reached = np.nonzero(ends & (right >= precision * np.arange(1, len(order) + 1)))[0]
    return (int(right[reached[-1]]), int(reached[-1]) + 1) if len(reached) else (0, 0)


def lines(name: str, score: Floats, presses: Marks) -> Iterator[str]:
    """Yield what a score is good for."""
    yield f"{name}: ranks one that presses higher in {ranked(score, presses):.3f}"
    for precision in PRECISIONS:
        right, among = told(score, presses, precision)
        span, of_all = Share(right, among).span(), right / presses.sum()
        yield f"  at {precision:.0%}: {right} of {among} {span}, {of_all:.2f} of all"


def main() -> int:
    """Print how well each way ranks what it was not learned on."""
    rows = [row for split in AUTHORS for path in files(split) for row in rows_of(split, path)]
    presses = np.array([row.presses for row in rows])
    data = data_hash(path for split in AUTHORS for path in files(split))
    sys.stdout.write(f"{len(rows)} sentences, {int(presses.sum())} press, data {data}\n")
    by_worth = np.array([row.worth for row in rows], np.float32)
    sys.stdout.writelines(f"{line}\n" for line in lines("the markers, nothing learned", by_worth, presses))
    for name, words in (("forms", False), ("forms and words", True)):
        x = matrix(rows, words=words)
        for left, groups in (
            ("habit", [row.habit for row in rows]),
            ("author", [AUTHORS[row.split] for row in rows]),
        ):
            score = left_out(x, presses, groups)
            sys.stdout.writelines(
                f"{line}\n" for line in lines(f"{name}, each {left} left out", score, presses)
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
