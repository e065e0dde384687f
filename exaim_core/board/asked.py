"""Place answers by number under their question: "4. Not to be given?", and then "4. Midazolam.".

An answer by number leaves out what was asked, and a list of answers to what must not be given sounds like orders. So
such an answer is placed under its question, as if the question were its heading. Other questions head nothing: their
answers are read as they stand.

Questions are a numbered list of one speaker, from 1 on, `LEAST` at least, each one short line that ends with "?", and
none just the name of a thing ("GPA?" is a doubt). They stand until their asker speaks again and asks nothing. An answer
is a line that opens with the number, in the first answering turn of another agent, which opens with a numbered line,
under no heading and without a label of its own. Lines that refer to somebody else's answer, give none, or say what may
be given answer nothing: "As toxicology", "Signed", "None", "no objection to heparin".
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Final

from exaim_core.lexicon.drugs import drugs_named
from exaim_core.lexicon.kinds import names_condition
from exaim_core.text.sections import only_forbids
from exaim_core.text.units import Sentence
from exaim_core.text.wording import word_count

LEAST: Final = 3  # questions
MOST: Final = 20
MOST_WORDS: Final = 8  # of a question
MOST_OF_A_NAME: Final = 3
_SAYS_NOTHING: Final = re.compile(
    r"\W*(?:(?:as|see|same|like|ditto|agreed?|signed|accepted|approved|confirmed|changed|unchanged|okay|ok|fine|yes|done"
    r"|no|none|nothing|nil|n/a|unknown|unsure|unclear|not|pass|skip)\b|\Z)",
    re.IGNORECASE,
)
_MAY_BE_GIVEN: Final = re.compile(
    r"\b(?:objections?|but|except|apart from|unless|may|can|could|fine|safe|okay|instead|give|start|use|continue"
    r"|go on)\b",
    re.IGNORECASE,
)
_ANSWERS: Final = re.compile(r"\b(?:questions?|answers?|replies)\b", re.IGNORECASE)
"""Found in a heading that only says that answers follow: "Per question:"."""


@dataclass(slots=True)
class NumberedQuestions:
    """The questions of one discussion that are answered by number, and how far their answers have come.

    `_bans` maps the numbers of the questions about what must not be given to their text, as `_asker` put them. By
    agent: `_list` is the list of questions that it is writing, `_answers` whether its turn answers, `_under` the line
    that answers and the question it answers. `_done` are the agents that have answered.
    """

    _asker: str = ""
    _bans: dict[str, str] = field(default_factory=dict)
    _list: dict[str, list[str]] = field(default_factory=dict)
    _answers: dict[str, bool] = field(default_factory=dict)
    _under: dict[str, tuple[int, str]] = field(default_factory=dict)
    _done: set[str] = field(default_factory=set)

    def placed(self, unit: Sentence) -> Sentence:
        """Return `unit` with the question that it answers as its heading; note the questions that it asks."""
        agent = unit.source.agent_id
        if unit.mark and unit.opens and self._asks(agent, unit):
            return unit
        answers = self._answers.setdefault(agent, bool(unit.mark) or _ANSWERS.search(unit.full) is not None)
        if unit.mark and unit.opens:
            question = self._bans.get(unit.mark) if answers and self._may_answer(agent, unit) else None
            self._under[agent] = (unit.line_no, question or "")
        line, question = self._under.get(agent, (-1, ""))
        if line != unit.line_no or not question or _MAY_BE_GIVEN.search(unit.full):
            return unit
        return replace(unit, heading=question, above=(*unit.above, question))

    def end_turn(self, agent_id: str) -> None:
        """End the agent's turn: its answers are complete, and earlier questions lapse unless it asked again."""
        asks = self._list.pop(agent_id, None) is not None
        if self._answers.pop(agent_id, False):
            self._done.add(agent_id)
        self._under.pop(agent_id, None)
        if agent_id == self._asker and not asks:
            self._bans = {}

    def _asks(self, agent: str, unit: Sentence) -> bool:
        """Return whether `unit` begins or continues a list of questions."""
        if not unit.full.endswith("?") or word_count(unit.full) > MOST_WORDS or _is_a_doubt(unit.full):
            self._list.pop(agent, None)
            return False
        begun = [] if unit.mark == "1" else self._list.get(agent, [])
        if unit.mark != str(len(begun) + 1) or len(begun) >= MOST:
            return False
        self._list[agent] = begun = [*begun, unit.full.rstrip("? ")]
        if len(begun) >= LEAST:
            self._asker, self._done = agent, set()
            numbered = enumerate(begun, start=1)
            self._bans = {str(number): asked for number, asked in numbered if only_forbids(asked)}
        return True

    def _may_answer(self, agent: str, unit: Sentence) -> bool:
        headed = any(each and not _ANSWERS.search(each) for each in (unit.heading, *unit.above))
        if agent == self._asker or agent in self._done or headed or unit.item is not None:
            return False
        return _SAYS_NOTHING.match(unit.full) is None


def _is_a_doubt(question: str) -> bool:
    """Return whether `question` is little more than the name of a condition or a drug: "GPA?"."""
    return word_count(question) <= MOST_OF_A_NAME and (
        names_condition(question) or bool(drugs_named(question))
    )
