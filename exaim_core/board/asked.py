"""Questions that others answer by their numbers: "4. Not to be given?", and then "4. Midazolam.".

Who answers so leaves out what was asked, and without it a list of what must not be given sounds like orders. So an
answer stands under its question, as it would stand under a heading.

Questions are a numbered list of one speaker, from 1 on, `LEAST` at least, each one short line that ends with "?", and
none just the name of a thing ("GPA?" is a doubt). An answer is a line of somebody else that opens with one of the
numbers, under no heading and with no label of its own. A later list of questions takes the place of an earlier one. Who
refers to somebody else's answer, or has none ("As toxicology", "Signed", "None"), says nothing under the question.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Final

from exaim_core.lexicon.drugs import drugs_named
from exaim_core.lexicon.kinds import names_condition
from exaim_core.text.sections import Section, classify, forbids
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
_ANSWERS: Final = re.compile(r"\b(?:questions?|answers?|replies)\b", re.IGNORECASE)
"""In a heading that says only that answers follow: "Per question:"."""


@dataclass(slots=True)
class Asked:
    """The questions of one discussion that are answered by number, and who stands where in answering them.

    By number: the questions of `_asker`. By agent: the list of questions that goes on, and the line that answers with
    what it answers.
    """

    _asker: str = ""
    _questions: dict[str, str] = field(default_factory=dict)
    _list: dict[str, list[str]] = field(default_factory=dict)
    _under: dict[str, tuple[int, str]] = field(default_factory=dict)

    def placed(self, unit: Sentence) -> Sentence:
        """Return `unit` under the question that it answers, if it does; note what it asks itself."""
        agent = unit.source.agent_id
        if unit.mark and unit.opens:
            self._under.pop(agent, None)
            if self._asks(agent, unit):
                return unit
            if (question := self._answered(agent, unit)) is not None:
                self._under[agent] = (unit.line_no, question)
        line, question = self._under.get(agent, (-1, ""))
        if line != unit.line_no:
            return unit
        section = classify(question)
        if section is Section.OTHER and not forbids(question):
            return replace(unit, item=question) if unit.opens else unit  # said before its words
        return replace(unit, heading=question, section=section, above=(*unit.above, question))

    def _asks(self, agent: str, unit: Sentence) -> bool:
        """Tell whether `unit` goes on with a list of questions, or begins one."""
        if not unit.full.endswith("?") or word_count(unit.full) > MOST_WORDS or _is_a_doubt(unit.full):
            self._list.pop(agent, None)
            return False
        begun = [] if unit.mark == "1" else self._list.get(agent, [])
        if unit.mark != str(len(begun) + 1) or len(begun) >= MOST:
            return False
        self._list[agent] = begun = [*begun, unit.full.rstrip("? ")]
        if len(begun) >= LEAST:
            self._asker = agent
            self._questions = {str(number): asked for number, asked in enumerate(begun, start=1)}
        return True

    def _answered(self, agent: str, unit: Sentence) -> str | None:
        """Return the question that `unit` answers; None if it answers none, or says nothing to it."""
        headed = unit.heading and not _ANSWERS.search(unit.heading)
        bare = agent != self._asker and not headed and unit.item is None
        return self._questions.get(unit.mark) if bare and not _SAYS_NOTHING.match(unit.full) else None


def _is_a_doubt(question: str) -> bool:
    """Tell whether `question` is little more than the name of a condition or a drug: "GPA?"."""
    return word_count(question) <= MOST_OF_A_NAME and (
        names_condition(question) or bool(drugs_named(question))
    )
