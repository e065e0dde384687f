"""Word a change of the board: a closed set of sentences with verbatim spans in the slots.

Each template yields its wordings from the fullest to the barest. The first that has few enough
words is taken; if even the barest is too long, nothing is said: words are never cut. The sentences are in
`view_sentences.py` and `care_sentences.py`; this module says which is used for what, how long it may be, and its short
form.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from exaim_core.board.changes import Change, ChangeKind, Vote
from exaim_core.claims.announced import rights_outright
from exaim_core.claims.answering import answered_by
from exaim_core.claims.claims import Claim, Mark, Part, Worth
from exaim_core.claims.contrast import denied
from exaim_core.claims.given_away import takes_back
from exaim_core.claims.quotes import MOST_OF_A_BAN, worth_of
from exaim_core.grounding.orders_seen import warns
from exaim_core.lexicon.alone import hangs, is_scrap
from exaim_core.lexicon.brevity import (
    BRIEF_WORDS,
    FINDING_WORDS,
    MOST_WORDS,
    USUAL_WORDS,
    first_fit,
    keeps,
    tidy,
    without_reasons,
)
from exaim_core.lexicon.drugs import DRUG
from exaim_core.lexicon.kinds import names_measure
from exaim_core.lexicon.prohibitions import prohibits, refuses_what_it_asks, tells_allergy
from exaim_core.schema import SpokenKind, Urgency
from exaim_core.text.names import Names, inner, with_spoken_names
from exaim_core.text.sections import forbids
from exaim_core.text.wording import upper_first, word_count
from exaim_core.words import care_sentences as care
from exaim_core.words import view_sentences as views
from exaim_core.words.care_sentences import BOUND


@dataclass(frozen=True, slots=True)
class Wording:
    """A sentence ready to be grounded and spoken, with what it rests on."""

    kind: SpokenKind
    text: str
    claims: tuple[Claim, ...]
    brief: str | None = None
    topic: str | None = None
    urgency: Urgency = "routine"
    protects: bool = False
    presses: bool = False
    critical_key: str | None = None
    agents: tuple[str, ...] = ()
    vote: Vote | None = None
    said: tuple[Claim, ...] = field(default=())
    quoted: bool = False
    hangs: bool = False  # it refers to words that are not in it
    behind: str = ""  # the part of `text` that another agent said, with its name


Maker = Callable[[Change, Names], Iterator[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _How:
    """How a kind of change is told: in up to `room` words, or in up to `most` if no wording is so short."""

    urgency: Urgency = "routine"
    protects: bool = False
    presses: bool = False
    room: int = USUAL_WORDS
    most: int = USUAL_WORDS


MOST_QUOTED: Final = MOST_OF_A_BAN + 6  # with the speaker's name
_ROUTINE: Final = _How()
_IMPORTANT: Final = _How(urgency="important", most=MOST_WORDS)
_PRESSING: Final = replace(_IMPORTANT, presses=True)
_GUARDS: Final = replace(_PRESSING, protects=True)
_TOLD: Final[dict[ChangeKind, tuple[SpokenKind, Maker, _How]]] = {
    ChangeKind.LEADS: (SpokenKind.LEADING, views.leads, _How(most=MOST_WORDS)),
    ChangeKind.DIFFERS: (SpokenKind.DISAGREEMENT, views.differs, replace(_IMPORTANT, protects=True)),
    ChangeKind.SIDES: (SpokenKind.DISAGREEMENT, views.sides, _ROUTINE),
    ChangeKind.AGREES: (SpokenKind.AGREEMENT, views.agrees, _ROUTINE),
    # The reason for a change is worth more words.
    ChangeKind.CHANGED: (SpokenKind.CHANGE, views.changed, replace(_IMPORTANT, room=22)),
    ChangeKind.ALL_AGREE: (SpokenKind.AGREEMENT, views.all_agree, _ROUTINE),
    ChangeKind.RULES: (SpokenKind.LEADING, views.rules, _ROUTINE),
    ChangeKind.OTHERS: (SpokenKind.FINDING, care.others, _ROUTINE),
    ChangeKind.TESTS: (SpokenKind.TEST, care.tests, _ROUTINE),
    ChangeKind.ACTION: (SpokenKind.ACTION, care.action, _ROUTINE),
    ChangeKind.CAUTION: (
        SpokenKind.CAUTION,
        care.caution,
        replace(_GUARDS, presses=False, room=USUAL_WORDS + 3),
    ),
    ChangeKind.FINDING: (SpokenKind.FINDING, care.finding, _How(most=FINDING_WORDS)),
    ChangeKind.FIRST: (SpokenKind.ACTION, care.first, _IMPORTANT),
    ChangeKind.CRITICAL: (
        SpokenKind.CRITICAL,
        care.critical,
        replace(_GUARDS, urgency="critical", room=MOST_WORDS),
    ),
    ChangeKind.REVOKED: (SpokenKind.CHANGE, care.revoked, replace(_GUARDS, room=USUAL_WORDS + 9)),
    ChangeKind.CONFIRMED: (SpokenKind.FINDING, views.confirmed, _PRESSING),
    ChangeKind.CONFLICT: (SpokenKind.CAUTION, care.conflict, _GUARDS),
    ChangeKind.CORRECTED: (SpokenKind.CORRECTION, care.corrected, _GUARDS),
    ChangeKind.CONCLUDED: (SpokenKind.AGREEMENT, views.concluded, _PRESSING),
    ChangeKind.QUOTED: (SpokenKind.FINDING, care.quoted, _How(room=MOST_QUOTED)),
    ChangeKind.WITHDRAWN: (SpokenKind.CORRECTION, care.withdrawn, _GUARDS),
    ChangeKind.FOLLOWS: (SpokenKind.CORRECTION, care.follows, _GUARDS),
}
"""A caution is urgent too if it forbids or states an allergy; for orders see `summarizer.py`."""
_ON_THE_PAGE: Final = "is on the page."  # no item that is told in full ends so
ON_THE_PAGE: Final = "A conditional recommendation"
_NAMES_OTHER: Final = frozenset({ChangeKind.SIDES, ChangeKind.ACTION, ChangeKind.CRITICAL})
_LISTS: Final = frozenset({ChangeKind.OTHERS, ChangeKind.TESTS})
_PAGE_ONLY: Final = frozenset({ChangeKind.DOUBTS, ChangeKind.REASONS})
_KEEP_ALL: Final = frozenset({SpokenKind.ACTION, SpokenKind.CAUTION, SpokenKind.FINDING})


def _on_the_page(claim: Claim, names: Names) -> str | None:
    """Return a pointer to a caution that can't be spoken, if it names a drug or an allergy.

    It names a drug only if there is one: of several, some may be what its speaker asks for.
    """
    drugs = [match.group().lower() for match in DRUG.finditer(claim.text)]
    who = inner(names(claim.agent_id))
    if not drugs:
        return f"A caution from {who} is on the page." if tells_allergy(claim.text) else None
    named = f" on {drugs[0]}" if len({*drugs}) == 1 else ""
    return f"A caution from {who}{named} is on the page."


def pointed_to(made: Wording, names: Names) -> Wording | None:
    """Return a pointer to an urgent ban that can't be told by itself; None if it bans no drug by name."""
    claim = made.claims[0]
    banned = next((m.group() for m in DRUG.finditer(claim.text) if _BANS.search(claim.text[: m.start()])), "")
    if made.kind is not SpokenKind.CAUTION or not made.presses or not banned:
        return None
    text = f"A caution from {inner(names(claim.agent_id))} on {banned.lower()} {_ON_THE_PAGE}"
    return replace(made, text=with_spoken_names(text), brief=None, topic=None, hangs=False, quoted=False)


_BANS: Final = re.compile(
    r"\b(?:no|nor|never|avoid|stop|hold|withhold|(?:don['’]t|do not|not|never) (?:give|start|use|run|push|hang))"
    r"(?: (?:more|any|the|her|him|his|all)){0,2} \Z",
    re.IGNORECASE,
)
"""Words right before what is banned."""


def _restrains(text: str) -> bool:
    """Return whether `text` forbids a drug, or states an allergy with one, or its heading forbids."""
    said = care.folded(text)  # so that "metformin: stop it" names what is stopped
    if prohibits(said):
        return DRUG.search(said) is not None or names_measure(said) or forbids(text.split(":")[0])
    return (DRUG.search(said) is not None and tells_allergy(said)) or forbids(text.split(":")[0])


WHOLE_WORDS: Final = 60  # for a prohibition: 23 s aloud, longer than any in the recorded discussions


def _reads_so(claim: Claim) -> bool:
    """Return whether a claim's own words are urgent; the kind that a team stated does not make it so."""
    return not claim.stated or worth_of(claim.text, "", claim.under).presses


def _may_be_long(change: Change) -> bool:
    """Return whether a finding is quoted prose, or an order is or has a limit or a caution that must be told."""
    if change.news is ChangeKind.FINDING:
        return change.claim.worth > Worth.NOTHING
    bounded = change.other or BOUND.search(change.claim.text) or care.told_whole(change.claim)
    return change.news is ChangeKind.ACTION and bool(not change.claim.entity or bounded)


def _brief(kind: SpokenKind, text: str, barest: str | None, *, lists: bool) -> str | None:
    """Return a shorter form of `text`: its template's barest wording, else `text` without its reasons.

    An order, a caution and a finding keep their numbers, conditions, negations and sides.
    """
    if kind not in _KEEP_ALL or lists:
        return barest if barest != text else None
    *_, bare = without_reasons(text.rstrip("."))
    bare = re.sub(r"^([^:;,]{2,40}?) recommends ", r"\1: ", bare)
    forms = (barest or "", f"{bare}.", *(_unlabelled(form) for form in (text, barest or "", f"{bare}.")))
    short = (form for form in forms if form and word_count(form) < word_count(text) and keeps(text, form))
    whole = (form for form in short if not (is_scrap(said_words(form)) or hangs(said_words(form))))
    return min(whole, key=word_count, default=None)


def _unlabelled(text: str) -> str:
    """Return a caution without the word "Caution" if its own words warn; else ""."""
    match = _LABELLED.match(text)
    return upper_first(f"{match['who']}: {match['words']}") if match and warns(match["words"]) else ""


_LABELLED: Final = re.compile(r"Caution, (?P<who>[^:]{2,40}): (?P<words>.+)\Z", re.DOTALL)
_QUOTED_AS: Final[dict[Worth, SpokenKind]] = {
    Worth.CONCLUSION: SpokenKind.AGREEMENT,
    Worth.CORRECTION: SpokenKind.CHANGE,
    Worth.PROHIBITION: SpokenKind.CAUTION,
    Worth.URGENT: SpokenKind.ACTION,
    Worth.ORDER: SpokenKind.ACTION,
    Worth.VIEW: SpokenKind.LEADING,
}  # anything else is a finding


def _quotation(change: Change, text: str, topic: str | None) -> Wording:
    """Return the item of a quotation; it never counts votes, and only a view that was read has a topic."""
    worth = change.claim.worth
    kind = _QUOTED_AS.get(worth, SpokenKind.FINDING)
    brief = _brief(kind, text, None, lists=False) if kind in _KEEP_ALL else None
    return Wording(
        kind=kind,
        text=with_spoken_names(upper_first(text)),
        claims=change.claims,
        brief=with_spoken_names(upper_first(brief)) if brief else None,
        topic=topic,
        urgency="important" if worth >= Worth.RESULT else "routine",
        protects=worth is Worth.PROHIBITION,
        presses=worth.presses,
        agents=(change.agent_id,),
        quoted=True,
    )


def _text(change: Change, names: Names) -> str | None:
    """Return the first wording of `change` that fits its room; more important ones may be longer."""
    _, make, how = _TOLD[change.news]
    important = change.news is ChangeKind.FINDING and change.claim.mark is Mark.IMPORTANT
    held_back = change.claim.condition is not None and change.news not in {
        ChangeKind.TESTS,
        ChangeKind.QUOTED,
    }
    rooms = [MOST_WORDS if held_back else how.room, how.most]
    if important or _may_be_long(change):
        rooms.append(MOST_WORDS)
    if change.news is ChangeKind.CAUTION and _restrains(change.claim.text):
        rooms.append(WHOLE_WORDS)  # a prohibition is told whole
    fitting = (first_fit(make(change, names), room) for room in rooms)
    text = next((each for each in fitting if each is not None), None)
    if change.news is ChangeKind.QUOTED:
        return text
    if text is None and change.news is ChangeKind.CAUTION and change.claim.condition is None:
        text = first_fit(care.caution_in_part(change, names), MOST_WORDS)
    if text is None and change.news in {ChangeKind.CAUTION, ChangeKind.REVOKED}:
        text = _on_the_page(change.claim, names)
    return None if text is None else tidy(text)


def _hangs(change: Change, text: str) -> bool:
    """Return whether `text`, in its agent's words, refers to other words and can't be told alone."""
    if (
        change.news not in _OWN_WORDS
        or text.endswith(_ON_THE_PAGE)
        or change.claim.stated
        or change.claim.reported
        or change.claim.worded
        or change.claim.worth is Worth.DOUBTED
        or refuses_what_it_asks(change.claim.text)
    ):
        return False  # it was checked already
    words = said_words(text)
    if change.claim.worth is Worth.CORRECTION and takes_back(change.claim.text):
        return False  # what it takes back is told with it
    if change.claim.worth is Worth.CORRECTION and (
        rights_outright(change.claim.text) or denied(change.claim.text)
    ):
        return answered_by(change.claim) is not None  # else it was told with what it puts right
    if change.claim.read:
        return hangs(words) is not None and not change.claim.worth.presses
    return hangs(words) is not None or (change.news in _CAN_BE_SCRAPS and is_scrap(words))


_OWN_WORDS: Final = frozenset(
    {ChangeKind.CAUTION, ChangeKind.ACTION, ChangeKind.FINDING, ChangeKind.REVOKED, ChangeKind.QUOTED}
)
_CAN_BE_SCRAPS: Final = frozenset({ChangeKind.CAUTION, ChangeKind.QUOTED})
_OPENING: Final = re.compile(
    r"\A(?:On [^:]{2,90}?: |Caution(?:, [^:]{2,40})?: "
    r"|[A-Z][^:,;]{1,40}?(?:, (?!says )[^:,;.]{2,30})?(?:: | recommends ))"
)


def said_words(text: str) -> str:
    """Return the words that are said, without the speaker's name and without a full stop."""
    return _OPENING.sub("", text).rstrip(".")


def stands_in(words: str, text: str) -> bool:
    """Return whether `words` stand whole in `text`, in any case: "is 9" does not stand in "is 98"."""
    return re.search(rf"(?<![\w.]){re.escape(words)}(?!\w|[.,]\d)", text, re.IGNORECASE) is not None


def wording(change: Change, names: Names, topic: str | None) -> Wording | None:
    """Return the sentence about `change`; None if no wording fits."""
    if change.news in _PAGE_ONLY or change.claim.mark is Mark.PAGE:
        return None
    text = _text(change, names)
    if text is None or said_words(text).rstrip(" *_").endswith(":"):
        return None  # words that open a list say nothing without it
    if change.news is ChangeKind.QUOTED:
        return replace(_quotation(change, text, topic), hangs=_hangs(change, text))
    kind, make, how = _TOLD[change.news]
    urgency, protects = how.urgency, how.protects
    critical = change.claim.critical
    short = BRIEF_WORDS + 3 * (change.news is ChangeKind.TESTS)  # one test of seven says little
    brief = _brief(kind, text, first_fit(make(change, names), short), lists=change.news in _LISTS)
    if change.news is ChangeKind.CRITICAL and text.startswith("Check, "):
        *_, brief = make(change, names)  # told if the words themselves can't be
    if change.news is ChangeKind.FOLLOWS:
        *others, last = make(change, names)
        brief = last if others else None
    if text.startswith(ON_THE_PAGE):
        kind, urgency, protects = SpokenKind.ACTION, "routine", False
    if change.news is ChangeKind.FINDING and (
        change.claim.mark is Mark.IMPORTANT or change.claim.entity.startswith("no ")
    ):
        urgency = "important"  # a grave finding, or that there is none
    if change.news is ChangeKind.CORRECTED and change.first:
        kind = SpokenKind.FINDING
    if (
        change.news is ChangeKind.CONCLUDED
        and change.claim.part is Part.PLAN
        and not views.is_agreed(change.claim)
    ):
        kind = SpokenKind.ACTION  # one speaker's decision goes after emergency measures
    if change.again:
        urgency = "routine"
    found = change.claim.conflict
    on_record = (replace(change.claim, text=f"{found.name} {found.instead}"),) if found and found.name else ()
    return Wording(
        kind=kind,
        text=with_spoken_names(upper_first(text)),
        claims=change.claims + ((change.why,) if change.why else ()) + change.rests_on,
        brief=with_spoken_names(upper_first(brief)) if brief else None,
        topic=None if text.endswith(_ON_THE_PAGE) else topic,
        urgency=urgency,
        protects=protects,
        presses=not change.again
        and (
            (how.presses and (change.news is ChangeKind.WITHDRAWN or _reads_so(change.claim)))
            or (kind is SpokenKind.CAUTION and _restrains(change.claim.text))
        ),
        critical_key=critical.told_as if critical else None,
        agents=(change.agent_id, *((change.other,) if change.other and change.news in _NAMES_OTHER else ())),
        said=on_record,
        hangs=_hangs(change, text),
        vote=change.vote
        if change.news in {ChangeKind.SIDES, ChangeKind.CHANGED, ChangeKind.ALL_AGREE}
        else None,
    )
