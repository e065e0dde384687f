"""Learns the query adapter of the dialogue from the sets of questions, and tells what it finds on sets left out.

Of each question the sentences of its discussion that hold most of its gold terms are taken for its answer. A matrix is
learned that moves the question's vector towards them and away from the other sentences (softmax over the discussion,
decay towards no change). Persons who are not there and questions that a large part of the discussion answers teach
nothing.

`python -m lab.evaluation.query_adapter --left-out fifteenth seventeenth` prints how often an answer is among the first
sentences of these, before and after; `--write` writes what is learned from all the others.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from agents.dialogue.likeness import texts_of
from agents.dialogue.minilm import MiniLM
from lab.evaluation import answers, engine

Floats = NDArray[np.float32]
FILE: Final = Path("agents/dialogue/data/query_adapter.npz")
FIRST: Final = (1, 3, 8)
_MOST: Final = 0.15  # of the sentences: what more of them answer is no question for one
_ROUNDS: Final = 8
_STEP: Final = 1e-3
_SOFT: Final = 0.05  # temperature of the softmax
_DECAY: Final = 0.05  # towards no change


@dataclass(frozen=True, slots=True)
class Asked:
    """The questions of one discussion: their vectors, those of its sentences, and which sentences answer."""

    questions: Floats  # (questions, 384)
    sentences: Floats  # (sentences, 384): the mean of each alone and behind those before it
    answers: NDArray[np.bool_]  # (questions, sentences)


def asked(split: str, encoder: MiniLM) -> Iterator[Asked]:
    """Give each discussion of a set of questions. Raises: OSError, KeyError."""
    for path in sorted((answers.FOLDER / split).glob("*.yaml")):
        run = asyncio.run(engine.run(*answers.played(path.stem)))
        board = run.updates[-1][1].board if run.updates else None
        if board is None or not board.said:
            continue
        texts = tuple(texts_of(board.said))
        vectors = np.stack([encoder.encode(text) for text in texts])
        found = [
            (encoder.encode(row.text), holds)
            for row in answers.rows(path)
            if (holds := _answers(row, texts[0::2])) is not None
        ]
        if found:
            questions, marks = zip(*found, strict=True)
            sentences = ((vectors[0::2] + vectors[1::2]) / 2).astype(np.float32)
            yield Asked(np.stack(questions), sentences, np.stack(marks))


def _answers(row: answers.Row, sentences: Sequence[str]) -> NDArray[np.bool_] | None:
    """Return which sentences hold most of what an answer must; None where none does, or too many."""
    if row.kind in answers.NOT_HERE or not row.any_of:
        return None
    plain = [text.translate(answers.MARKS).lower() for text in sentences]
    held = np.array([sum(any(term in text for term in group) for group in row.any_of) for text in plain])
    best: NDArray[np.bool_] = (held == held.max()) & (held > 0)
    return best if 0 < best.mean() <= _MOST else None


def learned(material: Sequence[Asked]) -> Floats:
    """Return the matrix that is added to the identity. The same material in the same order gives the same."""
    order = np.random.default_rng(0)
    size = material[0].questions.shape[1]
    shift, mean, square = (np.zeros((size, size), np.float32) for _ in range(3))
    step = 0
    for _ in range(_ROUNDS):
        for at in order.permutation(len(material)):
            step += 1
            slope = _slope(material[at], shift) + _DECAY * shift
            mean = (0.9 * mean + 0.1 * slope).astype(np.float32)  # Adam
            square = (0.999 * square + 0.001 * slope * slope).astype(np.float32)
            size_of_step = np.sqrt(square / (1 - 0.999**step)) + 1e-8
            shift = (shift - _STEP * (mean / (1 - 0.9**step)) / size_of_step).astype(np.float32)
    return shift


def _slope(one: Asked, shift: Floats) -> Floats:
    """Return the gradient of the mean cross-entropy over a discussion's sentences."""
    turned = one.questions + one.questions @ shift.T
    length = np.linalg.norm(turned, axis=1, keepdims=True)
    turned = turned / length
    like = turned @ one.sentences.T / _SOFT
    weight = np.exp(like - like.max(axis=1, keepdims=True))
    right = weight * one.answers
    wanted = weight / weight.sum(axis=1, keepdims=True) - right / right.sum(axis=1, keepdims=True)
    back = wanted @ one.sentences / _SOFT
    back = (back - (back * turned).sum(axis=1, keepdims=True) * turned) / length
    made: Floats = back.T @ one.questions / len(one.questions)
    return made


def found(material: Sequence[Asked], shift: Floats) -> tuple[tuple[int, ...], int]:
    """Return in how many questions an answer is among the `FIRST` sentences, and of how many."""
    hits, count = [0] * len(FIRST), 0
    for one in material:
        turned = one.questions + one.questions @ shift.T
        like = turned @ one.sentences.T
        best = np.where(one.answers, like, -np.inf).max(axis=1, keepdims=True)
        rank = (like > best).sum(axis=1)
        hits = [hit + int((rank < first).sum()) for hit, first in zip(hits, FIRST, strict=True)]
        count += len(rank)
    return tuple(hits), count


def write(shift: Floats, path: Path) -> None:
    """Write a matrix in eight bits, with a scale for each row. Raises: OSError."""
    scales = (np.abs(shift).max(axis=1) / 127).astype(np.float32)
    weights = np.round(shift / np.maximum(scales, 1e-12)[:, None]).astype(np.int8)
    np.savez_compressed(path, weights=weights, scales=scales)


def main(argv: Sequence[str] | None = None) -> int:
    """Learn from all sets of questions but those left out; tell what is found on these, and write what was learned."""
    parser = argparse.ArgumentParser(prog="python -m lab.evaluation.query_adapter", description=main.__doc__)
    parser.add_argument("--left-out", nargs="*", choices=answers.SPLITS, default=[])
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args(argv)
    encoder = MiniLM()
    shift = learned(
        [one for split in answers.SPLITS if split not in options.left_out for one in asked(split, encoder)]
    )
    for split in options.left_out:
        material = list(asked(split, encoder))
        for name, by in (("before", np.zeros_like(shift)), ("after", shift)):
            hits, count = found(material, by)
            told = ", ".join(f"first {first}: {hit}" for first, hit in zip(FIRST, hits, strict=True))
            sys.stdout.write(f"{split} {name}: {told} of {count}\n")
    if options.write:
        write(shift, FILE)
    return 0


if __name__ == "__main__":
    sys.exit(main())
