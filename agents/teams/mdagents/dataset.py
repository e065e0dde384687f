"""Rows of a data set, read one at a time, each a question or a typed error that names row and field."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any, BinaryIO, Final

from agents.teams.checking import CASE_CHARS
from agents.teams.mdagents.errors import DatasetError, NoDataset, RowError
from agents.teams.mdagents.images import images_of
from agents.teams.mdagents.rows import SHAPES, Read, shape_of

LINE_MOST: Final = 1_000_000  # bytes of a line; the longest of MedQA has 6,000
OWN: Final = "exaim60"
"""The data set that is shipped: 60 invented questions."""


@dataclass(frozen=True, slots=True)
class Question:
    """One row. `index` counts from 0; `label` is the right option's letter, "" without options."""

    index: int
    question_id: str
    text: str
    options: Mapping[str, str]
    label: str
    answer: str
    images: tuple[Path, ...] = ()


def found_at(dataset: str, split: str = "test", within: Path = Path("data")) -> Path:
    """Return the file of a data set: a path, `data/{dataset}/{split}.jsonl`, or the one that is shipped.

    Raises: NoDataset: there is none, with where it was looked for.
    """
    given = Path(dataset)
    if given.is_file():
        return given if split == "test" else given.parent / f"{split}.jsonl"
    named = within / dataset / f"{split}.jsonl"
    if given.is_dir():
        named = given / f"{split}.jsonl"
    if named.is_file():
        return named
    if dataset == OWN:
        shipped = Path(str(resources.files("agents.teams.mdagents").joinpath(f"data/own/{split}.jsonl")))
        if shipped.is_file():
            return shipped
    raise NoDataset(
        f"there is no data set {dataset!r}: neither a file of that name nor {named}; {OWN!r} is shipped"
    )


def digest_of(path: Path) -> str:
    """Return a file's SHA-256. Raises: DatasetError."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise DatasetError(f"{path} can't be read: {error.strerror}") from None


def questions(
    path: Path, *, most: int | None = None, shape: str | None = None, images: bool = False
) -> Iterator[Question | RowError]:
    """Yield the first `most` rows, bad ones as their errors; empty lines are no rows.

    `shape` names the reader (`rows.SHAPES`); without it each row is read by its fields. `images`: the model takes
    them; else a row that names one can't be used. One line is held at a time.

    Raises: DatasetError: the file can't be read, or there is no such shape.
    """
    if shape is not None and shape not in SHAPES:
        raise DatasetError(f"there is no shape {shape!r}; there are {', '.join(SHAPES)}")
    seen: set[bytes] = set()
    try:
        with path.open("rb") as file:
            index = 0
            for number, line in enumerate(_lines(file), 1):
                if most is not None and index >= most:
                    return
                if line is not None and not line.strip():
                    continue
                question = _row(line, number, index, shape, seen)
                if isinstance(question, Question) and line is not None:
                    question = _with_images(question, line, path.parent, number, taken=images)
                yield question
                index += 1
    except OSError as error:
        raise DatasetError(f"{path} can't be read: {error.strerror}") from None


def shuffled(question: Question, seed: int) -> Question:
    """Return the question with its options' words shuffled by seed and id, behind letters in order."""
    letters = list(question.options)
    words = list(question.options.values())
    # a string seeds the generator by its SHA-512, the same in every process
    random.Random(f"{seed}:{question.question_id}").shuffle(words)
    options = dict(zip(letters, words, strict=True))
    right = question.options.get(question.label)
    label = next((letter for letter, each in options.items() if each == right), question.label)
    return replace(question, options=options, label=label)


def example_pool(path: Path, count: int) -> list[str]:
    """Return the worked examples of a data set's train file, of its first 1,000 rows.

    Raises: DatasetError: the file can't be read or holds fewer than `count` good rows.
    """
    good = [_worked(each) for each in questions(path, most=1_000) if isinstance(each, Question)]
    if len(good) < count:
        raise DatasetError(f"{path} holds {len(good)} good rows; --fewshot wants {count}")
    return good


def examples(pool: Sequence[str], count: int, seed: int, of: str) -> list[str]:
    """Return `count` examples, drawn by seed and by the question that they go before."""
    return random.Random(f"{seed}:{of}:examples").sample(pool, count) if count else []


def _worked(question: Question) -> str:
    options = "\n".join(f"({letter}) {words}" for letter, words in question.options.items())
    right = f"({question.label}) {question.answer}" if question.label else question.answer
    return f"{question.text}\n{options}\nAnswer: {right}"


def _lines(file: BinaryIO) -> Iterator[bytes | None]:
    """Yield lines; None for one that is too long, which is passed over without being held."""
    while line := file.readline(LINE_MOST + 1):
        if len(line) <= LINE_MOST:
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = file.readline(LINE_MOST)
        yield None


def _row(
    line: bytes | None, number: int, index: int, shape: str | None, seen: set[bytes]
) -> Question | RowError:
    if line is None:
        return RowError(number, "", f"the line is longer than {LINE_MOST:,} bytes")
    try:
        raw = _object(line, number)
        read = SHAPES[shape or shape_of(raw, number)](raw, number)
        question = _question(read, raw, index)
        _must_be_text(question, number)
    except RowError as error:
        return error
    if len(question.text) > CASE_CHARS:
        told = f"has {len(question.text):,} characters, and {CASE_CHARS:,} can be taken"
        return RowError(number, "question", told)
    key = hashlib.sha256(question.question_id.encode("utf-8", "replace")).digest()[:16]
    if key in seen:
        return RowError(number, "id", "another row has this id")
    seen.add(key)
    return question


def _with_images(
    question: Question, line: bytes, folder: Path, number: int, *, taken: bool
) -> Question | RowError:
    try:
        return replace(question, images=images_of(_object(line, number), folder, number, taken=taken))
    except RowError as error:
        return error


def _must_be_text(question: Question, number: int) -> None:
    """Raise for half of a surrogate pair, which JSON may hold, and which no file and no service takes."""
    for field, text in (
        ("id", question.question_id),
        ("question", question.text),
        ("options", "".join(question.options.values())),
        ("answer", question.answer),
    ):
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            raise RowError(number, field, "holds half of a character (a surrogate)") from None


def _object(line: bytes, number: int) -> Mapping[str, Any]:
    try:
        raw = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise RowError(number, "", f"byte {error.start} is not UTF-8") from None
    except (ValueError, RecursionError):
        raise RowError(number, "", "the line is not JSON; one object a line is wanted") from None
    if not isinstance(raw, dict):
        raise RowError(number, "", "the line is no JSON object")
    return raw


def _question(read: Read, raw: Mapping[str, Any], index: int) -> Question:
    given = next(
        (raw[name] for name in ("question_id", "id", "pubid", "realidx") if raw.get(name) is not None), None
    )
    question_id = str(given)[:200] if given is not None else f"row-{index + 1}"
    return Question(index, question_id, read.text, read.options, read.label, read.answer)
