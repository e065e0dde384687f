"""Read orders in full prose by their grammar: "An MRI of the spine should be obtained without delay."

English asks for something to be done in few ways: a modal with a passive ("should be started"), an evaluation ("is
indicated", "it would be prudent to"), a verb or a noun of bidding in the first person ("I would recommend", "my
recommendation is"), a modal with a verb of doing ("we should proceed with"), or that verb alone. What is asked for may
be a study or a procedure as well as a drug with its dose, so it has to be known as one, or the verb has to be one of
beginning, giving or doing. What is only weighed, of books, of the past, denied or of somebody else asks for nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from exaim_core.claims.claim_words import AWAITS, claim_of
from exaim_core.claims.claims import Claim, Kind
from exaim_core.claims.consensus import about_the_debate
from exaim_core.lexicon import statements
from exaim_core.lexicon.alone import hangs, led_in
from exaim_core.lexicon.brevity import MOST_WORDS, without_lead_in, without_reasons
from exaim_core.lexicon.drugs import DRUG
from exaim_core.lexicon.kinds import names_measure, states_condition
from exaim_core.lexicon.named import names_to_do
from exaim_core.lexicon.prohibitions import prohibits
from exaim_core.lexicon.prose import THERAPY
from exaim_core.text.assertion import NOT_OURS_NOW, Status, statuses_at, statuses_of
from exaim_core.text.rows import lexicon
from exaim_core.text.sections import Section
from exaim_core.text.units import Sentence
from exaim_core.text.wording import key_words, upper_first, word_count

MOST_CHARS: Final = 500  # of a sentence that is read; the longest of the recorded discussions' orders has 380
LEAST_WORDS: Final = 4
NEAR: Final = 14  # words behind a verb of bidding, among which the thing is
NEXT: Final = 5  # words behind "I favour", which may be of a diagnosis
_FORMS: Final = lexicon("claims/written_orders")
_UNMEANT: Final = NOT_OURS_NOW | {Status.NEGATED, Status.HEDGED}
_ELSEWHERE: Final = frozenset({Section.DISAGREEMENT, Section.WITHDRAWN, Section.DIFFERENTIAL})
_REFUSED: Final = re.compile(
    r"\b(?:rejected|discarded|dismissed|declined|refused|not (?:\w+ )?(?:recommended|chosen|done))\b",
    re.IGNORECASE,
)
"""In a heading, of what is not to be done."""
_PARTS: Final = re.compile(r";\s+|,\s+(?:and|so|but)\s+(?=[^,;]+)|\s[–—]\s", re.IGNORECASE)
_LIMITS: Final = re.compile(
    r"\b(?:if|unless|until|till|once|only|except|provided|when|not|no)\b", re.IGNORECASE
)


def written(agent_id: str, unit: Sentence, before: Sequence[Sentence] = ()) -> list[Claim]:
    """Return `unit` as an order if its grammar asks for a thing, in words that can be spoken; else nothing.

    `before` are the sentences before it in its turn: what one of them asks for already is told once.
    """
    text = unit.text.strip()
    if unit.row or unit.keyed or unit.set_aside or unit.section in _ELSEWHERE:
        return []
    if _REFUSED.search(unit.heading):
        return []
    thing = asked_for(text)
    if thing is None or _is_told(thing, text, before):
        return []
    source, most = unit.source, MOST_WORDS - word_count(agent_id) - 1
    ways = (each for each in _ways(text) if word_count(each) <= most)
    words = next((each for each in ways if asked_for(each) is not None), "")  # "since Monday" is no reason
    if words and hangs(upper_first(_FORMS["expletive"].sub("", words))):
        led = led_in(words, [each.full for each in before], most)
        words, source = (led[1], before[-led[0]].source.to(source)) if led is not None else ("", source)
    if not words:
        return []
    waits = AWAITS.search(words) is not None or Status.CONDITIONAL in statuses_of(words, "")
    return [claim_of(agent_id, Kind.ACTION, unit, text=words, condition="" if waits else None, source=source)]


@lru_cache(maxsize=2048)
def asked_for(text: str) -> str | None:
    """Return the words of `text` that name what it asks for outright, for this patient and now; None for none."""
    if not LEAST_WORDS <= word_count(text) or len(text) > MOST_CHARS or text.endswith(("?", ":")):
        return None
    if _FORMS["general"].search(text) or statements.is_general(text) or statements.is_family(text):
        return None
    return next(_things(_plain(_bare(text))), None)


def _bare(text: str) -> str:
    """Return `text` without what opens it and says nothing of what is to be done."""
    for _ in range(2):
        text = upper_first(_FORMS["lead"].sub("", text).strip())
    return upper_first(without_lead_in(text))


def _plain(text: str) -> str:
    """Return `text` with words in place of those that have another sense as well.

    "Prior to" is no past, "without delay" denies nothing, "I suggest" is no doubt, and a needle's guidance no book's.
    """
    for form, word in _PLAIN:
        text = form.sub(word, text)
    return text


_PLAIN: Final = (
    (re.compile(r"\bprior to\b", re.IGNORECASE), "before"),
    (re.compile(r"\bwithout (?:any |further |undue |unnecessary )*delay\b", re.IGNORECASE), "at once"),
    (re.compile(r"\bwithout (?=(?:waiting|regard|further|additional|more)\b)", re.IGNORECASE), "ahead of "),
    (re.compile(r"\b((?:I|we)(?: \w+){0,3}) (?:suggest|propose)\b"), r"\1 recommend"),
    (re.compile(r"\b(under (?:\w+ )?|\w+[- ])guidance\b", re.IGNORECASE), r"\1vision"),
)


def _things(text: str) -> Iterator[str]:
    for form in ("done", "done_to", "needed", "bids"):
        for found in (each for row in _FORMS.each(form) for each in row.finditer(text)):
            thing = _thing(form, found)
            if thing and _is_meant(text, found):
                yield thing


def _thing(form: str, found: re.Match[str]) -> str:
    """Return what the words found ask for; "" if nothing is to be done."""
    said = found.groupdict()
    verb = (said.get("verb") or said.get("done") or "").split(" ")[0].lower()
    if form != "done" and verb and _FORMS["no_order"].fullmatch(verb):
        return ""
    if form == "bids":
        near = " ".join((said.get("rest") or said.get("state") or "").split()[:NEAR])
        if _FORMS["weighed"].search(near) or _LEAVES.match(near):
            return ""
        if _FORMS["prefers"].match(found.group()) and states_condition(" ".join(near.split()[:NEXT])):
            return ""
        does = _FORMS["does"].match(f"{verb} {near}") or _FORMS["does"].match(near)
        return near if is_thing(near) or names_measure(verb) or does else ""
    thing = said["thing"]
    if _FORMS["weighed"].search(thing) or _WAITING.search(thing) or about_the_debate(thing):
        return ""
    if _FORMS["patient_alone"].fullmatch(thing):
        return f"{thing} {verb}" if form != "needed" else ""
    if form == "done":
        return thing
    return thing if is_thing(thing) else ""


_WAITING: Final = re.compile(r"\b(?:if|unless|whether|when|until|once|in case)\b", re.IGNORECASE)
"""Found in the words before a verb: what they name is not asked for now."""
_LEAVES: Final = re.compile(
    r"\W*(?:that )?(?:we |the team )?(?:considering|discussing|waiting|not|no|in mind|avoid\w*)\b",
    re.IGNORECASE,
)


def is_thing(words: str) -> bool:
    """Return whether `words` name a study, a procedure, a drug or another treatment."""
    return names_to_do(words) or bool(DRUG.search(words) or THERAPY.search(words))


def _is_meant(text: str, found: re.Match[str]) -> bool:
    """Return whether what is found is asked for, and not denied, doubted, past or of somebody else."""
    late = found.groupdict().get("late")
    start, end = found.span()
    meant = statuses_at(text, start, min(end, start + 60)) if not late else frozenset[Status]()
    if meant & _UNMEANT:
        return False
    if _SUPPOSES.search(text) is not None or _is_anothers_view(text, found):
        return False
    return not prohibits(found.group())


_SUPPOSES: Final = re.compile(
    r"\b(?:if|unless|had|were)\b.*\b(?:would|could)\b|\b(?:would|could)\b.*\b(?:if|unless|had|were)\b",
    re.IGNORECASE,
)


_THAT: Final = re.compile(r"(?:that|think|believe|feel)\b", re.IGNORECASE)
_OWN: Final = re.compile(
    r"\b(?:I|we|my|our|me|us|clear|clearly|evident|essential|imperative|so|means?|impl(?:y|ies)|agreed?)\b",
    re.IGNORECASE,
)
_NOT_HELD: Final = re.compile(
    r"\b(?:was|were|been|had|did|told|read|heard|thought|felt|believed|argued|said|wrote|taught|trained|spoke|who"
    r"|some|others|doubt\w*|disagree|dispute|contest|challenge|reject|oppose|question|cannot"
    r"|reluctant|hesita\w+|first|once|initial\w*|nobody|none|little|few)\b|n['’]t\b",
    re.IGNORECASE,
)


def _is_anothers_view(text: str, found: re.Match[str]) -> bool:
    """Return whether what is found hangs on a "that" whose speaker is another, or holds it no more.

    "Some would argue that she should be operated on" asks for nothing; "I believe that she should be" does.
    """
    if _THAT.match(found.group()) is None:
        return False
    head = re.split(r"[;:]", text[: found.start()])[-1] + " " + found.group().split(" ")[0]
    return _OWN.search(head) is None or _NOT_HELD.search(head) is not None


def _is_told(thing: str, text: str, before: Sequence[Sentence]) -> bool:
    """Return whether a sentence before it in the turn asks for the same thing, and `text` gives no number more."""
    words = set(key_words(thing))
    numbers = set(re.findall(r"\d[\d.,]*", text))
    for each in before:
        if asked_for(each.text) is None or not numbers <= set(re.findall(r"\d[\d.,]*", each.text)):
            continue
        if words and words <= set(key_words(each.text)):
            return True
    return False


def _ways(text: str) -> Iterator[str]:
    """Yield `text` whole, then without what may be left out, then its clause that asks."""
    whole = text.rstrip(" .!")
    bare = _bare(whole)
    main = _main_clause(bare)
    for each in (whole, bare, main):
        yield from without_reasons(each)
    for each in (main, whole):
        parts = _PARTS.split(each)
        for at, part in enumerate(parts):
            others = [*parts[:at], *parts[at + 1 :]]
            if others and asked_for(part) and not any(map(_LIMITS.search, others)):
                yield from without_reasons(upper_first(part))


def _main_clause(text: str) -> str:
    """Return the clause of `text` that asks, without the reason before it; `text` if no reason is before it."""
    for form in ("bids", "done", "done_to", "needed"):
        for row in _FORMS.each(form):
            found = row.search(text)
            if found is None:
                continue
            begins = found.start("thing") if form != "bids" else found.start()
            before = text[:begins]
            if (
                _FORMS["reason"].fullmatch(before)
                and not _LIMITING.search(before)
                and asked_for(text[begins:])
            ):
                return upper_first(text[begins:])
    return text


_LIMITING: Final = re.compile(
    r"\b(?:if|unless|until|till|once|only|except|provided|when|after|before)\b", re.IGNORECASE
)
