"""Sentences about care: tests, orders, cautions, findings, alarms, what was taken back or put right.

Each function yields its wordings from the fullest to the barest (`templates.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from exaim_core.board.changes import Change
from exaim_core.claims.claims import POINTED, Claim, Stance
from exaim_core.claims.written_cautions import in_part, without_opening
from exaim_core.grounding.orders_seen import warns
from exaim_core.lexicon.alone import hangs
from exaim_core.lexicon.brevity import (
    MOST_WORDS,
    binds,
    explains,
    finding_words,
    may_wait,
    proposal,
    without_lead_in,
    without_reasons,
)
from exaim_core.lexicon.drugs import DRUG
from exaim_core.lexicon.prose import gives_doses, is_order
from exaim_core.lexicon.terms import mostly_term
from exaim_core.text.boundaries import stopped
from exaim_core.text.names import Names, inner, opens_with
from exaim_core.text.rows import lexicon
from exaim_core.text.sections import only_forbids
from exaim_core.text.wording import key_words, lower_first, mid_sentence, series, word_count
from exaim_core.words.hazard_sentences import met

_FORMS: Final = lexicon("words/care_sentences")
BOUND: Final = _FORMS.late("bound")
_FOR_THAT: Final = re.compile(r"\Afor (?:that|this) reason,? ", re.IGNORECASE)  # said before it
_PARTICIPLE: Final = re.compile(r"(?:\w+ed|given|taken)\b", re.IGNORECASE)


def is_past(text: str) -> bool:
    """Return whether a finding is about another time, at best beside one of today."""
    return _FORMS["past"].search(text) is not None


def _list(change: Change, opening: str) -> Iterator[str]:
    """Yield sentences that name three items of a list, then fewer, in the agent's order."""
    parts = [part for claim in change.claims if (part := _listed(claim))]
    for count in range(min(3, len(parts)), 0, -1):
        yield f"{opening} {series(parts[:count])}."


def _listed(claim: Claim) -> str:
    """Return a list item with its condition; "" if the condition is too long to be spoken."""
    if claim.condition is None:
        return claim.entity
    return f"{claim.entity} {mid_sentence(claim.condition)}" if claim.condition else ""


def others(change: Change, names: Names) -> Iterator[str]:
    """Say further diagnoses."""
    who = names(change.agent_id)
    yield from _list(change, f"{who} also considers" if change.first else f"{who} adds to the differential:")
    if not change.first:
        yield from _list(change, f"{who} adds")


def tests(change: Change, names: Names) -> Iterator[str]:
    """Say the tests asked for, each with its condition."""
    who = names(change.agent_id)
    yield from _list(change, f"{who} asks for" if change.first else f"{who} also wants")
    if not any(_listed(claim) for claim in change.claims):
        yield f"A conditional recommendation from {inner(who)} is on the page."


def action(change: Change, names: Names) -> Iterator[str]:
    """Say a recommendation with its limit and its condition."""
    claim, who = change.claim, names(change.agent_id)
    if claim.condition is not None:
        yield from _conditional(claim, who)
    elif change.other:
        name = told_whole(claim) or claim.entity or lower_first(claim.text.rstrip("."))
        yield f"{who} recommends {name}, against {inner(names(change.other))}'s caution."
        yield f"{who}: {name}, against {inner(names(change.other))}'s caution."
    elif claim.entity:
        more = said_behind(claim)
        verb = ":" if _FORMS["imperative"].match(claim.entity) else " recommends"
        if _FORMS["goes_on"].match(more) and (mostly_term(more) or not binds(more)):
            yield f"{who}{verb} {claim.entity} {more}."
        if BOUND.search(more):
            yield f"{who}{verb} {claim.entity}{',' if _PARTICIPLE.match(more) else ';'} {lower_first(more)}."
        whole = told_whole(claim) if more else ""
        told = [f"{who}: {lower_first(text)}." for text in without_reasons(whole)] if whole else []
        if binds(more) or not hangs(whole):
            yield from told
        if binds(more):  # a name is not told without its dose, nor a dose without its limit
            if all(word_count(each) > MOST_WORDS for each in told):
                yield f"A recommendation from {inner(who)} on {claim.entity} is on the page."
            return
        yield f"{who}{verb} {claim.entity}."
        yield f"{who}: {claim.entity}."
    else:
        told = [proposal(text, who) for text in without_reasons(_FOR_THAT.sub("", claim.text).rstrip("."))]
        yield from told
        if all(word_count(each) > MOST_WORDS for each in told):
            yield f"A recommendation from {inner(who)}{_on_its_drugs(claim.text)} is on the page."


def _on_its_drugs(text: str) -> str:
    """Return " on" and the drugs of an order that is too long to be told; "" if it names none, or more than three."""
    drugs = list(dict.fromkeys(found.group().lower() for found in DRUG.finditer(text)))
    return f" on {series(drugs)}" if 0 < len(drugs) <= MOST_NAMED else ""


MOST_NAMED: Final = 3  # drugs of an order that is too long to be told


def _words_after_name(claim: Claim) -> str:
    """Return the words of an order after its opening name; "" if it does not open with its name."""
    name = claim.label or claim.entity
    if not name or claim.entity.lower() != name.lower() or not claim.text.lower().startswith(name.lower()):
        return ""
    return claim.text[len(name) :].strip(" :,-–—").rstrip(".")


def said_behind(claim: Claim) -> str:
    """Return what an order says after its name and must be told; "" if that may stay on the page."""
    more = _words_after_name(claim)
    return "" if may_wait(more, claim.entity) else more


def told_whole(claim: Claim) -> str:
    """Return an order in its own words if its name alone would say less than it does; else ""."""
    more = _words_after_name(claim)
    if explains(more):
        return ""
    if claim.text[len(claim.label or claim.entity) :].startswith(f" {more[0]}"):
        return f"{claim.entity} {more}"  # the sentence goes on from the name, as in "only if he arrests"
    return f"{claim.entity}{':' if more[:1].isupper() else ','} {more}"


def _conditional(claim: Claim, who: str) -> Iterator[str]:
    """Say a recommendation with its condition, or that one is on the page; never without it."""
    if claim.entity and claim.condition:
        yield f"{who} recommends {claim.entity}, {mid_sentence(claim.condition)}."
    for text in without_reasons(told_whole(claim) or claim.text.rstrip(".")):
        whole = f"{who}: {lower_first(text)}."
        if word_count(whole) <= MOST_WORDS - 2:
            yield whole
    drug = DRUG.search(claim.label or claim.text.split(", ", 1)[-1])
    if drug:
        yield f"A conditional recommendation from {inner(who)} on {drug.group().lower()} is on the page."
    yield f"A conditional recommendation from {inner(who)} is on the page."


def folded(text: str) -> str:
    """Return "stop metformin; it is …" for "Metformin: stop it. It is …"."""
    match = _FORMS["stop_it"].match(text.rstrip("."))
    if match is None:
        return text
    more = f"; {lower_first(match['next'])}" if match["next"] else ""
    return f"{match['verb'].lower()} {lower_first(match['what'])}{match['rest']}{more}."


def caution(change: Change, names: Names) -> Iterator[str]:
    """Say a caution."""
    claim = change.claim
    who = names(change.agent_id)
    if claim.condition is not None:
        yield from _conditional(claim, who)
        return
    if claim.label and _FORMS["order"].match(claim.label.lower()) and not only_forbids(claim.label):
        yield f"Caution, {inner(who)}: {mid_sentence(claim.label)}."
    said = folded(without_lead_in(claim.text))
    if hangs(said.rstrip(".! ")) and not hangs(bare := without_opening(said).rstrip(".! ")):
        said = bare  # "with that said" refers to nothing that matters
    text = re.sub(r"^([^:]{3,60}): (?=(?:stop|avoid|hold|withhold|omit)\b)", r"\1, ", said)
    whole = text.rstrip(".! ")
    opening = f"Caution, {inner(who)}" if warns(whole) and not opens_with_order(whole) else who
    yield f"{opening}: {lower_first(whole)}."
    for bare in without_reasons(whole):
        yield f"{opening}: {lower_first(bare)}."


def caution_in_part(change: Change, names: Names) -> Iterator[str]:
    """Say a caution that is too long to be told whole by its clause that warns, if that says it all."""
    who = names(change.agent_id)
    for text in in_part(change.claim.text):
        opening = f"Caution, {inner(who)}" if warns(text) else who
        yield f"{opening}: {lower_first(text)}."


def opens_with_order(text: str) -> bool:
    """Return whether an order that forbids nothing opens `text`, so it must not sound like a caution."""
    first, *more = stopped(text)
    asks = gives_doses(first) or is_order(first) or _FORMS["imperative"].match(first) is not None
    return bool(more) and asks and not warns(first)


def finding(change: Change, names: Names) -> Iterator[str]:
    """Say a measured value, or a finding that is denied."""
    text = re.sub(r"^([A-Z][^:]{2,40}): it is\b", r"\1 is", finding_words(change.claim.text))
    who = names(change.agent_id)
    if change.claim.label and _FORMS["past"].search(text) and text.startswith(f"{change.claim.label}: "):
        text = change.claim.label  # what it was once stays on the page
    text = without_lead_in(text)
    if not text or (_FORMS["past"].search(text) and not change.claim.worth):
        return
    yield f"{who}: {lower_first(text)}."
    head = re.match(r"[^:;,]+", text)
    if head and change.claim.entity.startswith("no ") and change.claim.entity[3:] in head.group().lower():
        yield f"{who}: {lower_first(head.group())}."
    for bare in without_reasons(text):
        yield f"{who}: {lower_first(bare)}."


def first(change: Change, names: Names) -> Iterator[str]:
    """Say what comes first."""
    who, claim = inner(names(change.agent_id)), change.claim
    if claim.label:
        yield f"First, says {who}, for {lower_first(claim.label.rstrip('.'))}: {lower_first(claim.entity)}."
    yield f"First, says {who}: {lower_first(claim.entity)}."


def critical(change: Change, names: Names) -> Iterator[str]:
    """Say a critical finding, and who says so, unless another alarm came just before it."""
    found = change.claim.critical
    if found is None:
        return
    if found.against:
        yield from met(change, found, names)
        return
    what = found.what
    if found.words == POINTED:
        yield f"Check on the page: {what}, from {inner(names(change.agent_id))}."
        return
    if found.words:  # two readings differ, so the agent's own words are told
        yield f"Check, {inner(names(change.agent_id))}: {lower_first(found.words)}."
        return
    if change.first:
        yield f"Critical, from {inner(names(change.agent_id))}: {what}."
    yield f"Critical: {what}."


def follows(change: Change, names: Names) -> Iterator[str]:
    """Say what was said about something that was spoken, in its speaker's words.

    If these name the thing, they may stand alone: after its name a denial of it would not sound like one.
    """
    claim, who = change.claim, names(change.agent_id)
    words = lower_first(claim.text.rstrip(".!"))
    if claim.entity:
        what = claim.entity if claim.entity.startswith("“") else f"the {claim.entity}"
        yield f"On {what}, {inner(who)}: {words}."
    if claim.entity.lower() in words.lower():
        yield f"{who}: {words}."


def revoked(change: Change, names: Names) -> Iterator[str]:
    """Say what is taken back or stopped."""
    claim, who = change.claim, names(change.agent_id)
    if claim.stance is Stance.WITHDRAWS:
        if claim.revokes and _says_more(claim) and not hangs(claim.text):
            yield f"{who}: {lower_first(claim.text.rstrip('.'))}."
        yield f"{who} withdraws {series([mid_sentence(part) for part in claim.revokes])}."
        return
    for text in without_reasons(claim.text.rstrip(".")):
        yield f"{who}: {lower_first(text)}."


def _says_more(claim: Claim) -> bool:
    """Return whether a withdrawal that names its object also says what its speaker holds instead."""
    if not all(part.lower() in claim.text.lower() for part in claim.revokes):
        return False
    beside = set(key_words(claim.text)) - {key for part in claim.revokes for key in key_words(part)}
    return len(beside - _WITHDRAWING) > 0 or re.search(r"\bnot?\b", claim.text) is not None


_WITHDRAWING: Final = frozenset(
    key_words("I also then now withdraw retract take back cancel recommendation order")
)


REPORTED: Final = "The team reports"


def quoted(change: Change, names: Names) -> Iterator[str]:
    """Say a sentence in its speaker's words, or a model's wording that was checked against them."""
    claim, who = change.claim, names(change.agent_id)
    if claim.reported:
        yield f"{REPORTED}: {lower_first(claim.text.rstrip('.'))}."
        return
    if claim.worded:
        words = _ended(claim.worded)
        yield words if opens_with(words, who) else f"{who}: {lower_first(words)}"
        return
    yield f"{who}: {lower_first(_ended(change.claim.text.rstrip('!')))}"


def _ended(text: str) -> str:
    """Return a sentence with its full stop, unless it is a question."""
    return text if text.endswith("?") else f"{text.rstrip('.')}."


WITHDRAWN: Final = "broke off, and is withdrawn"


def withdrawn(change: Change, names: Names) -> Iterator[str]:
    """Say that an answer broke off and no longer counts, and what of it was spoken."""
    opening = f"{names(change.agent_id)}'s last answer {WITHDRAWN}"
    named = [_in_short(claim) for claim in change.claims]
    for count in range(min(2, len(named)), 0, -1):
        yield f"{opening}: {series(named[:count])}."
    yield f"{opening}."


def _in_short(claim: Claim) -> str:
    """Return what a claim is about, in its words."""
    if claim.critical is not None:
        return claim.critical.what
    return mid_sentence((claim.entity or claim.text).rstrip("."))


CONTRADICTED: Final = "Check: "
"""How a value is announced that the case file contradicts."""


def conflict(change: Change, names: Names) -> Iterator[str]:
    """Say a value that the case file contradicts."""
    found = change.claim.conflict
    if found is not None:
        who = names(change.agent_id)
        yield f"{CONTRADICTED}{who} says {found.name} {found.said}; the case file says {found.instead}."


def corrected(change: Change, names: Names) -> Iterator[str]:
    """Say a value that was put right."""
    who, found = names(change.agent_id), change.claim.conflict
    text = finding_words(change.claim.text)
    clause = re.split(r"[:;] ", text)[-1]
    if (
        found
        and found.said in clause
        and found.instead in clause
        and not _FORMS["bare_subject"].match(clause)
    ):
        text = clause  # what stands before the clause is about the speaker
    text = lower_first(text)
    if text and not _FORMS["bare_subject"].match(text):
        yield f"{who}: {text}." if change.first else f"Correction, {inner(who)}: {text}."
