"""What is told of allergies: each with its thing, what denies all of them with its question, and what may stand beside."""

# ruff: noqa: E501 - patterns are read more easily on long lines

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice, takewhile
from typing import Final

from agents.dialogue.beside import LEANS, POINTS_BACK, as_one
from agents.dialogue.facts import Fact
from agents.dialogue.given import ALLERGY, denies_allergy, looks_allergic, names_given, reacted_to, substances
from agents.dialogue.passages import Passages
from agents.dialogue.segments import Passage
from agents.dialogue.understand import UnderstoodQuestion
from agents.dialogue.values import Intent
from exaim_core.board.shown import SaidView
from exaim_core.lexicon.drugs import drugs_named
from exaim_core.text.assertion import is_of_another
from exaim_core.text.quantities import quantities
from exaim_core.text.wording import lower_first, word_count

_BACK: Final = 3  # sentences from one of an allergy back to what names its thing
_FEW: Final = 8  # words of a fragment
_BARE: Final = 2  # words, at most, of a sentence that only names a thing: "BLOCKED: latex."
_WORDS: Final = r"(?:allerg\w+|anaphyla\w+|hypersensitiv\w+)"
# What points at a thing before it: no conjunction ("says that she"), and no person or time ("this patient").
_POINTS: Final = re.compile(r"\b(?:it|those|these|them|(?:this|that)(?! (?:(?:she|he|they|the|her|his|their|a|an|there|all|no)\b|patient|man|woman|child|lady|boy|girl|baby|case|morning|time|week|year|admission)))\b", re.IGNORECASE)  # fmt: skip
# "Only allergy she has" has no verb of its own; "she has one allergy", "the allergy is old" and "check the allergy" do.
_RELATIVE: Final = re.compile(rf"(?P<word>\b{_WORDS}) (?:that )?(?:he|she|they|we|I|you)\b(?: \w+){{1,3}}", re.IGNORECASE)  # fmt: skip
_VERB: Final = re.compile(
    r"(?:\b(?:is|are|was|were|be|been|has|have|had|does|do|did|will|would|can|could|must|should|may|might|came|comes|got|gets|reads|says|said|shows?|lists?|listed|carries|needs?|remains?|stays?|stands?|makes?|made|gives?|gave|causes|caused|takes|took|matters?|he|she|they|we|you|I|there|who)\b|['’](?:s|re|m|ve) )|\A\W*(?:please )?(?:check|give|note|record|write|mind|see|ask|look|remember|start|stop|confirm|review|clarify|document|tell)\b",
    re.IGNORECASE,
)
_LACKS: Final = re.compile(r"\ballergic(?: to)?\W*\Z", re.IGNORECASE)  # "Amoxicillin?" "She's allergic."
_NOT_HERS: Final = re.compile(r"\b(?:is|was|are|status:|it['’]s|that['’]s) (?:not|n['’]t) (?:hers|his|theirs|the patient['’]s)\b", re.IGNORECASE)  # fmt: skip
_LABEL: Final = re.compile(r"\A\W*[A-Z][A-Za-z ]{2,30}(?: \(\d\d:\d\d\))?: ")  # "RESULTS: BP 84/50"
# How an answer to "any allergies?" denies all of them.
_NONE: Final = re.compile(r"\A\W*(?:none|nil|nkd?a|nkfa|no(?: known)?(?=\W*(?:[.,;!]|\Z))|no known|not (?:known|that|to (?:my|our)))\b", re.IGNORECASE)  # fmt: skip


def of_allergies_asked(asked: UnderstoodQuestion) -> bool:
    """Tell whether a question is about allergies, or one of those that it is about is that."""
    return asked.intent is Intent.ALLERGIC or any(topic.names == ("allergies",) for topic in asked.topics)


def is_of_allergy(one: SaidView) -> bool:
    """Tell whether a sentence is of an allergy or looks so."""
    return reacted_to(one.text, one.under) or looks_allergic(one.text)


def allergies(passages: Passages) -> list[Fact]:
    """Return what was said of allergies: first what names a thing, last what denies that there is any."""
    said = [one for one in passages.all if one.alone and not one.past][::-1]
    placed = [(one, at) for one in said for at in passages.told_at(passages.fact_of(one))[:1]]
    known = [(one, at) for one, at in placed if tells_of_reaction(passages.said, at)]
    known.sort(key=lambda each: (is_of_somebody_else(each[0].text), not _names_it(passages.said, each[1])))
    found = [one for one, _ in known]
    told = [fact for one in found for fact in _with_its_thing(one, passages)]
    return [*told, *(fact for one in said for fact in _denial(one, passages))]


def tells_of_reaction(said: Sequence[SaidView], at: int) -> bool:
    """Tell whether sentence `at` is of an allergy, or says what something did to somebody, alone or with its neighbour."""
    return reacted_to(said[at].text, said[at].under) or len(reaction_at(said, at)) > 1


def _names_it(said: Sequence[SaidView], at: int) -> bool:
    return bool(reaction_at(said, at) or names_given(said[at].text))


def reaction_at(said: Sequence[SaidView], at: int) -> tuple[int, ...]:
    """Return the places that name a reaction and its substance: `at`, behind the sentence before it where that has it.

    "Hers is aspirin, and ibuprofen. Closes her right up." The same speaker says both, in one turn, and a dose is an
    order and no reaction. () where no substance is named.
    """
    text = said[at].text
    if text.endswith("?") or said[at].past:
        return ()
    if looks_allergic(text) and _may_lend(said, at):
        return (at - 1, at)
    return (at,) if substances(text) and reacted_to(text, said[at].under) else ()


def _may_lend(said: Sequence[SaidView], at: int) -> bool:
    """Tell whether the substance of the reaction at `at` stands in the sentence before it."""
    one, before = said[at], said[at - 1] if at else None
    if before is None or before.in_turn != one.in_turn or before.past or before.text.endswith("?"):
        return False
    if drugs_named(one.text) or not substances(before.text) or quantities(before.text):
        return False
    if substances(one.text) and word_count(_LABEL.sub("", before.text)) > _BARE:
        return False
    return not denies_allergy(before.text) and not reacted_to(before.text, before.under)


def is_of_somebody_else(text: str) -> bool:
    """Tell whether a sentence says that an allergy is a relative's, or nobody's here: "my sister", "not hers"."""
    return is_of_another(text) or _NOT_HERS.search(text) is not None


def _with_its_thing(one: Passage, passages: Passages) -> tuple[Fact, ...]:
    """Return a sentence as a fact; what needs what is given before it is told behind what names that.

    "Then no quinine, not even if the artesunate's late. Write that as an allergy."
    """
    fact = passages.fact_of(one)
    (at,) = passages.told_at(fact) or (None,)
    said = passages.said
    if at is not None and len(both := reaction_at(said, at)) > 1:
        return as_one(passages, both) or (fact,)
    if at is None or names_given(one.text):
        return (fact,)
    in_turn = takewhile(lambda k: said[k].in_turn == said[at].in_turn, range(at - 1, -1, -1))
    named = next((k for k in islice(in_turn, _BACK) if names_given(said[k].text)), None)
    if named is None or not (leans(one.text) or (_LACKS.search(one.text) and said[named].text.endswith("?"))):
        return (fact,)
    return as_one(passages, range(named, at + 1)) or (fact,)


def leans(text: str) -> bool:
    """Tell whether a sentence of an allergy points at a thing before it, or is a fragment without a verb of its own."""
    if _POINTS.search(text):
        return True
    own = _RELATIVE.sub(r"\g<word>", text)
    return word_count(text) <= _FEW and _VERB.search(own) is None


def denied_at(said: Sequence[SaidView], at: int) -> bool:
    """Tell whether sentence `at` denies all allergies: in so many words, or as the answer to a question for them."""
    one = said[at]
    if one.text.endswith("?"):
        return False
    return denies_allergy(one.text) or (_NONE.match(one.text) is not None and bool(_asked_at(said, at)))


def _asked_at(said: Sequence[SaidView], at: int) -> str:
    """Return what asks for allergies right before sentence `at`, or the heading of them that it stands under."""
    before = said[at - 1].text if at else ""
    if before.endswith("?") and ALLERGY.search(before):
        return before
    heading = said[at].under.split("; ")[-1]
    return heading if ALLERGY.search(heading) else ""


def _denial(one: Passage, passages: Passages) -> tuple[Fact, ...]:
    """Return what denies all allergies as a fact, with what it answers; () where it denies none."""
    said = passages.said
    (at,) = passages.told_at(passages.fact_of(one)) or (None,)
    if at is None or ALLERGY.search(one.text) or not denied_at(said, at):
        return ()  # what denies them by name is found by its words, beside what others say
    fact, asked = passages.fact_of(one), _asked_at(said, at)
    if not asked:
        return (fact,)
    if asked == said[at - 1].text and said[at - 1].in_turn == said[at].in_turn:
        return as_one(passages, (at - 1, at))
    who = fact.said[0].partition(" says")[0]
    spoken = f"{who} says of {lower_first(asked.rstrip('?: '))}: {lower_first(one.text.rstrip('. '))}"
    return (replace(fact, said=(spoken,), rests_on=(asked, *fact.rests_on)),)


def denies(fact: Fact, passages: Passages) -> bool:
    """Tell whether a fact denies all allergies: nothing that was said on from there is of them."""
    if any(denies_allergy(text) for text in fact.rests_on):
        return True
    return any(denied_at(passages.said, k) for k in passages.told_at(fact)) or _answers_none(fact)


def _answers_none(fact: Fact) -> bool:
    """Tell whether a fact is a question for allergies or a heading of them, with what denies all."""
    head, rest = fact.rests_on[:1], fact.rests_on[1:]
    return any(ALLERGY.search(text) for text in head) and any(_NONE.match(text) for text in rest)


def before_denial(facts: Sequence[Fact], first: Fact, passages: Passages) -> tuple[Fact, ...]:
    """Return those of `facts` that do not follow, in one turn, what denies all allergies from `first` on.

    Who speaks next may contradict it: "No known allergies." "Sulfa gave her blisters."
    """
    said, start = passages.said, min(passages.told_at(first), default=len(passages.said))
    denied = [k for k in range(start, len(said)) if denied_at(said, k)]

    def follows(k: int) -> bool:
        return any(at < k and said[at].in_turn == said[k].in_turn for at in denied)

    return tuple(fact for fact in facts if not any(follows(k) for k in passages.told_at(fact)))


def may_stand_by(fact: Fact, first: Fact, passages: Passages) -> bool:
    """Tell whether what is like the question may stand beside an allergy: it is of one, or said on from `first`.

    On from there it is of the turn of `first`: "Penicillin, rash." "That was the brother."
    """
    said, places, its = passages.said, passages.told_at(first), passages.told_at(fact)
    if its and all(is_of_allergy(said[k]) for k in its):
        return True
    on = bool(places and its) and its[0] > places[-1] and said[its[0]].in_turn == said[places[-1]].in_turn
    return on and bool(before_denial((fact,), first, passages))


def fills_beside(fact: Fact, told: Sequence[Fact], passages: Passages) -> bool:
    """Tell whether what was said around an allergy may stand beside it.

    It is of a reaction, names one of its substances, denies, or leans on what was said; of the same speaker
    it may point back or name what is given ("Penicillin she takes without trouble."). A result and a dose are none.
    """
    its, said = passages.told_at(fact), passages.said
    if any(is_of_allergy(said[k]) or denied_at(said, k) or is_of_somebody_else(said[k].text) for k in its):
        return True
    text = " ".join(fact.rests_on)
    known = frozenset(name for one in told for words in one.rests_on for name in substances(words))
    if substances(text) & known:
        return True
    if _LABEL.match(fact.rests_on[0]) or quantities(text):
        return False
    if LEANS.match(fact.rests_on[0]):
        return True
    who = {said[k].agent_id for one in told for k in passages.told_at(one)}
    of_it = POINTS_BACK.search(text) is not None or bool(substances(text))
    return of_it and any(said[k].agent_id in who for k in its)


def is_unrelated(fact: Fact, first: Fact, passages: Passages) -> bool:
    """Tell whether what stands next to an allergy is not of it: beside a denial, or a drug before it."""
    its, places = passages.told_at(fact), passages.told_at(first)
    before = bool(its and places) and its[-1] < places[0]
    if before:
        return denies(first, passages) or any(names_given(text) for text in fact.rests_on)
    return not before_denial((fact,), first, passages)
