"""What is said about a change of the board: a closed set of sentences with verbatim spans in the slots.

Each template gives its wordings from the fullest to the barest. The first that has few enough
words is taken; if even the barest is too long, nothing is said: words are never cut.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from exaim_core.brevity import finding_words, keeps, proposal, without_lead_in, without_reasons
from exaim_core.changes import Change, News, Vote
from exaim_core.claims import IMPORTANT, Claim, Stance
from exaim_core.drugs import DRUG
from exaim_core.names import Names, number_word, with_spoken_names
from exaim_core.phrases import points_back
from exaim_core.schema import SpokenKind, Urgency
from exaim_core.wording import lower_first, mid_sentence, series, term, upper_first, word_count

USUAL_WORDS: Final = 15  # DESIGN: a normal update is 6 s on average, at 2.6 words a second
MOST_WORDS: Final = 26  # 10 s at most
FINDING_WORDS: Final = 20  # a measured value is worth 8 s
CLOSING_WORDS: Final = 31  # 12 s
BRIEF_WORDS: Final = 9  # 3.5 s


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
    critical_key: str | None = None
    agents: tuple[str, ...] = ()
    vote: Vote | None = None
    said: tuple[Claim, ...] = field(default=())


_PAST: Final = re.compile(r"\b(?:last (?:year|month|week)|previously|in (?:19|20)\d\d)\b", re.IGNORECASE)
_VERB: Final = re.compile(r"\b(?:is|are|was|were|shows?|has|have|remains?|came|rose|fell)\b", re.IGNORECASE)
_ORDER: Final = re.compile(r"(?:hold|stop|repeat|start|give|continue|avoid|withhold)\b")
_BOUND: Final = re.compile(
    r"\b(?:no (?:higher|lower|more|less|faster|longer)|at most|at least|"
    r"not (?:above|below|more|exceed)|maximum|up to|until|not to exceed)\b",
    re.IGNORECASE,
)
_IMPERATIVE: Final = re.compile(
    rf"{_ORDER.pattern}|(?:straight|directly|transfer|admit|move|take|send|call|keep|measure|check|monitor|crossmatch|"
    r"prepare|draw|place|insert|proceed|refer|discuss|ask|tell|alert|order|obtain)\b",
    re.IGNORECASE,
)
_PARTICIPLE: Final = re.compile(r"(?:\w+ed|given|taken)\b", re.IGNORECASE)
_GOES_ON: Final = re.compile(
    r"(?:at|with|by|in|over|every|after|before|for|on|to)\b(?! (?:be|look|separate|rule|confirm)\b)",
    re.IGNORECASE,
)


def first_fit(texts: Iterator[str], limit: int = USUAL_WORDS) -> str | None:
    """Return the first text of at most `limit` words."""
    return next((text for text in texts if word_count(text) <= limit), None)


def tally(vote: Vote) -> str:
    """Return how the vote stands as words: "All three agree.", "Two to one."; "" if it says nothing yet."""
    if vote.unanimous:
        count = len(vote.voters)
        return "Both agree." if count == 2 else f"All {number_word(count)} agree."
    others = len(vote.voters) - len(vote.holders)
    if len(vote.voters) >= 3 and len(vote.holders) > others > 0 and not vote.silent:
        return f"{number_word(len(vote.holders)).capitalize()} to {number_word(others)}."
    return ""


def reasons_text(reasons: Sequence[str], room: int) -> Iterator[str]:
    """Give the reasons as a series, with fewer and fewer of them, each within `room` words."""
    for count in range(len(reasons), 0, -1):
        text = ", ".join(mid_sentence(reason) for reason in reasons[:count])
        if word_count(text) <= room:
            yield text


def _leads(change: Change, names: Names) -> Iterator[str]:
    claim, who = change.claim, names(change.agent_id)
    verb = "thinks of" if claim.tentative else "leads with"
    opening = f"{who} {verb} {claim.entity}"
    for reasons in reasons_text(claim.reasons, USUAL_WORDS - word_count(opening)):
        yield f"{opening}: {reasons}."
    yield f"{opening}."


def _differs(change: Change, names: Names) -> Iterator[str]:
    claim = change.claim
    opening = f"{names(change.agent_id)} differs: {claim.entity}"
    for reasons in reasons_text(claim.reasons, USUAL_WORDS - 1 - word_count(opening)):
        yield f"{opening}, on {reasons}."
    yield f"{opening}."


def _sides(change: Change, names: Names) -> Iterator[str]:
    opening = f"{names(change.agent_id)} sides with {names(change.other)}"
    count = tally(change.vote)
    yield f"{opening} on {change.claim.entity}. {count}".strip()
    yield f"{opening}. {count}".strip()


def _narrows(change: Change, names: Names) -> Iterator[str]:
    opening = f"{names(change.agent_id)} narrows it to {change.claim.entity}"
    for reasons in reasons_text(change.claim.reasons, USUAL_WORDS - word_count(opening)):
        yield f"{opening}: {reasons}."
    yield f"{opening}."


def _changed(change: Change, names: Names) -> Iterator[str]:
    who, count = names(change.agent_id), tally(change.vote)
    entity, why = change.claim.entity, _why(change)
    if why:
        yield f"{who} has changed to {entity}: {why}. {count}".strip()
        yield f"{who} has changed to {entity}: {why}."
    yield f"{who} has changed from {term(change.former)} to {entity}. {count}".strip()
    yield f"{who} has changed to {entity}. {count}".strip()


def _why(change: Change) -> str:
    if change.why is None:
        return ", ".join(mid_sentence(reason) for reason in change.claim.reasons[:1])
    item, _, rest = change.why.text.rpartition(": ")
    text = rest
    if points_back(text):  # "its" is the list item's
        if not item or word_count(item) > 4 or not re.search(r"\bits\b", text):
            return ""
        text = re.sub(r"\bits\b", f"the {mid_sentence(item)}'s", text, count=1)
    return lower_first(re.split(r",\s+(?:and|so|which)\b", text)[0].rstrip("."))


def _all_agree(change: Change, names: Names) -> Iterator[str]:
    count = number_word(len(change.vote.voters))
    yield f"All {count} lead with {change.vote.entity}."


def _rules(change: Change, names: Names) -> Iterator[str]:
    verb = "opens with" if change.first else "rules for"
    yield f"{names(change.agent_id)} {verb} {change.claim.entity}."


def _list(change: Change, names: Names, opening: str) -> Iterator[str]:
    """Name as many of a list as there is room for, at most three, in the agent's order."""
    parts = [part for claim in change.claims if (part := _listed(claim))]
    for count in range(min(3, len(parts)), 0, -1):
        yield f"{opening} {series(parts[:count])}."


def _listed(claim: Claim) -> str:
    """Return a list item with its condition; "" if the condition is too long to be said."""
    if claim.condition is None:
        return claim.entity
    return f"{claim.entity} {mid_sentence(claim.condition)}" if claim.condition else ""


def _others(change: Change, names: Names) -> Iterator[str]:
    who = names(change.agent_id)
    yield from _list(
        change, names, f"{who} also considers" if change.first else f"{who} adds to the differential:"
    )
    if not change.first:
        yield from _list(change, names, f"{who} adds")


def _tests(change: Change, names: Names) -> Iterator[str]:
    who = names(change.agent_id)
    yield from _list(change, names, f"{who} asks for" if change.first else f"{who} also wants")
    if not any(_listed(claim) for claim in change.claims):
        yield f"A conditional recommendation from {_inner(who)} is on the page."


def _inner(name: str) -> str:
    return name[:1].lower() + name[1:] if name.startswith("The ") else name


def _action(change: Change, names: Names) -> Iterator[str]:
    claim, who = change.claim, names(change.agent_id)
    if claim.condition is not None:
        yield from _conditional(claim, who)
    elif len(change.claims) > 1:
        yield f"{who} recommends {series([part.entity for part in change.claims])}."
    elif change.other:
        name = claim.entity or lower_first(claim.text.rstrip("."))
        yield f"{who} recommends {name}, against {_inner(names(change.other))}'s caution."
        yield f"{who}: {name}, against {_inner(names(change.other))}'s caution."
    elif claim.entity:
        more = (
            claim.text[len(claim.raw) :].strip(" :").rstrip(".") if claim.text.startswith(claim.raw) else ""
        )
        verb = ":" if _IMPERATIVE.match(claim.entity) else " recommends"
        if _GOES_ON.match(more):
            yield f"{who}{verb} {claim.entity} {more}."
        if _BOUND.search(more):
            yield f"{who}{verb} {claim.entity}{',' if _PARTICIPLE.match(more) else ';'} {lower_first(more)}."
            return  # a dose is not told without its limit
        yield f"{who}{verb} {claim.entity}."
        yield f"{who}: {claim.entity}."
    else:
        for text in without_reasons(claim.text.rstrip(".")):
            yield proposal(text, who)


def _conditional(claim: Claim, who: str) -> Iterator[str]:
    """Say a recommendation with its condition, or that there is one on the page; never without."""
    if claim.entity and claim.condition:
        yield f"{who} recommends {claim.entity}, {mid_sentence(claim.condition)}."
    for text in without_reasons(claim.text.rstrip(".")):
        whole = f"{who}: {lower_first(text)}."
        if word_count(whole) <= MOST_WORDS - 2:
            yield whole
    drug = DRUG.search(claim.raw or claim.text.split(", ", 1)[-1])
    if drug:
        yield f"A conditional recommendation from {_inner(who)} on {drug.group().lower()} is on the page."
    yield f"A conditional recommendation from {_inner(who)} is on the page."


_SPEAKER_STOPS: Final = re.compile(
    r"[;,] (?:and |so )?(?:I|we) would (?:stop|hold|avoid|withhold|omit) (?:it|them)(?=\.?\Z)", re.IGNORECASE
)


def _caution(change: Change, names: Names) -> Iterator[str]:
    claim = change.claim
    who = names(change.agent_id)
    if claim.condition is not None:
        yield from _conditional(claim, who)
        return
    if claim.raw and _ORDER.match(claim.raw.lower()):
        yield f"Caution, {_inner(who)}: {mid_sentence(claim.raw)}."
    said = _SPEAKER_STOPS.sub("", without_lead_in(claim.text))
    text = re.sub(r"^([^:]{3,60}): (?=(?:stop|avoid|hold|withhold|omit)\b)", r"\1, ", said)
    whole = text.rstrip(".")
    yield f"Caution, {_inner(who)}: {lower_first(whole)}."
    yield f"Caution: {lower_first(whole)}."
    for bare in without_reasons(whole):
        yield f"Caution, {_inner(who)}: {lower_first(bare)}."


def _finding(change: Change, names: Names) -> Iterator[str]:
    text = re.sub(r"^([A-Z][^:]{2,40}): it is\b", r"\1 is", finding_words(change.claim.text))
    who = names(change.agent_id)
    if change.claim.raw and _PAST.search(text) and text.startswith(f"{change.claim.raw}: "):
        text = change.claim.raw  # what it was once stays on the page
    if not text or _PAST.search(text):
        return
    yield f"{who}: {lower_first(text)}."
    if (
        change.claim.entity.startswith("no ")
        and (head := re.match(r"[^:;,]+", text))
        and change.claim.entity[3:] in head.group().lower()
    ):
        yield f"{who}: {lower_first(head.group())}."
    first, *rest = re.split(r",\s+(?!and\b)", text)
    if rest and _VERB.search(first) and re.search(r"\d", first) and ":" not in first:
        yield f"{who}: {lower_first(first)}."
    for bare in without_reasons(text):
        yield f"{who}: {lower_first(bare)}."


def _open(change: Change, names: Names) -> Iterator[str]:
    yield f"{names(change.agent_id)} leaves open: {change.claim.entity}."


def _first(change: Change, names: Names) -> Iterator[str]:
    yield f"First, says {_inner(names(change.agent_id))}: {lower_first(change.claim.entity)}."


def _critical(change: Change, names: Names) -> Iterator[str]:
    found = change.claim.critical
    if found is None:
        return
    what = f"{found.name} {found.value}".strip()
    yield f"Critical, from {_inner(names(change.agent_id))}: {what}. I repeat: {what}."


def _revoked(change: Change, names: Names) -> Iterator[str]:
    claim, who = change.claim, names(change.agent_id)
    if claim.stance is Stance.WITHDRAWS:
        yield f"{who} withdraws {series([mid_sentence(part) for part in claim.revokes])}."
        return
    said = claim.text.rstrip(".")
    if re.match(r"(?:I|we)\b", said, re.IGNORECASE):
        said = said.rpartition(": ")[2]  # what the speaker says of itself stands before it
    if re.search(r"\b(?:I|we)\b", said):
        yield f"{who} is against {series([mid_sentence(part) for part in claim.revokes])}."
        return
    for text in without_reasons(said):
        yield f"{who}: {lower_first(text)}."


def _confirmed(change: Change, names: Names) -> Iterator[str]:
    claim, who = change.claim, names(change.agent_id)
    if claim.raw:
        yield f"{who}, {lower_first(mid_sentence(claim.raw))}: {claim.entity} is confirmed."
    else:
        yield f"{who}: {lower_first(claim.text.rstrip('.'))}."
    yield f"{who}: {claim.entity} is confirmed."


def _settled(change: Change, names: Names) -> Iterator[str]:
    yield f"{names(change.agent_id)} says it is settled: {change.claim.entity}."


def _conflict(change: Change, names: Names) -> Iterator[str]:
    found = change.claim.conflict
    if found is not None:
        who = names(change.agent_id)
        yield f"Check: {who} says {found.name} {found.said}; the case file says {found.instead}."


_BARE_SUBJECT: Final = re.compile(r"(?:it|this|that|the (?:value|number|figure|result))\b", re.IGNORECASE)


def _corrected(change: Change, names: Names) -> Iterator[str]:
    who, found = names(change.agent_id), change.claim.conflict
    text = finding_words(change.claim.text)
    clause = re.split(r"[:;] ", text)[-1]
    if found and found.said in clause and found.instead in clause and not _BARE_SUBJECT.match(clause):
        text = clause  # what stands before it is about the speaker
    text = lower_first(text)
    if text and not _BARE_SUBJECT.match(text):
        yield f"{who}: {text}." if change.first else f"Correction, {_inner(who)}: {text}."


Maker = Callable[[Change, Names], Iterator[str]]
_MAKERS: Final[dict[News, tuple[SpokenKind, Maker, Urgency, bool]]] = {
    News.LEADS: (SpokenKind.LEADING, _leads, "routine", False),
    News.DIFFERS: (SpokenKind.DISAGREEMENT, _differs, "important", True),
    News.SIDES: (SpokenKind.DISAGREEMENT, _sides, "routine", True),
    News.NARROWS: (SpokenKind.CHANGE, _narrows, "routine", False),
    News.CHANGED: (SpokenKind.CHANGE, _changed, "important", False),
    News.ALL_AGREE: (SpokenKind.AGREEMENT, _all_agree, "routine", False),
    News.RULES: (SpokenKind.LEADING, _rules, "routine", False),
    News.OTHERS: (SpokenKind.FINDING, _others, "routine", False),
    News.DOUBTS: (SpokenKind.FINDING, _others, "routine", False),
    News.TESTS: (SpokenKind.TEST, _tests, "routine", False),
    News.ACTION: (SpokenKind.ACTION, _action, "routine", False),
    News.CAUTION: (SpokenKind.CAUTION, _caution, "important", True),
    News.FINDING: (SpokenKind.FINDING, _finding, "routine", False),
    News.OPEN: (SpokenKind.DISAGREEMENT, _open, "routine", True),
    News.FIRST: (SpokenKind.ACTION, _first, "important", False),
    News.CRITICAL: (SpokenKind.CRITICAL, _critical, "critical", True),
    News.REVOKED: (SpokenKind.CHANGE, _revoked, "important", True),
    News.CONFIRMED: (SpokenKind.FINDING, _confirmed, "important", False),
    News.SETTLED: (SpokenKind.AGREEMENT, _settled, "important", False),
    News.CONFLICT: (SpokenKind.CAUTION, _conflict, "important", True),
    News.CORRECTED: (SpokenKind.CORRECTION, _corrected, "important", True),
}
_NAMES_OTHER: Final = frozenset({News.SIDES, News.ACTION})
_LISTS: Final = frozenset({News.OTHERS, News.DOUBTS, News.TESTS})
_KEEP_ALL: Final = frozenset({SpokenKind.ACTION, SpokenKind.CAUTION, SpokenKind.FINDING})
_ROOM: Final = {News.CHANGED: 22}  # why a mind was changed is worth the words
_MAY_BE_LONGER: Final = frozenset(
    {
        News.CAUTION,
        News.CRITICAL,
        News.CHANGED,
        News.FIRST,
        News.REVOKED,
        News.CONFIRMED,
        News.SETTLED,
        News.CONFLICT,
        News.CORRECTED,
    }
)


def merged(changes: Sequence[Change]) -> list[Change]:
    """Join an agent's neighbouring recommendations in twos where one sentence holds both."""
    joined: list[Change] = []
    for change in changes:
        before = joined[-1] if joined else None
        if before is not None and _can_join(before, change):
            joined[-1] = replace(before, claims=(*before.claims, *change.claims))
        else:
            joined.append(change)
    return joined


def _can_join(one: Change, other: Change) -> bool:
    if one.news is not News.ACTION or other.news is not News.ACTION or one.agent_id != other.agent_id:
        return False
    if one.other or other.other:
        return False
    claims = (*one.claims, *other.claims)
    if len(claims) > 2 or any(
        c.condition is not None or not c.entity or _IMPERATIVE.match(c.entity) for c in claims
    ):
        return False
    return sum(word_count(claim.entity) for claim in claims) <= USUAL_WORDS - 4


def _on_the_page(change: Change, names: Names) -> str | None:
    """Return a pointer to a caution too long to be said whole, if it names a drug or an allergy."""
    drug = DRUG.search(change.claim.text)
    who = _inner(names(change.agent_id))
    if drug is None:
        allergy = re.search(r"\ballerg|\banaphyla", change.claim.text, re.IGNORECASE)
        return f"A caution from {who} is on the page." if allergy else None
    return f"A caution from {who} on {drug.group().lower()} is on the page."


def _is_bounded(change: Change) -> bool:
    """Tell whether an order has a limit, or another agent's caution, that it may not be told without."""
    return bool(change.other) or _BOUND.search(change.claim.text) is not None


def _is_prose_order(change: Change) -> bool:
    return change.news is News.ACTION and not change.claim.entity


def _brief(kind: SpokenKind, text: str, barest: str | None, *, lists: bool) -> str | None:
    """Return a shorter form of `text`: its template's barest wording, else `text` without its reasons.

    An order, a caution and a finding keep their numbers, conditions, negations and sides.
    """
    if kind not in _KEEP_ALL or lists:
        return barest if barest != text else None
    *_, bare = without_reasons(text.rstrip("."))
    bare = re.sub(r"^Caution, [^:]{1,24}: ", "Caution: ", bare)
    short = [form for form in (barest or "", f"{bare}.") if word_count(form) <= word_count(text) - 2]
    return min((form for form in short if form and keeps(text, form)), key=word_count, default=None)


def wording(change: Change, names: Names, topic: str | None) -> Wording | None:
    """Return what is said about `change`; None if nothing fits."""
    kind, make, urgency, protects = _MAKERS[change.news]
    held_back = change.claim.condition is not None and change.news is not News.TESTS
    room = MOST_WORDS if held_back else _ROOM.get(change.news, USUAL_WORDS)
    text = first_fit(make(change, names), room)
    if text is None and change.news is News.FINDING:
        longest = MOST_WORDS if change.claim.entity == IMPORTANT else FINDING_WORDS
        text = first_fit(make(change, names), longest)
    if text is None and (
        change.news in _MAY_BE_LONGER
        or _is_prose_order(change)
        or (change.news is News.ACTION and _is_bounded(change))
    ):
        text = first_fit(make(change, names), MOST_WORDS)
    if text is None and change.news in {News.CAUTION, News.REVOKED}:
        text = _on_the_page(change, names)
    if text is None:
        return None
    critical = change.claim.critical
    brief = _brief(kind, text, first_fit(make(change, names), BRIEF_WORDS), lists=change.news in _LISTS)
    if change.news is News.FINDING and change.claim.entity == IMPORTANT:
        urgency = "important"
    if change.news is News.CORRECTED and change.first:
        kind = SpokenKind.FINDING
    found = change.claim.conflict
    on_record = (replace(change.claim, text=f"{found.name} {found.instead}"),) if found and found.name else ()
    return Wording(
        kind=kind,
        text=with_spoken_names(upper_first(text)),
        claims=change.claims + ((change.why,) if change.why else ()) + change.rests_on,
        brief=with_spoken_names(upper_first(brief)) if brief else None,
        topic=topic,
        urgency=urgency,
        protects=protects,
        critical_key=critical.key if critical else None,
        agents=(change.agent_id, *((change.other,) if change.other and change.news in _NAMES_OTHER else ())),
        said=on_record,
        vote=change.vote if change.news in {News.SIDES, News.CHANGED, News.ALL_AGREE} else None,
    )
