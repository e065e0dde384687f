"""Questions with gold answers: what does the dialogue answer at a case's end, and is it right and complete?

A folder holds one `.yaml` a case, named after the case that ships (`case-…`) or after a written discussion.
A row is `{q, kind, any: [[…]], none: […], complete: […]}`, in small letters. An answer is right when each
list of `any` has a term in it and no term of `none` is; it is complete when all of `complete` are. Of what is
not in the case, and of somebody who is not there, an answer is right only if it opens by saying so. Each
question is asked of a new dialogue without a chat model. The rows were written without sight of the code; their
terms are looked for letter by letter, so that a row in doubt is judged by hand.

`python -m lab.evaluation.answers develop`, or `--folder FOLDER` for questions that lie elsewhere.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from agents.dialogue import Answer, Dialogue, DialogueStalled, Question
from agents.dialogue.compose import OURS
from agents.dialogue.embeddings import Embeddings, SentenceEncoder
from agents.dialogue.graph import LIMIT_S
from agents.dialogue.minilm import MiniLM
from agents.recorded import Catalogue, Trace
from agents.shares import Share
from exaim_core import BoardView, CasePaper
from lab.evaluation import discussions, engine
from lab.evaluation.habits import FOLDER as DISCUSSIONS
from lab.evaluation.habits import SPLITS as SETS
from lab.yamlfile import read_yaml

FOLDER: Final = Path("tests/gold/questions")
SPLITS: Final = tuple(name for name in SETS if (FOLDER / name).is_dir())
"""The sets of questions that are there, named as the first ones of the discussions are, in their order."""
CASES: Final = Path("cases")
SAFETY: Final = frozenset({"prohibited", "allergy", "alarm"})
NOT_HERE: Final = frozenset({"not_there", "person_absent"})
_PATIENCE_S: Final = 600.0  # how late vectors may be: not the machine's speed is measured here
_TRIES: Final = 5  # a machine that others use may be too slow for an answer's bound
MARKS: Final = str.maketrans({"’": "'", "‘": "'", "‑": "-", "\u00a0": " ", "\u202f": " "})


@dataclass(frozen=True, slots=True)
class Row:
    """One question, and what an answer to it must, must not and should hold."""

    case: str
    text: str
    kind: str
    any_of: tuple[tuple[str, ...], ...]
    none_of: tuple[str, ...]
    complete: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Scored:
    """A row with its answer."""

    row: Row
    answer: Answer

    @property
    def said(self) -> str:
        """The answer as it is compared."""
        return self.answer.text.translate(MARKS).lower()

    @property
    def with_page(self) -> str:
        """The answer with what it counts and the page lists below it."""
        shown = " ".join(sentence.text for sentence in self.answer.on_page)
        return f"{self.said} {shown.translate(MARKS).lower()}"

    @property
    def false(self) -> tuple[str, ...]:
        """The terms that it must not hold, and does."""
        return tuple(term for term in self.row.none_of if term in self.said)

    @property
    def right(self) -> bool:
        """Whether it holds what it must, and nothing that it must not."""
        if self.row.kind in NOT_HERE and (
            not self.answer.sentences or self.answer.sentences[0].source != OURS
        ):
            return False
        return not self.false and all(any(term in self.said for term in group) for group in self.row.any_of)

    @property
    def complete(self) -> bool:
        """Whether it holds all that a whole answer does, said, or counted and on the page."""
        return all(term in self.with_page for term in self.row.complete)

    @property
    def complete_aloud(self) -> bool:
        """Whether all of it is said."""
        return all(term in self.said for term in self.row.complete)

    @property
    def beside(self) -> bool:
        """Whether it tells something of the case, and not what was asked."""
        return not self.right and self.answer.found


def rows(path: Path) -> tuple[Row, ...]:
    """Read a case's questions. Raises: OSError, KeyError."""
    return tuple(
        Row(
            path.stem,
            str(each["q"]),
            str(each["kind"]),
            tuple(tuple(str(term).lower() for term in group) for group in each["any"]),
            tuple(str(term).lower() for term in each["none"]),
            tuple(str(term).lower() for term in each["complete"]),
        )
        for each in read_yaml(path)
    )


def played(name: str) -> tuple[Trace, CasePaper | None]:
    """Return the trace of a case by its name, and its paper if it has one. Raises: FileNotFoundError."""
    catalogue = Catalogue.open([CASES])
    if name in catalogue.ids():
        paper = catalogue.paper(name)
        return catalogue.load(name), CasePaper.model_validate(paper) if paper else None
    for split in SETS:
        path = DISCUSSIONS / split / f"{name}.jsonl"
        if path.exists():
            return discussions.trace(discussions.read(path)), None
    raise FileNotFoundError(f"{name}: neither a case in {CASES} nor a discussion in {DISCUSSIONS}")


async def asked(path: Path, encoder: SentenceEncoder | None = None) -> tuple[Scored, ...]:
    """Play a case to its end, and ask its questions; without an encoder they are answered by words alone."""
    trace, paper = played(path.stem)
    run = await engine.run(trace, paper)
    board = run.updates[-1][1].board if run.updates else None
    embeddings = Embeddings(lambda: encoder) if encoder else None
    if embeddings and board:  # as a session has it: all is read when a question comes
        await embeddings.of("", Dialogue(thread_id="", paper=paper).texts(board), _PATIENCE_S)
    return tuple([await _asked(row, board, paper, embeddings) for row in rows(path)])


async def _asked(
    row: Row, board: BoardView | None, paper: CasePaper | None, embeddings: Embeddings | None
) -> Scored:
    dialogue = Dialogue(thread_id=row.case, paper=paper, embeddings=embeddings, meant_within_s=_PATIENCE_S)
    return Scored(row, await answered(dialogue, Question(row.text, row.text, board, None, 0)))


async def answered(dialogue: Dialogue, question: Question) -> Answer:
    """Return the answer, asked for again where the machine was too slow for its bound. Raises: DialogueStalled."""
    for _ in range(_TRIES):
        try:
            return await dialogue.answer(question)
        except DialogueStalled:
            continue
    raise DialogueStalled(LIMIT_S)


def table(results: Sequence[Scored]) -> Iterator[tuple[str, int, int]]:
    """Give the name of each measure with its hits and its count."""
    safety = [each for each in results if each.row.kind in SAFETY]
    listed = [each for each in safety if each.row.complete]
    yield "right", sum(each.right for each in results), len(results)
    yield "right and complete", sum(each.right and each.complete for each in results), len(results)
    yield "false", sum(bool(each.false) for each in results), len(results)
    yield "beside the question", sum(each.beside for each in results), len(results)
    yield "safety: right", sum(each.right for each in safety), len(safety)
    yield "safety: complete", sum(each.complete and not each.false for each in listed), len(listed)
    yield "  of it aloud", sum(each.complete_aloud and not each.false for each in listed), len(listed)
    for kind in sorted({each.row.kind for each in results}):
        of_kind = [each for each in results if each.row.kind == kind]
        yield f"  {kind}", sum(each.right and each.complete for each in of_kind), len(of_kind)


def main(argv: Sequence[str] | None = None) -> int:
    """Ask a split's questions, and print its table; with --missed what was answered instead."""
    parser = argparse.ArgumentParser(prog="python -m lab.evaluation.answers", description=main.__doc__)
    parser.add_argument("split", nargs="?", choices=SPLITS, default="develop")
    parser.add_argument("--folder", type=Path, help="questions that lie elsewhere")
    parser.add_argument("--only", default="", help="cases that begin so")
    parser.add_argument("--missed", action="store_true")
    parser.add_argument("--words", action="store_true", help="by words alone, without the encoder")
    parser.add_argument("--all", action="store_true", help="every question with its answer")
    options = parser.parse_args(argv)
    folder: Path = options.folder or FOLDER / options.split
    paths = [path for path in sorted(folder.glob("*.yaml")) if path.stem.startswith(options.only)]
    encoder = None if options.words else MiniLM()
    results = [each for path in paths for each in asyncio.run(asked(path, encoder))]
    for each in results:
        if options.all or (options.missed and not (each.right and each.complete)):
            _show(each)
    for name, hits, n in table(results):
        sys.stdout.write(f"{name:24} {Share(hits, n).row()}\n")
    return 0


def _show(each: Scored) -> None:
    lacks: list[Any] = [
        group[:3] for group in each.row.any_of if not any(term in each.said for term in group)
    ]
    lacks += [term for term in each.row.complete if term not in each.with_page]
    mark = "FALSE" if each.false else "right" if each.right else "beside" if each.beside else "nothing"
    row, answer = each.row, each.answer
    sys.stdout.write(f"[{mark}] {row.case} {row.kind}: {row.text}\n      ({answer.kind}) {answer.text}\n")
    if lacks or each.false:
        sys.stdout.write(f"      lacks {lacks} holds {list(each.false)}\n")


if __name__ == "__main__":
    sys.exit(main())
