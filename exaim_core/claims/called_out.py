"""Read what teams call out: what it is, and what a test shows, in a few words.

"That's an NSTEMI then." is its speaker's view, if it holds none yet. "Trop's gone from 12 to 640.", "CT head's clean."
and, from who reports tests, "Saddle embolus." are findings. What is announced in one sentence and given in the next
("Hb's back. 81, was 104.") is one thing. All are told in their speaker's words, with each value in them.

Nothing is read of words that are asked, denied, supposed, of the past, of books or of somebody else, or behind such
words: what "that" is would be another's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from exaim_core.claims.claim_words import MOST_CHARS, claim_of, lone_view
from exaim_core.claims.claims import Claim, Kind
from exaim_core.claims.emergencies import emergency_in_words
from exaim_core.claims.limits import analytes_named
from exaim_core.lexicon.alone import commands
from exaim_core.lexicon.bidding import bids
from exaim_core.lexicon.drugs import drugs_named
from exaim_core.lexicon.kinds import names_condition, names_measure, names_test, states_condition
from exaim_core.lexicon.phrases import is_noise, is_request
from exaim_core.lexicon.prose import is_order, is_terse_order
from exaim_core.lexicon.terms import sentence_like
from exaim_core.lexicon.withdrawn import blank
from exaim_core.text.assertion import NOT_OURS, NOT_OURS_NOW, Status, statuses_of
from exaim_core.text.figures import in_figures
from exaim_core.text.quantities import quantities
from exaim_core.text.rows import lexicon
from exaim_core.text.sections import Section
from exaim_core.text.units import Sentence
from exaim_core.text.wording import eponyms, lower_first, mid_sentence, upper_first, word_count

MOST_WORDS: Final = 14  # of what is called out
MOST_OF_A_CALL: Final = 25  # words of a turn
MOST_VALUES: Final = 3  # of a turn
MOST_OF_A_DISEASE: Final = 8  # words
MOST_OF_A_NAME: Final = 4  # words of a test
MOST_OF_AN_ANSWER: Final = 6  # words that name no test
LEAST_WORDS: Final = 2  # that say what is seen
MOST_BEHIND: Final = 3  # sentences of the turn before it: further on it is no call
_FORMS: Final = lexicon("claims/called_out")
_UNSAID: Final = NOT_OURS_NOW | {Status.CONDITIONAL}
_ASKED: Final = frozenset({Status.QUESTION})
_UNSURE: Final = _UNSAID | {Status.NEGATED, Status.HEDGED}
_WHAT_IS_TAUGHT: Final = re.compile(
    r"\b(?:classic(?:al)?|textbook|teach\w*|students?|remember when|what do you call|suppose|imagine"
    r"|say (?:the|he|she|it)\b)",
    re.IGNORECASE,
)
_TO_ME: Final = re.compile(r"[\s,]+(?:to me|I['’]d say|I think|I reckon)[\s.!]*\Z", re.IGNORECASE)
_NUMBER: Final = re.compile(r"(?<![\w.,/])\d[\d.,/]*")
_LOG: Final = re.compile(r"[\[\]{}<>|#_~\\]")  # out of a log or a broken text
_GIVEN_TOO: Final = re.compile(
    r"(?:the |her |his )?(?:platelets?|potassium|glucose|calcium|magnesium|bicarb(?:onate)?|phosphate|albumin)",
    re.IGNORECASE,
)
"""What is measured, and comes as a bag or an ampoule as well: "Platelets are here. 2."."""
_IS_BACK: Final = re.compile(r"\bback\b", re.IGNORECASE)
_BARE: Final = re.compile(r"\W*\d")
_ON_A_TEST: Final = re.compile(
    r"\b(?:on|in) (?P<test>(?:the|her|his) [\w-]+(?: [\w-]+)?)[.!]*\Z", re.IGNORECASE
)
_A_VALUE: Final = re.compile(r"\W*\d[\d.,/]*(?: ?[a-zµ%]+/?[a-z\d]*)?(?:[,;–—!]\s|\.\s|\.?\Z)", re.IGNORECASE)
"""A number that ends a clause: what stands behind it says something of it, and alarms look at that."""
_LEVEL: Final = re.compile(r"\b(?:level|concentration)s?\Z", re.IGNORECASE)
_OF_DOSES: Final = frozenset("mg g microgram mcg ng unit ml l".split())


def called_out(
    agent_id: str,
    unit: Sentence,
    before: Sequence[Sentence],
    answered: Sequence[Sentence],
    may_lead: Callable[[str], bool],
    *,
    alone: bool = True,
) -> Claim | None:
    """Return what `unit` calls out, a view or a finding to be told; None if it calls out nothing.

    `before` are the sentences before it in its turn, `answered` those of another agent that it answers. `may_lead`
    returns whether a diagnosis may be the speaker's leading view; any other one is told in its words and changes none.
    Unless it is `alone`, with little beside it in its turn, a single value is no call.
    """
    if not _may_call(unit, before):
        return None
    if unit.text.endswith("!"):
        called = replace(unit, text=unit.text.rstrip(" !") + ".")
        return called_out(agent_id, called, before, answered, may_lead, alone=alone)
    text, elsewhere = unit.full, _is_set_elsewhere(before, answered)
    if (view := view_pointed_at(text)) is not None:
        if elsewhere:
            return None
        if view.is_sure and may_lead(view.name):
            return claim_of(agent_id, Kind.LEADING, unit, entity=mid_sentence(view.name), label=view.name)
        return claim_of(agent_id, Kind.FINDING, unit, text=view.words)
    if _names_its_result(text):
        if not alone and _values_in(text) == 1 and not unit.source.labels and not _is_announced(before):
            return None
        return None if _is_of_another(before, answered) else claim_of(agent_id, Kind.FINDING, unit)
    if elsewhere:
        return None
    last = before[-1] if before and before[-1].line_no == unit.line_no else None
    if last is not None and announces(last.full) and _is_shown(text):
        joined = f"{last.full.rstrip('.,:;!')}. {text}"
        return claim_of(agent_id, Kind.FINDING, unit, text=joined, source=last.source.to(unit.source))
    asked = not before and bool(answered) and answered[-1].full.endswith("?")
    opens = not before or (len(before) == 1 and word_count(before[0].full) <= MOST_OF_A_NAME)
    if (
        asked
        and _FORMS["asks_what"].fullmatch(answered[-1].full.strip())
        and names_disease(text.rstrip(" .!"))
    ):
        return claim_of(agent_id, Kind.FINDING, unit)
    if _FORMS["is_ill"].match(text) is not None:
        return claim_of(agent_id, Kind.FINDING, unit)
    if not asked and (_is_reported(agent_id, text) or (opens and _is_all_that_is_said(text))):
        return claim_of(agent_id, Kind.FINDING, unit)
    return None


def is_crowded(turn: Sequence[Sentence], *, goes_on: bool) -> bool:
    """Return whether a turn, as far as it is heard, says too much for a call in a few words.

    One that `goes_on` has at least one sentence more.
    """
    if sum(word_count(each.full) for each in turn) > MOST_OF_A_CALL:
        return True
    return sum(_values_in(each.full) for each in turn) + goes_on > MOST_VALUES


def _values_in(text: str) -> int:
    """Return how many numbers `text` gives as values of one test; 0 if it says anything else."""
    given = _FORMS["value"].fullmatch(in_figures(text.strip())) if len(text) <= MOST_CHARS else None
    return len(_NUMBER.findall(text)) if given is not None else 0


def _is_announced(before: Sequence[Sentence]) -> bool:
    return bool(before) and bool(announces(before[-1].full))


def under_what_was_announced(unit: Sentence, before: Sequence[Sentence]) -> Sentence:
    """Return a number that opens `unit` behind the test that the sentence before it says is back; else `unit`."""
    last = before[-1] if before else None
    if last is None or last.line_no != unit.line_no or unit.item or unit.row or unit.keyed:
        return unit
    if not _BARE.match(unit.text) or len(unit.text) > MOST_CHARS or not (test := announces(last.full)):
        return unit
    made = f"{test}: {lower_first(unit.text)}"
    if _FORMS["value"].fullmatch(made) is None and _A_VALUE.match(unit.text) is None:
        return unit
    return replace(unit, text=made, source=last.source.to(unit.source))


def apart(unit: Sentence, question: Sentence | None) -> tuple[Sentence, ...]:
    """Return the value and the order of an answer, each as a sentence ("7. Give calcium."); else `unit`.

    In one sentence, the alarm for the value would be told in place of the order.
    """
    read = behind_its_question(unit, question) if unit.mark else unit
    if read is unit:
        return (unit,)
    text = unit.text
    if not (
        is_order(text) or is_terse_order(text) or bids(text) or commands(text) or emergency_in_words(text)
    ):
        return (unit,)
    value = replace(read, text=read.text[: -len(unit.text)].strip())
    return value, replace(unit, mark="", listed=False, opens=False)


def behind_its_question(unit: Sentence, question: Sentence | None) -> Sentence:
    """Return what a test shows behind that test, if `unit` answers `question` for it and names none; else `unit`.

    A number with a stop that opens its turn is read as the mark of a list; behind such a question it is the value.
    """
    if question is None or unit.row or unit.keyed or unit.item or unit.heading:
        return unit
    if max(len(question.full), len(unit.text)) > MOST_CHARS:
        return unit
    asked = _FORMS["asks_for"].fullmatch(question.full.strip())
    if asked is None or not _is_test(asked["test"]) or statuses_of(question.full, "") & _UNSAID - _ASKED:
        return unit
    named = upper_first(re.sub(r"\A(?:the|her|his|a) ", "", asked["test"]))
    source = replace(unit.source, labels=(*unit.source.labels, question.source))
    counted = analytes_named(named) or _FORMS["test_in_short"].search(named)
    if counted and unit.mark.isdigit() and int(unit.mark) > 1:
        given = f"{named}: {unit.mark}. {unit.text}"
        return replace(unit, text=given, source=source, mark="", listed=False)
    text = unit.text
    says = (_FORMS["shown"].search(text) or _BARE.match(text)) is not None and not _FORMS["runs"].search(text)
    alone = word_count(text) <= MOST_OF_AN_ANSWER and not any(map(_is_test, text.rstrip(" .!").split()))
    if not (says and alone) or unit.listed or statuses_of(text, "") & (_UNSAID | {Status.NEGATED}):
        return unit
    return replace(unit, text=f"{named}: {lower_first(text)}", source=source)


def announces(text: str) -> str:
    """Return the test that `text` says is back and says nothing of, as written; "" for none."""
    found = _FORMS["announces"].fullmatch(text.strip()) or _FORMS["opens_with"].fullmatch(text.strip())
    if found is None or statuses_of(text, "") & _UNSAID:
        return ""
    test: str = found["test"] or found["alone"] if found.re is _FORMS["opens_with"] else found["test"]
    if found.re is _FORMS["announces"] and _GIVEN_TOO.fullmatch(test) and _IS_BACK.search(text) is None:
        return ""
    return test if _is_test(test) else ""


@dataclass(frozen=True, slots=True)
class PointedAt:
    """A diagnosis that "that" or "it" is said to be: its name, and the words without the one that points."""

    name: str
    words: str
    is_sure: bool


def view_pointed_at(text: str) -> PointedAt | None:
    """Return the diagnosis that all of `text` says that "that" or "it" is; None for none.

    It is sure if `text` says that it is so, may be meant of now, and does not say only that it looks like it.
    """
    said = _TO_ME.sub("", text.strip())
    for form, is_sure in (("view", True), ("behind", True), ("guess", False)):
        found = _FORMS[form].match(said)
        if found is None or not names_disease(found["view"]):
            continue
        meant = statuses_of(said, "") - {Status.NEGATED} | statuses_of(said[: found.end("view")], "")
        unmeant = meant & (_UNSURE if is_sure else _UNSURE - {Status.HEDGED})
        has = _FORMS["has_it"].match(text) is not None
        return (
            None if unmeant else PointedAt(found["view"].strip(), found["words"].strip(), is_sure and not has)
        )
    return None


def names_disease(words: str) -> bool:
    """Return whether `words` are the name of a disease or an injury, in full or as it is called in short."""
    if drugs_named(words) or word_count(words) > MOST_OF_A_DISEASE:
        return False
    if _FORMS["no_disease"].search(words) or _FORMS["no_patient"].search(words):
        return False
    if _FORMS["short_name"].fullmatch(words.strip()):
        return True
    head = re.split(r" (?:with|of|from|in|on|at|due|secondary|after|behind)\b", words.strip())[0].split()[-1]
    shape = re.fullmatch(r"[A-Z][a-z]+['’]s", head)  # a person's, perhaps
    if _is_eponym(head):
        return True
    return shape is None and names_condition(head) and not (names_test(head) or names_measure(head))


def _is_eponym(word: str) -> bool:
    """Return whether `word` is the proper name by which a disease or a sign is called: "Addison's"."""
    bare = re.sub(r"['’]s\Z", "", word)
    return word[:1].isupper() and all(part in eponyms() for part in bare.split("-"))


def _may_call(unit: Sentence, before: Sequence[Sentence]) -> bool:
    """Return whether `unit` is prose in a few words near its turn's start, and means what it says of this patient."""
    if unit.row or unit.keyed or unit.listed or unit.heading or unit.section is not Section.OTHER:
        return False
    text = unit.full
    if (
        _LOG.search(text) is not None
        or len(text) > MOST_CHARS
        or any(len(each.full) > MOST_CHARS for each in before[-1:])
    ):
        return False
    if not 0 < word_count(text) <= MOST_WORDS or len(before) > MOST_BEHIND or unit.text[-1:] not in {*".!"}:
        return False
    return not (is_noise(unit.text) or is_request(unit.text) or statuses_of(text, "") & _UNSAID)


def _is_all_that_is_said(text: str) -> bool:
    """Return whether `text` is the name of a disease and nothing else."""
    named = lone_view(text.rstrip(".!")) if text.count(".") <= 1 and "," not in text else None
    return (
        named is not None
        and word_count(text) <= MOST_OF_A_NAME
        and states_condition(named)
        and names_disease(named)
    )


def _is_set_elsewhere(before: Iterable[Sentence], answered: Iterable[Sentence]) -> bool:
    """Return whether words before it are of somebody else, of books, of the past, or only supposed."""
    return any(
        statuses_of(each.full, "") & _UNSAID - _ASKED or _WHAT_IS_TAUGHT.search(each.full)
        for each in (*before, *answered)
    )


def _is_of_another(before: Sequence[Sentence], answered: Sequence[Sentence]) -> bool:
    """Return whether the sentence before it, or the question that it answers, is of somebody else or of books."""
    asked = answered[-1:] if not before and answered and answered[-1].full.endswith("?") else ()
    others = NOT_OURS - _ASKED
    return any(statuses_of(each.full, "") & others for each in (*before[-1:], *asked))


def _names_its_result(text: str) -> bool:
    """Return whether `text` is a test with its value, or with what it shows."""
    if _FORMS["runs"].search(text):
        return False
    found = _FORMS["value"].fullmatch(in_figures(text.strip()))
    if found is not None:
        return _is_test(found["test"]) and not any(each.unit in _OF_DOSES for each in quantities(text))
    title = _FORMS["title"].fullmatch(text.strip())
    if title is not None and _NUMBER.search(title["test"]) is not None:
        return False  # "eGFR 44, dizzy"
    named = title is not None and (_is_test(title["test"]) or _is_eponym(title["test"]))
    if title is not None and named and _is_shown(title["what"] or title["bare"]):
        return True
    seen, on = _FORMS["there_is"].fullmatch(text.strip()), _ON_A_TEST.search(text)
    return seen is not None and on is not None and _is_test(on["test"])


def reads_tests(agent_id: str) -> bool:
    """Return whether an agent, by its name, reports what tests show."""
    return _FORMS["reporter"].fullmatch(agent_id.lower()) is not None


def _is_reported(agent_id: str, text: str) -> bool:
    """Return whether `text` is what somebody who reports tests sees, with no test named."""
    if not reads_tests(agent_id) or _FORMS["runs"].search(text):
        return False
    said = text.strip()
    if (there := _FORMS["there_is"].fullmatch(said)) is not None:
        return _is_shown(there["what"])
    if word_count(text) >= LEAST_WORDS and _FORMS["seen"].search(said) is not None:
        return True
    bare = said.rstrip(" .!")
    return names_disease(bare) or (states_condition(bare) and not sentence_like(bare))


def _is_test(words: str) -> bool:
    """Return whether `words` are the name of a test or of what is measured, and little else."""
    bare = words.strip()
    if not bare or word_count(bare) > MOST_OF_A_NAME:
        return False
    if drugs_named(bare) and _LEVEL.search(bare) is None:
        return False
    measured = [(each.start, each.end) for each in analytes_named(bare)]
    measured += [found.span() for found in _FORMS["test_in_short"].finditer(bare)]
    rest = [word for word in blank(bare, measured).split() if not names_test(word)]
    named = bool(measured) or len(rest) < len(bare.split())
    return named and all(_FORMS["of_a_test"].fullmatch(word) for word in rest)


def _is_shown(words: str) -> bool:
    """Return whether `words` say what a test shows."""
    if _FORMS["runs"].search(words) or words.rstrip().endswith("?"):
        return False
    bare = words.rstrip(" .!")
    return _FORMS["shown"].search(words) is not None or states_condition(words) or names_disease(bare)
