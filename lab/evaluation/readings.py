"""Reference readings: right answers, written by hand, given in a model's place; and the same with faults put in.

A reading (`tests/gold/readings/<split>/<discussion>.reading.json`) holds what a good chat model would claim of a
discussion, each claim with words of the text that it rests on. `Replayed` answers the engine's questions with
those claims whose words are all in the numbered sentences that it is shown. What is measured so is what the
engine makes of right answers, and how much of wrong ones it lets through: nothing about any real model.

    python -m lab.evaluation.readings develop [--spoken] [--funnel] [--unlike] [--faults]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import log
from pathlib import Path
from typing import Any, Final

from agents.shares import wilson
from exaim_core.llm.prompts import reader_messages
from exaim_core.llm.reader import Pulse
from exaim_core.readings.port import (
    Numbered,
    ReadClaim,
    ReaderReply,
    ReadingRequest,
    ReadKind,
    ReadStance,
)
from exaim_core.schema import ReadBy
from exaim_core.text.marks import plain
from exaim_core.text.names import person
from lab.evaluation.habits import FOLDER, SPLITS, Scored, _show, data_hash, files, scored, table

READINGS: Final = Path("tests/gold/readings")
TAKES_S: Final = 1.5  # an answer, on virtual time
P95_S: Final = 4.0  # of answers that take unlike long
CHARS_A_TOKEN: Final = 4  # a rule of thumb for English; no model's own count


@dataclass(frozen=True, slots=True)
class Reference:
    """One claim of a reading, and the words of the text that it rests on."""

    claim: ReadClaim
    quotes: tuple[str, ...]
    turn: int
    before: tuple[str, ...] = ()  # of somebody else, that name what it is about


def load_reading(path: Path) -> tuple[Reference, ...]:
    """Read a reading. Raises: OSError, KeyError, ValueError: it has not the shape."""
    found = json.loads(path.read_text(encoding="utf-8"))
    return tuple(_reference(each) for each in found["claims"])


def _reference(each: dict[str, Any]) -> Reference:
    claim = ReadClaim(
        kind=ReadKind(each["kind"]),
        holder=each["holder"],
        stance=ReadStance(each["stance"]),
        hedge=each["hedge"] or "",
        condition=each["condition"] or "",
        slots={name: value for name, value in each["slots"].items() if value},
        say=each["say"] or "",
    )
    quotes, before = (tuple(plain(one).strip() for one in each.get(key, ())) for key in ("quotes", "before"))
    return Reference(claim, quotes, each["turn"], before)


class Replayed:
    """Answers as a reading has it, each claim once; `fault` is put into each answer first."""

    def __init__(
        self,
        references: Sequence[Reference],
        *,
        takes_s: float | Callable[[int], float] = TAKES_S,
        fault: Callable[[ReadingRequest, ReadClaim], ReadClaim] | None = None,
    ) -> None:
        self.references = tuple(references)
        self.asked: dict[int, tuple[ReadingRequest, ReadClaim]] = {}  # by the identity of the reference
        self._left = [*references]
        self._takes_s, self._fault = takes_s, fault
        self._calls = 0
        self.tokens = 0  # that it was asked, about
        self.given: list[ReadClaim] = []

    @property
    def left(self) -> int:
        """How many claims were never asked for."""
        return len(self._left)

    @property
    def spent(self) -> ReadBy:
        """Return what was asked."""
        return ReadBy(model="reference", calls=self._calls)

    async def read(self, request: ReadingRequest) -> ReaderReply:
        """Return the claims that rest on what is shown, one of it new; late ones never come."""
        self._calls += 1
        self.tokens += sum(len(text) for _, text in reader_messages(request)) // CHARS_A_TOKEN
        takes_s = self._takes_s(self._calls) if callable(self._takes_s) else self._takes_s
        deadline_s = Pulse().deadline_s
        await asyncio.sleep(min(takes_s, deadline_s))
        if takes_s > deadline_s:
            return ReaderReply(failure="deadline")
        claims = list[ReadClaim]()
        for each in [*self._left]:
            if not (cites := cited(each.quotes, request.sentences, each.claim.holder)):
                continue
            self._left.remove(each)
            claim = replace(each.claim, cites=cites, before=named_in(each.before, request.sentences, cites))
            self.asked[id(each)] = (request, claim)
            claims.append(self._fault(request, claim) if self._fault is not None else claim)
        self.given += claims
        return ReaderReply(tuple(claims))


def like_a_service(seed: str) -> Callable[[int], float]:
    """Return how long each call of a discussion takes, in seconds: half of them 1.5 s, one in twenty 4 s and more."""
    spread = log(P95_S / TAKES_S) / 1.645  # of a normal distribution 95 % lie below so many deviations
    return lambda call: random.Random(f"{seed} {call}").lognormvariate(log(TAKES_S), spread)


def cited(quotes: Sequence[str], sentences: Sequence[Numbered], holder: str) -> tuple[int, ...]:
    """Return the numbers of the holder's sentences with the quotes; none unless all are there and one is new."""
    found = list[Numbered]()
    own = [each for each in sentences if each.agent == person(holder)]
    for quote in quotes:
        homes = [each for each in own if _flat(quote) in _flat(each.text)]
        if not homes:
            return ()
        found.append(next((each for each in homes if each.new), homes[0]))
    return tuple(dict.fromkeys(each.number for each in found)) if any(each.new for each in found) else ()


def named_in(quotes: Sequence[str], sentences: Sequence[Numbered], cites: Sequence[int]) -> tuple[int, ...]:
    """Return the numbers of the sentences before the cited ones with the quotes, those that are shown."""
    earlier = [each for each in sentences if each.number < max(cites) and each.number not in cites]
    homes = ([each for each in earlier if _flat(quote) in _flat(each.text)][-1:] for quote in quotes)
    return tuple(dict.fromkeys(each.number for home in homes for each in home))


def _flat(text: str) -> str:
    return " ".join(text.lower().replace("*", "").split()).rstrip(" .;,:")


def reading_of(path: Path, folder: Path = READINGS) -> Path:
    """Return where the reading of a discussion lies."""
    return folder / path.parent.name / f"{path.stem}.reading.json"


def played(path: Path, folder: Path = READINGS, *, unlike: bool = False) -> tuple[Scored, Replayed]:
    """Play a discussion with its reading and score what is told; `unlike`: its answers take unlike long."""
    takes_s = like_a_service(path.stem) if unlike else TAKES_S
    reader = Replayed(load_reading(reading_of(path, folder)), takes_s=takes_s)
    return scored(path, reader), reader


def with_readings(split: str, folder: Path, readings: Path) -> list[Path]:
    """Return the discussions of a split that have a reading."""
    return [path for path in files(split, folder) if reading_of(path, readings).exists()]


def main(argv: Sequence[str] | None = None) -> int:
    """Score a split by its readings, and print its table."""
    options = _options(argv)
    paths = [
        path
        for path in with_readings(options.split, options.folder, options.readings)
        if path.stem.startswith(options.only)
    ]
    if options.faults:
        from lab.evaluation.faults import matrix, shown

        sys.stdout.write(shown(matrix(paths, options.readings)))
    else:
        _score(paths, options)
    return 0


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m lab.evaluation.readings", description=main.__doc__)
    parser.add_argument("split", choices=SPLITS)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--readings", type=Path, default=READINGS)
    parser.add_argument("--only", default="", help="names that begin so")
    parser.add_argument("--spoken", action="store_true")
    parser.add_argument("--missed", action="store_true")
    parser.add_argument(
        "--funnel", action="store_true", help="where key points are lost, by the kind of claim"
    )
    parser.add_argument("--unlike", action="store_true", help="answers take unlike long: p50 1.5 s, p95 4 s")
    parser.add_argument("--faults", action="store_true", help="put faults in, and count what gets through")
    return parser.parse_args(argv)


def _score(paths: Sequence[Path], options: argparse.Namespace) -> None:
    """Play the discussions with their readings, and print what was told of each, and the table of all."""
    from lab.evaluation.funnel import Followed, followed
    from lab.evaluation.funnel import shown as funnel_shown

    results, points = list[Scored](), list[Followed]()
    left, calls, tokens = Counter[str](), 0, 0
    for path in paths:
        result, reader = played(path, options.readings, unlike=options.unlike)
        results.append(result)
        left[path.stem] = reader.left
        calls, tokens = calls + reader.spent.calls, tokens + reader.tokens
        points += followed(result, reader)
        _show(result, spoken=options.spoken, missed=options.missed)
    if options.funnel:
        sys.stdout.write(funnel_shown(points))
    for name, (hits, n) in table(results).items():
        low, high = wilson(hits, n)
        sys.stdout.write(f"{name:32} {hits:4} of {n:4}  {hits / max(1, n):.2f} [{low:.2f}, {high:.2f}]\n")
    compression = sum(each.compression for each in results) / max(1, len(results))
    sys.stdout.write(
        f"length of six fields saved {compression:.2f}, never asked for {sum(left.values())} claims, "
    )
    sys.stdout.write(f"data {data_hash(paths)}\n{calls} calls, about {tokens} tokens asked\n")


if __name__ == "__main__":
    sys.exit(main())
