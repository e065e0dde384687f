"""Complete an answer that leaves out what was asked: "Potassium?", and then "6.9.".

People and agents ask for values, allergies and leave in a few words, and the answer names nothing. It is read with the
thing before it, as if it had been named: "potassium: 6.9". Completed are, and nothing else:

* a number, after a question for one thing that is measured: "potassium: still 6.9";
* what opens with a substance, after a question for allergies: "Allergies: penicillin";
* a yes or a no, after a question for a state, if it is an alarm then, or a pregnancy: "No pulse: I can't feel one";
* a no, after a question whether one drug may or should be given: "No ibuprofen: not with that creatinine";
* a no or a yes, after a question whether to do a known act: "Do not extubate her: no";
* what stands behind a question for a known thing, the diagnosis or the plan: "CT: a large left subdural";
* a yes, after a question whether one drug should be given: "Give tranexamic acid: yes, a gram".

A question may have only such words as ask for nothing else: no other time, person, limit or deed. Any other sentence
stays as it is. Which question a sentence answers: `board/replying.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from exaim_core.claims.critical import critical_findings
from exaim_core.claims.limits import analytes_named
from exaim_core.claims.measured import readings
from exaim_core.claims.order_claims import is_act
from exaim_core.lexicon.bidding import bids
from exaim_core.lexicon.drugs import DRUG, drugs_named
from exaim_core.lexicon.named import is_known, labelled
from exaim_core.lexicon.prohibitions import opens_with_allergen
from exaim_core.text.assertion import NOT_OURS, Status, statuses_of
from exaim_core.text.figures import NUMBER_WORDS, in_figures
from exaim_core.text.rows import lexicon
from exaim_core.text.units import Sentence
from exaim_core.text.wording import key_words, lower_first, upper_first, word_count

MOST_ASKED: Final = 14  # words of a question that is completed
_SEVERAL: Final = re.compile(r"[\d.]+(?:,| and) [\d.]*\d")  # two values, of two things perhaps
ALLERGIES: Final = "Allergies"
_FORMS: Final = lexicon("claims/elliptic")
_ALLERGY: Final = re.compile(r"\ballerg(?:y|ies|ic)\b", re.IGNORECASE)
_GIVEN: Final = re.compile(
    r"\b(?:magnesium|calcium|potassium|oxygen|bicarb(?:onate)?|dextrose|glucose|fluids?|blood|platelets|plasma)\b",
    re.IGNORECASE,
)
"""What is given and is no drug's name."""
_VERB: Final = re.compile(r"anti-?coagulate|thromboly[sz]e", re.IGNORECASE)
_ONE_OF: Final = re.compile(r"\b(?:an?|another|repeat)\s\Z", re.IGNORECASE)
_DONE: Final = re.compile(
    r"\b(?:already|(?:has|had|'s|’s) (?:had|been|gone)|gone in|was given|is in|it['’]s in|done|just (?:gave|had))\b",
    re.IGNORECASE,
)
_EXPECTS: Final = re.compile(r"\b(?:pregnant|breast-?feeding)\b", re.IGNORECASE)
_SENTENCE_END: Final = re.compile(r"[.!?]\s+")
_NUMBER: Final = re.compile(rf"\d|(?!(?:oh|nil|nought|naught)\b)(?:{NUMBER_WORDS})\b", re.IGNORECASE)
_ONE_WORD: Final = re.compile(r"(?!no)\w+\W*\Z", re.IGNORECASE)


def answers_itself(between: str, after: str) -> bool:
    """Return whether a sentence between a question and `after` is its answer: "Yes. No stridor.".

    What says nothing is none ("Just back."), and neither is a yes before a number or a single word: "Yes. Penicillin."
    """
    if _FORMS["between"].fullmatch(between) is None:
        return True
    said = after.lstrip(" \"'“‘*-–—")
    return bool(_FORMS["yes"].match(between)) and not (_NUMBER.match(said) or _ONE_WORD.match(said))


def completed(unit: Sentence, question: Sentence | None) -> Sentence:
    """Return `unit` with what `question`, which it answers, asked for before it; else `unit` as it is."""
    if question is None or unit.row or unit.keyed or unit.text.endswith("?"):
        return unit
    item = unit.item is not None and _FORMS["hesitates"].fullmatch(unit.item) is None  # "Yes: trimethoprim"
    asked, said, speaker = question.full.strip(), unit.full, ""
    in_one_text = question.source.agent_id == unit.source.agent_id and question.line_no != unit.line_no
    if in_one_text and labelled(asked)[0] and (told := labelled(said))[0]:
        speaker, said = told  # two people in one text: "A: Potassium?", "B: 6.9"
        asked = labelled(asked)[1]
    elif item:
        return unit
    if not asked.endswith("?") or word_count(asked) > MOST_ASKED:
        return unit
    asked = _SENTENCE_END.split(asked)[-1]
    found = ((find, find(asked, said)) for find in _FINDERS)
    find, named = next((each for each in found if each[1]), (_topic, ""))
    if not named:
        return unit
    source = replace(unit.source, labels=(*unit.source.labels, question.source))
    opening = _FORMS["leads_in" if _NUMBER.match(said, _number_at(said)) else "hesitates"].match(said)
    rest = said[opening.end() :] if opening is not None and find is not _topic else said
    if not rest.strip(" .!,"):
        rest = said
    made = replace(unit, item=None, source=source)
    if named is ALLERGIES:  # they are read under their heading, as in a note
        return replace(
            made, text=speaker + upper_first(rest), heading=named, above=(*unit.above, named), opens=True
        )
    return replace(made, text=speaker + in_figures(f"{upper_first(named)}: {lower_first(rest)}"))


def _value(asked: str, answer: str) -> str:
    """Return the one measured thing that was asked for, if `answer` opens with a number; "" otherwise."""
    mentions = analytes_named(asked)
    if not mentions:
        return _thing_left(asked, answer)
    things = {each.limit.name if each.limit else asked[each.start : each.end].lower() for each in mentions}
    if len(things) != 1:
        return ""
    named = analytes_named(answer)
    at = _number_at(answer)
    if (
        _NUMBER.match(answer, at) is None
        or _SEVERAL.match(answer, at)
        or (named and named[0].start <= at + 1)
    ):
        return ""
    first = mentions[0]
    return asked[first.start : first.end] if _only_asks(asked, first.start, mentions[-1].end) else ""


def _thing_left(asked: str, answer: str) -> str:
    """Return the one word of `asked` that does not only ask, if `answer` behind it gives a value; "" otherwise."""
    left = [
        word
        for word in re.findall(r"[a-z]+(?:['’][a-z]+)?", asked, re.IGNORECASE)
        if not _FORMS["filler"].fullmatch(word)
    ]
    if len(left) != 1 or not _NUMBER.match(answer, _number_at(answer)):
        return ""
    own = next((answer[: each.start] for each in analytes_named(answer)), answer)  # "74 over 40, sats 91"
    return left[0].lower() if any(readings(in_figures(f"{upper_first(left[0])}: {own}"))) else ""


def _number_at(answer: str) -> int:
    """Return where the number stands with which `answer` may open."""
    begins = _FORMS["lead"].match(answer)
    return begins.end() if begins is not None else 0


def _allergy(asked: str, answer: str) -> str:
    """Return `ALLERGIES` if these were asked for, and `answer` opens with a substance; "" otherwise."""
    found = _ALLERGY.search(asked)
    if (
        found is None
        or _ALLERGY.search(answer)
        or drugs_named(asked[: found.end()] + (about := _BESIDE_ACT.split(asked[found.end() :])[0]))
        or drugs_named(asked[found.end() + len(about) :]) & drugs_named(answer)
        or statuses_of(asked, "") & NOT_OURS - {Status.QUESTION}
    ):
        return ""
    if not _FORMS["for_allergies"].match(asked):
        return ""
    begins = _FORMS["hesitates"].match(answer)
    return ALLERGIES if opens_with_allergen(answer[begins.end() if begins else 0 :]) else ""


_BESIDE_ACT: Final = re.compile(r"\b(?:before|while|as|when|because|I|we)\b")
"""What follows says what its speaker is about to do: "any allergies before I push the rocuronium?".

An answer that names a drug of that is about the act.
"""


def _state(asked: str, answer: str) -> str:
    """Return the state that `answer` says is there, if it is an alarm or a pregnancy; "" otherwise."""
    is_it, has_it = _FORMS["is_it"].fullmatch(asked), _FORMS["has_it"].fullmatch(asked)
    no = _denies(answer)
    if (found := is_it or has_it) is None or not (no or _FORMS["yes"].match(answer)):
        return ""
    if is_it is None and asked.lower().startswith("still "):
        state = f"the patient is {'not' if no else 'still'} {found['what']}"
    elif is_it is not None:
        state = f"{is_it['who']} {is_it['is'].lower()} {'not ' if no else ''}{is_it['what']}"
    else:
        state = f"no {found['what']}" if no else found["what"]
    state = lower_first(state)
    if not no and _EXPECTS.search(state):
        return state
    return state if critical_findings(f"{upper_first(state)}.") else ""


def _leave(asked: str, answer: str) -> str:
    """Return the one drug of which it was asked whether to give it, denied if `answer` says no; "" otherwise.

    If it should be given, it is an order of whoever says yes.
    """
    drug = DRUG.search(asked) or _GIVEN.search(asked)
    if drug is None or _FORMS["other"].search(asked) or not _FORMS["to_give"].match(asked):
        return ""
    named = drugs_named(asked)
    another = drugs_named(answer) - named and not _REASON.match(answer)
    if drugs_named(asked[: drug.end()]) != named or another:
        return ""
    bare, should = _FORMS["bare"].fullmatch(asked), _FORMS["should_it"].search(asked)
    if _VERB.fullmatch(drug.group()):
        return ""
    if _denies(answer):
        return f"no {drug.group()}" if not bare or should or _FORMS["ruled"].match(answer) else ""
    measured = DRUG.search(asked) is None and _ONE_OF.search(asked, 0, drug.start()) is not None
    if measured or _DONE.search(answer):
        return ""  # "Do you want a potassium?"; "Yes, it's in already"
    asks = should or (not bare and _FORMS["presses"].search(answer))
    return f"give {drug.group()}" if asks and _FORMS["yes"].match(answer) else ""


_REASON: Final = re.compile(
    r"\W*no\b[,.;:]? (?:(?:s?he|they)(?:['’](?:s|re)| is| are| has| had| was)? )?(?:on|takes?|taking|took|had|has) ",
    re.IGNORECASE,
)
"""A denial that goes on with what the patient takes: another drug behind it is the reason."""


def _act(asked: str, answer: str) -> str:
    """Return the act of which it was asked whether to do it, denied if `answer` says no; "" otherwise."""
    found = _FORMS["do_it"].fullmatch(asked)
    bid = upper_first(found["act"]) if found is not None else ""
    drugs = drugs_named(bid) and _VERB.search(bid) is None  # whether to stop one is no ban of it
    if found is None or drugs or _POINTS.search(bid) or not (is_act(bid) or bids(f"{bid}.")):
        return ""
    if _denies(answer):
        return f"do not {found['act']}"
    return found["act"] if found["should"] and _FORMS["yes"].match(answer) else ""


def _topic(asked: str, answer: str) -> str:
    """Return the thing of which it was asked what, when or whether it is, if `answer` leaves it out; "" otherwise.

    It is a known thing, the diagnosis or the plan. An answer that does not know, or that names it, needs nothing.
    """
    if _FORMS["plan"].fullmatch(asked):
        topic = "plan"
    elif found := _FORMS["of_what"].fullmatch(asked):
        topic = next(each for each in found.groupdict().values() if each)
        if _FORMS["is_there"].fullmatch(asked) and not (_FORMS["yes"].match(answer) or _denies(answer)):
            return ""
    else:
        return ""
    if word_count(answer) < 2 or _ALLERGY.search(topic):
        return ""
    if word_count(topic) > MOST_OF_A_TOPIC or _FORMS["unknown"].search(answer) or analytes_named(topic):
        return ""
    opening = _FORMS["hesitates"].match(answer)
    said = upper_first(answer[opening.end() if opening is not None else 0 :])
    if is_act(said) or bids(said) or critical_findings(said):
        return ""
    if _ABOUT_AN_ACT.search(topic) or not (is_known(topic) or _FORMS["asked_of"].fullmatch(topic)):
        return ""
    return "" if {*key_words(topic)} & {*key_words(answer)} else topic


_POINTS: Final = re.compile(r"\b(?:it|that|this|those|these|one)\b", re.IGNORECASE)
MOST_OF_A_TOPIC: Final = 5  # words
_ABOUT_AN_ACT: Final = re.compile(
    r"\b(?:reasons?|needs?|points?|objections?|contra-?indications?|problems?|risks?|harm|to|avoid\w*|stop\w*)\b",
    re.IGNORECASE,
)


def _denies(answer: str) -> bool:
    return _FORMS["no"].match(answer) is not None or _FORMS["ruled"].match(answer) is not None


def _only_asks(asked: str, start: int, end: int) -> bool:
    """Return whether all words of `asked` but those at [start, end) only ask."""
    return _FORMS["filler"].fullmatch(f"{asked[:start]} {asked[end:]}") is not None


_FINDERS: Final[tuple[Callable[[str, str], str], ...]] = (_value, _allergy, _state, _leave, _act, _topic)
