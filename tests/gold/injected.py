"""Findings that are put into recorded traces, which hold almost no numbers of their own.

`injected.yaml` says what is said, by whom and when; `inject` makes of a recorded trace one in which it is
said. It knows nothing of the code that is judged by it.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from lab.yamlfile import read_yaml
from tests.gold.acute import AGENTS, HERE, Delta, Event, TurnEnd
from tests.gold.terms import GoldError, Terms, met, pieces, strict, terms_of, words

GROUPS: Final = frozenset({"critical", "value", "dose", "side", "allergy"})
VARIANTS: Final = frozenset({"negated", "family", "hypothetical", "past"})
HAND_OVER_WORDS: Final = 3  # a turn of so few words names the next speaker; nothing is said in it
SENTENCE_END: Final = re.compile(r"(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\betc)(?<=[a-z)%’'])[.!?](?=\s)")
LIST_LINE: Final = re.compile(r"""\s*([-*•+]\s|\d+[.)]\s|[{}\["#|>]|\*\*)|\s{2,}\S""")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A sentence to be said in a recorded trace. `at`: after what share of the trace's time, 0 to 1.

    critical: it must alarm. must_not_alarm: it speaks of an emergency that is none, as `variant` says; no
    alarm is needed on the other rows either. `terms`: met by ONE spoken item or update after it.
    """

    id: str
    case_id: str
    at: float
    agent: str
    group: str
    text: str
    terms: Terms
    critical: bool = False
    must_not_alarm: bool = False
    variant: str | None = None

    def met_by(self, told: str) -> bool:
        """Say whether one update's or one spoken item's text meets every entry."""
        return met(told, self.terms)


@dataclass(frozen=True, slots=True)
class Placed:
    """A finding and the second, in the trace as injected, at which it has been said."""

    finding: Finding
    at_s: float


@dataclass(frozen=True, slots=True)
class Injected:
    """A trace in which findings are said, in order of time."""

    events: tuple[Event, ...]
    placed: tuple[Placed, ...]


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a finding is said: after so many characters of the delta at `index`, in a turn of that pace."""

    finding: Finding
    index: int
    characters: int
    words_per_s: float
    own_paragraph: bool

    @property
    def order(self) -> tuple[int, int]:
        return self.index, self.characters

    @property
    def sentence(self) -> str:
        return ("\n\n" if self.own_paragraph else " ") + self.finding.text

    @property
    def takes_s(self) -> float:
        return words(self.finding.text) / self.words_per_s


def findings() -> tuple[Finding, ...]:
    """Return every row of `injected.yaml`, in the file's order."""
    path = HERE / "injected.yaml"
    document = strict(path.name, read_yaml(path), "version rows")
    return tuple(_finding(row) for row in document["rows"])


def recorded(trace: Path) -> tuple[Event, ...]:
    """Return the deltas and turn ends of a recorded trace (gzipped JSON lines), in the recorded order.

    Seconds count from the first delta. A turn's end that was recorded before its last delta comes after it.
    """
    events: list[Event] = []
    ends: dict[int, TurnEnd] = {}
    with gzip.open(trace, "rt", encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            if record["record_type"] == "stream_delta":
                at_s = record["t_rel_ms"] / 1000
                events.append(Delta(at_s, record["turn_id"], record["agent_id"], record["delta_text"]))
            elif record.get("boundary") == "end":
                ends[record["turn_id"]] = TurnEnd(
                    record["t_rel_ms"] / 1000, record["turn_id"], record["agent_id"]
                )
    whole: list[Event] = []
    for index, event in enumerate(events):
        whole.append(event)
        if index + 1 == len(events) or events[index + 1].turn != event.turn:
            end = ends[event.turn]
            whole.append(replace(end, at_s=max(end.at_s, event.at_s)))
    return tuple(whole)


def inject(events: Sequence[Event], rows: Iterable[Finding]) -> Injected:
    """Return the trace in which each row's sentence is said; what follows is later by as long as it takes.

    A sentence is said by its agent at the next end of a sentence outside a list, from `at` on, in the turn
    that then runs or in that agent's next one; where there is none, in a paragraph of its own at that turn's
    end. It is said at the pace of that turn. Raises `GoldError` when the agent says nothing more.
    """
    ends_s = max(event.at_s for event in events)
    places = sorted((_place(events, row, row.at * ends_s) for row in rows), key=lambda place: place.order)
    made = tuple(events)
    for place in reversed(places):
        made = _said_at(place, made)
    placed: list[Placed] = []
    for number, place in enumerate(places):
        at_s = round(events[place.index].at_s + place.takes_s, 3)
        for earlier in reversed(places[:number]):
            at_s = round(at_s + earlier.takes_s, 3)
        placed.append(Placed(place.finding, at_s))
    return Injected(made, tuple(placed))


def _said_at(place: _Place, events: tuple[Event, ...]) -> tuple[Event, ...]:
    """Cut the delta at the place in two and say the sentence between them; what follows is later by it."""
    host = events[place.index]
    if not isinstance(host, Delta):
        raise TypeError(host)
    cut = place.characters
    said: list[Event] = [replace(host, text=host.text[:cut])]
    length = 0
    for piece in pieces(place.sentence):
        length += len(piece)
        at_s = host.at_s + place.takes_s * length / len(place.sentence)
        said.append(replace(host, at_s=round(at_s, 3), text=piece))
    rest: tuple[Event, ...] = events[place.index + 1 :]
    if host.text[cut:]:
        rest = (replace(host, text=host.text[cut:]), *rest)
    moved = (replace(event, at_s=round(event.at_s + place.takes_s, 3)) for event in rest)
    return (*events[: place.index], *said, *moved)


def _place(events: Sequence[Event], row: Finding, from_s: float) -> _Place:
    """Find the turn, and in it the first fit end of a sentence that is streamed at or after `from_s`."""
    for turn in dict.fromkeys(
        event.turn for event in events if event.agent == row.agent and event.at_s >= from_s
    ):
        held = [
            (n, event) for n, event in enumerate(events) if event.turn == turn and isinstance(event, Delta)
        ]
        text = "".join(delta.text for _, delta in held)
        if words(text) <= HAND_OVER_WORDS:
            continue
        took_s = max(held[-1][1].at_s - held[0][1].at_s, 0.1)
        said = 0
        for index, delta in held:
            if delta.at_s >= from_s:
                for end in SENTENCE_END.finditer(text, said, said + len(delta.text) + 1):
                    if end.end() <= said + len(delta.text) and not _in_list(text, end.start()):
                        return _Place(row, index, end.end() - said, words(text) / took_s, own_paragraph=False)
            said += len(delta.text)
        return _Place(row, held[-1][0], len(held[-1][1].text), words(text) / took_s, own_paragraph=True)
    raise GoldError(f"{row.id}: {row.agent} says nothing more in {row.case_id} after {from_s:.1f} s")


def _in_list(text: str, position: int) -> bool:
    """Say whether a position lies in a line of a list, a heading, a quotation or a block of code."""
    line = text[text.rfind("\n", 0, position) + 1 :]
    return bool(LIST_LINE.match(line)) or text.count("```", 0, position) % 2 == 1


def _finding(row: dict[str, Any]) -> Finding:
    where = f"injected.yaml {row.get('id')}"
    strict(where, row, "id case_id at agent group text terms", "critical must_not_alarm variant")
    if row["agent"] not in AGENTS or row["group"] not in GROUPS or not 0 < row["at"] < 1:
        raise GoldError(f"{where}: agent, group or share is not one that there is")
    if row.get("variant") not in {None, *VARIANTS}:
        raise GoldError(f"{where}: no variant is called {row['variant']}")
    return Finding(**{**row, "terms": terms_of(where, row["terms"])})
