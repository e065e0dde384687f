"""Which labels make a claim of the engine right: one row a form, with the reason.

A form is a kind of claim, with what changes its meaning: its stance, "on the page only", what a quotation is
quoted for. `kinds` and `stances` are the labels that make it right. A sentence with a condition is right only
where the claim keeps one: it names it, or holds the whole sentence.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from exaim_core.claims.claims import Claim, Kind, Mark, Part, Stance, Worth
from lab.evaluation.labelled import Label, held


@dataclass(frozen=True, slots=True)
class Form:
    """What makes claims of one form right. `whose`: subjects that they may speak of."""

    kinds: frozenset[str]
    stances: frozenset[str]
    why: str
    whose: frozenset[str] = frozenset({"patient"})


def _form(kinds: str, stances: str, why: str, whose: str = "patient") -> Form:
    return Form(frozenset(kinds.split()), frozenset(stances.split()), why, frozenset(whose.split()))


_VIEW: Final = "affirmed hedged"
_DO: Final = "affirmed planned conditional"
_STANDS: Final = "affirmed denied past hedged"

FORMS: Final[dict[str, Form]] = {
    "leading": _form(
        "leading confirmed decision change agreement", _VIEW, "A view stays one when it is hedged."
    ),
    "leading, tentative": _form("leading differential change decision", _VIEW, "It is told with its doubt."),
    "leading, agrees": _form(
        "agreement leading confirmed decision change", _VIEW, "Naming the same view agrees."
    ),
    "leading, withdrawn": _form(
        "change correction excluded disagreement", "affirmed denied withdrawn hedged", "A view is given up."
    ),
    "differential": _form(
        "differential leading",
        "affirmed hedged conditional",
        "Who lists the first one too lists a diagnosis.",
    ),
    "differential, doubted": _form(
        "differential excluded disagreement reason",
        "hedged denied affirmed",
        "A doubt may be put as a reason.",
    ),
    "differential, rejected": _form(
        "excluded disagreement change", "affirmed denied withdrawn past", "It is off the list."
    ),
    "test": _form("test emergency decision", _DO, "A settled or urgent test is one."),
    "action": _form(
        "action emergency decision test change", _DO, "What is asked for; a doubt would have to be told."
    ),
    "caution": _form(
        "prohibition allergy", "affirmed conditional hedged planned denied", "A bar, or its ground."
    ),
    "finding": _form(
        "value finding confirmed excluded done reason allergy",
        _STANDS,
        "Told in its words; a reason about this patient states what was found.",
    ),
    "finding, page only": _form("value finding confirmed excluded done reason allergy", _STANDS, "As above."),
    "finding, ground": _form("value finding confirmed excluded reason change", _STANDS, "Why a view moved."),
    "dispute": _form(
        "open_question disagreement decision differential", "asked hedged affirmed", "It is left open."
    ),
    "priority": _form("action emergency test decision prohibition", _DO, "What is to be done first."),
    "critical": _form(
        "value finding emergency confirmed correction", "affirmed", "An alarm is for what is so now."
    ),
    "critical, taken back": _form(
        "correction value change",
        "affirmed withdrawn denied past",
        "The value was wrong.",
        "patient other_patient",
    ),
    "critical, over": _form("value finding", "affirmed past", "The value is within its limits again."),
    "revokes": _form(
        "prohibition action change correction decision",
        "affirmed withdrawn planned conditional denied",
        "An order is stopped, barred or struck.",
        "patient other_patient",
    ),
    "confirms": _form(
        "confirmed value finding", "affirmed", "A result that is here; microscopy is a finding."
    ),
    "conflict": _form(
        "value finding correction", _STANDS, "It is a value that the case paper gives otherwise."
    ),
    "correction": _form(
        "correction change",
        "affirmed withdrawn denied past",
        "Something is put right.",
        "patient other_patient",
    ),
    "concludes, view": _form(
        "decision leading confirmed agreement",
        "affirmed hedged",
        "The chair's diagnosis for all is a leading one.",
    ),
    "concludes, step": _form(
        "decision action test prohibition emergency", _DO, "Minutes that bar or trigger keep their kind."
    ),
    "quoted as a conclusion": _form(
        "decision leading confirmed agreement", "affirmed hedged planned conditional", "In its words."
    ),
    "quoted as a correction": _form(
        "correction change", "affirmed withdrawn denied past", "In its words.", "patient other_patient"
    ),
    "quoted as a ban": _form(
        "prohibition allergy", "affirmed conditional hedged planned denied", "In its words."
    ),
    "quoted as urgent": _form("emergency action test decision", _DO, "In its words."),
    "quoted as a result": _form("value confirmed excluded finding", _STANDS, "In its words."),
    "quoted as a view": _form(
        "leading differential excluded confirmed agreement disagreement change decision",
        "affirmed hedged denied conditional withdrawn",
        "In its words.",
    ),
    "quoted as an order": _form(
        "action test prohibition decision emergency change",
        "affirmed planned conditional hedged",
        "In its words.",
    ),
    "quoted as a value": _form("value finding", _STANDS, "In its words."),
}

_QUOTED: Final = {
    Worth.CONCLUSION: "quoted as a conclusion",
    Worth.CORRECTION: "quoted as a correction",
    Worth.PROHIBITION: "quoted as a ban",
    Worth.URGENT: "quoted as urgent",
    Worth.RESULT: "quoted as a result",
    Worth.VIEW: "quoted as a view",
    Worth.ORDER: "quoted as an order",
    Worth.VALUES: "quoted as a value",
}
_STANCES: Final = {
    (Kind.LEADING, Stance.SUPPORTS): "leading, agrees",
    (Kind.LEADING, Stance.WITHDRAWS): "leading, withdrawn",
    (Kind.DIFFERENTIAL, Stance.DOUBTS): "differential, doubted",
    (Kind.DIFFERENTIAL, Stance.REJECTS): "differential, rejected",
    (Kind.CRITICAL, Stance.WITHDRAWS): "critical, taken back",
    (Kind.CRITICAL, Stance.REJECTS): "critical, over",
}
WHOLE: Final = 0.9  # of a sentence's words: then a claim says all of it, its condition too
RECALLED: Final = (
    *(
        "value",
        "finding",
        "leading",
        "differential",
        "excluded",
        "confirmed",
        "test",
        "action",
        "prohibition",
    ),
    *(
        "allergy",
        "emergency",
        "correction",
        "agreement",
        "disagreement",
        "change",
        "decision",
        "open_question",
    ),
)
"""Label kinds that the engine has a form for; reasons, books, talk and the rest are not looked for."""


def form_of(claim: Claim) -> str:
    """Return the name of a claim's form."""
    if claim.kind is Kind.QUOTE:
        return _QUOTED.get(claim.worth, "quoted as a value")
    if claim.kind is Kind.CONCLUDES:
        return "concludes, step" if claim.part is Part.STEP else "concludes, view"
    if (named := _STANCES.get((claim.kind, claim.stance))) is not None:
        return named
    if claim.kind is Kind.LEADING and claim.tentative:
        return "leading, tentative"
    if claim.kind is Kind.FINDING:
        return {Mark.PAGE: "finding, page only", Mark.GROUND: "finding, ground"}.get(
            claim.mark or Mark.IMPORTANT, "finding"
        )
    return str(claim.kind)


def fault(claim: Claim, label: Label) -> str | None:
    """Return what of `label` makes `claim` wrong: "kind", "subject", "stance", "condition"; None if nothing."""
    form = FORMS[form_of(claim)]
    if label.subject not in form.whose:
        return "subject"
    if label.kind not in form.kinds:
        return "kind"
    if label.stance == "conditional" and claim.condition is None and held(label.text, claim.text) < WHOLE:
        return "condition"
    return None if label.stance in form.stances else "stance"
