"""Which spoken sentences of the written discussions were judged, what became of them, and which are new?

`python -m lab.evaluation.judging SPLIT …` plays the discussions, lays each spoken sentence beside the judgements in
`tests/gold/judged`, prints the new ones as lines to be judged, and counts. A sentence is known if the same
words were judged of the same discussion; what the voice adds at the end ("Six items not read") and an alarm's
repetition do not make it another one, nor does a caution's speaker.

`spoken.jsonl` is of two readers who saw neither code nor key points; so is `read/`, of what is spoken with right
readings of a model (`--read`). `developed.jsonl` is of whoever changed the engine, and is no evidence, only a
regression. `--as-judged` plays nothing, and counts the sentences as they were spoken when they were judged:
`python -m lab.evaluation.judging eighteenth --read --as-judged`.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from agents.shares import Share
from exaim_core.text.wording import upper_first
from lab.evaluation.habits import FOLDER, SPLITS, files, scored
from lab.evaluation.readings import READINGS, played, with_readings

JUDGED: Final = Path("tests/gold/judged")
READ: Final = JUDGED / "read"
GOOD: Final = frozenset({"right", "unread"})
BAD: Final = frozenset({"false", "garbled", "misleading"})
_ADDED: Final = re.compile(
    r"(?: I repeat: .*)?(?: \w+(?:[- ]\w+)? critical findings? not acknowledged(?:: [^.]*(?:\.\d[^.]*)*)?\.)?"
    r"(?: [\w-]+ items? not read\.)?\Z"
)
_EARLIER: Final = re.compile(r"\AEarlier, (?P<caution>a caution by )?")
_HOLDER: Final = re.compile(r"\ACaution(?:, [^:]{2,40})?: ")


@dataclass(frozen=True, slots=True)
class Heard:
    """One sentence that was spoken."""

    split: str
    discussion: str
    kind: str
    text: str

    def verdict(self, known: Mapping[tuple[str, str], str]) -> str | None:
        """Return what was judged of it; None if it is new.

        A sentence that was true without its speaker is true with it, one that was true under the label "Caution"
        without that, and one that was true as of now is true as of earlier; one that was not is judged again.
        """
        if (told := _EARLIER.match(self.text)) is not None:
            words = self.text[told.end() :]
            before = f"Caution, {words}" if told["caution"] else upper_first(words)
            as_of_now = replace(self, text=before).verdict(known)
            return as_of_now if as_of_now in GOOD else known.get((self.discussion, same(self.text)))
        exact = known.get((self.discussion, same(self.text)))
        bare = known.get((self.discussion, same(_HOLDER.sub("Caution: ", self.text))))
        holder, _, words = self.text.partition(": ")
        labels = (f"Caution, {holder}: {words}", f"Caution: {words}") if self.kind == "caution" else ()
        labelled = (known.get((self.discussion, same(each))) for each in labels)
        return exact or next((each for each in (bare, *labelled) if each in GOOD), None)


@dataclass(frozen=True, slots=True)
class Tally:
    """How many sentences were spoken, and of those that were judged, how many were not true."""

    spoken: int
    judged: int
    bad: int

    def line(self, name: str) -> str:
        """Return it as a line of a table."""
        bad, unknown = Share(self.bad, self.judged), self.spoken - self.judged
        return f"{name:26} {bad.part:3} of {bad.whole:3}  {bad.value:.3f} {bad.span()}  new {unknown}"


def same(text: str) -> str:
    """Return what of a sentence is compared with those that were judged."""
    return _ADDED.sub("", text.strip()).rstrip(".").lower()


def rows(folder: Path = JUDGED) -> Iterator[dict[str, Any]]:
    """Yield what the files of a folder say of each judged sentence. Raises: OSError."""
    for path in sorted(folder.glob("*.jsonl")):
        yield from map(json.loads, path.read_text(encoding="utf-8").splitlines())


def verdicts(folder: Path = JUDGED, reader: str = "first") -> dict[tuple[str, str], str]:
    """Return what was judged, by discussion and words. Raises: OSError, KeyError."""
    found: dict[tuple[str, str], str] = {}
    for row in rows(folder):
        found[row["discussion"], same(row["text"])] = row.get(reader) or row["first"]
    return found


def heard_in(split: str, only: str = "", *, read: bool = False) -> list[Heard]:
    """Play the discussions of a split, by rules or with their readings; return what was spoken of each, in order."""
    paths = with_readings(split, FOLDER, READINGS) if read else files(split)
    return [
        Heard(split, path.stem, str(said.kind), said.text)
        for path in paths
        if path.stem.startswith(only)
        for said in (played(path)[0] if read else scored(path)).said
        if said.begun_s is not None
    ]


def as_judged(split: str, only: str = "", folder: Path = JUDGED) -> list[Heard]:
    """Return the sentences of a split that were judged, as they were spoken then. Raises: OSError, KeyError."""
    return [
        Heard(split, row["discussion"], row["kind"], row["text"])
        for row in rows(folder)
        if row["split"] == split and row["discussion"].startswith(only)
    ]


def tally(heard: Iterable[Heard], known: Mapping[tuple[str, str], str]) -> Tally:
    """Count what was spoken and what of it is not true."""
    listed = list(heard)
    judged = [verdict for each in listed if (verdict := each.verdict(known)) is not None]
    return Tally(len(listed), len(judged), sum(verdict in BAD for verdict in judged))


def main(argv: Sequence[str] | None = None) -> int:
    """Print the new sentences of splits as lines to be judged, and how many of the known are not true."""
    parser = argparse.ArgumentParser(prog="python -m lab.evaluation.judging", description=main.__doc__)
    parser.add_argument("splits", nargs="+", choices=SPLITS)
    parser.add_argument("--only", default="", help="names that begin so")
    parser.add_argument("--bad", action="store_true", help="print also what was judged as not true")
    parser.add_argument("--read", action="store_true", help="what is spoken with right readings of a model")
    parser.add_argument("--as-judged", action="store_true", help="play nothing: the sentences of then")
    parser.add_argument("--reader", choices=("first", "second"), default="first")
    options = parser.parse_args(argv)
    folder = READ if options.read else JUDGED
    known = verdicts(folder, options.reader)
    for split in options.splits:
        if options.as_judged:
            heard = as_judged(split, options.only, folder)
        else:
            heard = heard_in(split, options.only, read=options.read)
        for each in heard:
            verdict = each.verdict(known)
            if verdict is None or (options.bad and verdict in BAD):
                sys.stdout.write(json.dumps(asdict(each) | {"first": verdict or "", "why": ""}) + "\n")
        by = {"all": heard, **{kind: [each for each in heard if each.kind == kind] for kind in _kinds(heard)}}
        for name, part in by.items():
            sys.stdout.write(tally(part, known).line(f"{split}, {name}") + "\n")
    return 0


def _kinds(heard: Iterable[Heard]) -> list[str]:
    return sorted({each.kind for each in heard})


if __name__ == "__main__":
    sys.exit(main())
