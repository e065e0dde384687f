"""Recognise what is put to a vote: "Rate 1 to 9: S1. Heparin starts now." is nobody's order yet.

It becomes an order only when somebody adopts it. A *call* asks all for ratings or votes, in the turn that lists the
proposals; a heading may call too ("Options"). A proposal opens with its label, a number, a letter or both, and goes on
to the end of its line. After an agent has called once, or after two others have answered its labels with scores,
whatever it gives a new label later is put to a vote as well ("Reworded: S1b. …"). A list that begins anew at one is
not, unless it is called for; nor is what stands after a word that decides ("Final report").

A proposal goes on no list: an item tells it only in the words of an agent that adopts it. Votes are told with what
their label stands for (`labels.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

from exaim_core.text.rows import lexicon
from exaim_core.text.units import Heading, Sentence

VOTERS: Final = 2  # how many others must answer an agent's labels with scores
MOST: Final = 256  # labels of one discussion that were put
_FORMS: Final = lexicon("board/ballots")


@dataclass(slots=True)
class Ballots:
    """Who puts what to a vote in one discussion.

    By agent: the labels that it listed, and who answered them with scores; whether its turn calls for votes or reports
    a decision; the line whose label put something to a vote.
    """

    put: set[str] = field(default_factory=set)  # labels of proposals, in lower case
    _listed: dict[str, set[str]] = field(default_factory=dict)
    _voters: dict[str, set[str]] = field(default_factory=dict)
    _callers: set[str] = field(default_factory=set)  # agents that have called in any turn
    _calling: set[str] = field(default_factory=set)  # agents whose open turn calls
    _decided: set[str] = field(default_factory=set)
    _anew: set[str] = field(default_factory=set)
    _line: dict[str, tuple[int, bool]] = field(default_factory=dict)

    def placed(self, unit: Sentence) -> Sentence:
        """Return `unit`, set aside if it is put to a vote, and with its words alone if it is a vote.

        Calls, listed labels and scores in it are noted.
        """
        agent, text = unit.source.agent_id, unit.full
        self._hear(agent, text)
        if agent not in self._calling and any(map(_FORMS["calls"].search, unit.above)):
            self._calling.add(agent)
        label = self.label(unit)
        if label:
            self._line[agent] = (unit.line_no, self._puts_to_vote(agent, unit, label))
        line, puts = self._line.get(agent, (-1, False))
        if puts and line == unit.line_no:
            return replace(unit, aside=True)
        return replace(unit, doubted=True) if self._scores(text) else unit

    def title(self, heading: Heading) -> None:
        """Note a heading that calls for votes or that stands over decisions."""
        self._hear(heading.source.agent_id, heading.text)

    def end_turn(self, agent: str) -> None:
        """End the agent's turn: its next list is put to a vote only if it is called for again."""
        for noted in (self._calling, self._decided, self._anew):
            noted.discard(agent)
        self._line.pop(agent, None)

    def label(self, unit: Sentence) -> str:
        """Return the label that a unit opens with, in lower case; "" for none, or if it is only scored."""
        if unit.mark:
            return "" if is_score(unit.full) else unit.mark
        found = _FORMS["label"].match(unit.full)
        if found is None or is_score(unit.full[found.end() :]):
            return ""
        return _key(found["label"] or found["code"] or found["noun"])

    def _scores(self, text: str) -> bool:
        """Return whether `text` opens with the label of a proposal and its score, which makes it a vote."""
        found = _FORMS["scored"].match(text)
        return found is not None and _key(found["label"]) in self.put and is_score(text[found.end() :])

    def _hear(self, agent: str, text: str) -> None:
        """Note a call for votes, scores for others' labels, and a word that opens a decision."""
        if _FORMS["calls"].search(text):
            self._calling.add(agent)
            self._decided.discard(agent)
        elif _FORMS["adopts"].match(text):
            self._decided.add(agent)
        if not self._listed:
            return
        scored = {_key(found["label"] or found["number"]) for found in _FORMS["votes"].finditer(text)}
        for other, labels in self._listed.items():
            if other != agent and scored & labels:
                self._voters.setdefault(other, set()).add(agent)

    def _puts_to_vote(self, agent: str, unit: Sentence, label: str) -> bool:
        """Note a listed label; return whether `agent` puts it to a vote."""
        listed = self._listed.setdefault(agent, set())
        is_new = label not in listed
        if label in {"1", "a"}:
            self._anew.add(agent)
        if len(listed) < MOST:
            listed.add(label)
        if agent in self._decided:
            return False
        known = agent in self._callers or len(self._voters.get(agent, ())) >= VOTERS
        alone = label.isdigit() or label.isalpha()  # common to all lists, unlike "S3" and "3a"
        goes_on = known and is_new and not (alone and agent in self._anew)
        headed = any(_FORMS["options"].fullmatch(each) for each in (unit.heading, *unit.above))
        if not (agent in self._calling or headed or goes_on):
            return False
        self._callers.add(agent)
        if len(self.put) < MOST:
            self.put.add(label)
        return True


def is_score(words: str) -> bool:
    """Return whether the words after a label are its score: "S1: 7, 5, 3, 1 – no consensus"."""
    return _FORMS["scores"].match(words) is not None


def _key(label: str) -> str:
    return label.strip("()").lower()
