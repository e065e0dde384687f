"""Read what careful prose reports and holds: "The MRI demonstrates …", "These findings are most consistent with …".

Agents that write full sentences report what a test shows, or say what the findings mean, in the closed classes of
English that serve for it: reporting verbs, a copula with an adjective of value, "there is", a passive of seeing; and
"consistent with", "points to", "argues against", "has been excluded", "I suspect". Each is told as a finding in its
speaker's words, with its hedge, its denial, its numbers and its side. Only a diagnosis that its speaker says outright
to believe is that speaker's view. Nothing else is concluded.

Not read: what is asked, supposed, of books, of the past or of somebody else, and what bids something.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from exaim_core.claims.called_out import reads_tests
from exaim_core.claims.claim_words import claim_of, labelled_view, plain_view
from exaim_core.claims.claims import Claim, Kind, Worth
from exaim_core.claims.consensus import about_the_debate
from exaim_core.claims.limits import analytes_named
from exaim_core.claims.meant import NO_VIEWS, sense_of
from exaim_core.claims.put_right import values_put_right
from exaim_core.claims.quotes import is_talk
from exaim_core.lexicon.alone import hangs
from exaim_core.lexicon.brevity import MOST_WORDS, keeps, without_reasons
from exaim_core.lexicon.drugs import drugs_named
from exaim_core.lexicon.kinds import (
    may_be_named,
    names_condition,
    names_measure,
    names_test,
    states_condition,
)
from exaim_core.lexicon.phrases import is_definition, is_noise, is_request
from exaim_core.text.assertion import NOT_OURS_NOW, Status, statuses_of
from exaim_core.text.clauses import segments, told_apart
from exaim_core.text.quantities import quantities
from exaim_core.text.rows import lexicon
from exaim_core.text.sections import Section
from exaim_core.text.units import Sentence
from exaim_core.text.wording import eponyms, key_words, mid_sentence, upper_first, word_count

NEAR: Final = 2  # sentences before it that may name the test
LEAST_WORDS: Final = 4
MOST_CHARS: Final = 420
_FORMS: Final = lexicon("claims/written_out")
_RESULTS: Final = (
    "reports",
    "moved",
    "valued",
    "there_is",
    "on_looking",
    "lies",
    "takes",
    "means",
    "evaluates",
)
_VIEWS: Final = (
    *("believes", "deals_with", "is_it", "likeliest_is", "is_likeliest", "likelier", "explains"),
    *("evaluates", "denies", "means", "excluded"),
)
_MAY_REPORT: Final = frozenset({Section.OTHER, Section.LEADING})
_UNSAID: Final = NOT_OURS_NOW | {Status.CONDITIONAL}
_NOT_APART: Final = re.compile(
    r"\b(?:compared|comparison|relative|unchanged|since|from|than)(?: (?:with|to|from))? (?:the |her |his |a )?"
    r"(?:prior|previous|earlier|former|last)\b|\bpreviously (?=un|healthy|well\b|fit\b)"
    r"|\bwould (?=argue)|\b(?:conduction|iron|coagulation|clotting|imaging|sleep|flow|perfusion|contrast) studies\b"
    r"|\b(?:that|which|who|when) (?:was|were|had|has)\b[^,.;]*? (?:weeks?|months?|years?) ago\b",
    re.IGNORECASE,
)
"""Another time that is only compared with, what was so till now, and tests that are called studies."""
_NORMAL: Final = re.compile(
    r"\W*(?:an? |the )?(?:normal|usual|reference|therapeutic|target)\b[\w ]{3,40}?"
    r" (?:lies?|is|are|ranges?|runs?|should be) (?:between|from|within|below|above|under|over|about|\d)",
    re.IGNORECASE,
)
"""What is so for anybody: "Normal potassium lies between 3.5 and 5.0"."""
_DEFINITE: Final = re.compile(
    r"\W*(?:the|this|these|that|those|her|his|their|such|all|both)\b", re.IGNORECASE
)


def written_out(
    agent_id: str, unit: Sentence, before: Sequence[Sentence], may_lead: Callable[[str], bool]
) -> Claim | None:
    """Return what `unit` reports or holds in full prose, a view or a finding to be told; None for neither.

    `before` are the sentences before it in its turn: a view on a condition that one of them has given is not told
    again. `may_lead` returns whether a diagnosis may be the speaker's leading view; any other one is told in its words.
    """
    text = unit.full
    if unit.row or unit.keyed or unit.listed or unit.section not in _MAY_REPORT:
        return None
    if unit.heading and sense_of(unit.heading) in NO_VIEWS:
        return None
    if not LEAST_WORDS <= word_count(text) or len(text) > MOST_CHARS or text.rstrip().endswith("?"):
        return None
    if values_put_right(text) or _NORMAL.match(text):
        return None  # a correction is told whole
    view = _outright(text)
    if view and may_lead(view):
        return claim_of(agent_id, Kind.LEADING, unit, entity=mid_sentence(view), label=view)
    pictured = reads_tests(agent_id)
    looked = pictured or any(_names_a_look(each.full) for each in before[-NEAR:])
    said = _said(
        text,
        looked=looked,
        pictured=pictured,
        room=MOST_WORDS - max(2, word_count(agent_id.replace("_", " "))),
    )
    if said is None:
        return None
    words, worth = said
    if worth is Worth.VIEW and _is_said_before(words, before):
        return None
    return claim_of(agent_id, Kind.FINDING, unit, text=words, worth=worth)


@lru_cache(maxsize=2048)
def _said(
    text: str, *, looked: bool = False, pictured: bool = False, room: int = MOST_WORDS
) -> tuple[str, Worth] | None:
    """Return the words of `text` that report or hold something, in at most `room` words, and their worth.

    `looked`: its speaker reports tests (`pictured`), or a sentence just before it names one.
    """
    if is_definition(text):
        return None
    for part in _parts(text):
        if _FORMS["judges"].match(part) and _is_of_now(part) and word_count(part) <= room:
            return part.rstrip(" .!"), Worth.VIEW
        bare = _without_courtesy(part)
        worth = _worth(bare, looked=looked, pictured=pictured)
        if worth is None or is_request(bare):
            continue
        if worth is Worth.RESULT and (is_noise(text) or is_talk(bare)):
            continue
        for words in _shortened(bare, looked=looked, pictured=pictured):
            if word_count(words) <= room and hangs(words) is None:
                return words, worth
    return None


def _parts(text: str) -> Iterator[str]:
    """Yield `text`, the clause that it concludes or reports with, and whole clauses that a mark or "and" divides."""
    yield text
    led = None if statuses_of(text, "") & {Status.CONDITIONAL} else _CONCLUDES.search(text)
    if led is not None:
        yield upper_first(text[led.end() :])
    spans = [(first, last) for start, end in segments(text) for first, last in told_apart(text, start, end)]
    if len(spans) < 2 or statuses_of(text, "") & {Status.CONDITIONAL}:
        return
    for at, (first, last) in enumerate(spans):
        led = re.search(r"[^;:]*[:–—]\s*\Z", text[:first])
        if led is not None and statuses_of(led.group(), "") & _UNSAID:
            continue
        ends = at + 1 == len(spans) or _DIVIDED.match(text, last)
        if ends and _HANGS.match(text, first) is None and (_DIVIDES.search(text[:first]) or first == 0):
            yield upper_first(text[first:last].strip(" ,;"))


_CONCLUDES: Final = re.compile(
    r"(?:[,;] so(?: that)?|\bwhich means that|\bnamely,? that|\bleads? (?:me|us) to (?:conclude|believe|suspect) that"
    r"|\b(?:I|we) (?:am|are) (?:\w+ )?(?:content|satisfied|confident|persuaded|convinced|clear|certain|sure) that"
    r"|\b(?:I|we) (?:can|am able to|are able to) (?:\w+ )?(?:report|confirm|say|state) that"
    r"|\b(?:disclosed|told (?:me|us)|informed (?:me|us)|mentioned|volunteered) that)\s+(?!as\b|much\b)",
    re.IGNORECASE,
)
"""Stands before the clause for which a long sentence was said."""
_DIVIDES: Final = re.compile(r"(?:[;:]|, and|\s[–—])\s*\Z")
_HANGS: Final = re.compile(
    r"\W*(?:since|because|as|although|though|if|when|while|whereas|so|which)\b", re.IGNORECASE
)
_DIVIDED: Final = re.compile(
    r"\s*(?:[;:–—]|,? and\b|,? (?:particularly |especially )?(?:as|because|since|given)\b)"
)


def _shortened(text: str, *, looked: bool, pictured: bool) -> Iterator[str]:
    """Yield `text` with a plain article for what points to the case, then without its circumstance or its reason."""
    whole = text.rstrip(" .!")
    for each in _led(whole):
        gone = whole[: len(whole) - len(each)].partition(" ")[2]  # behind the word that opens it
        if each != whole and (not keeps(gone, "") or _worth(each, looked=looked, pictured=pictured) is None):
            continue
        pointed = _FORMS["points"].match(each)
        plain = f"The {each[pointed.end() :]}" if pointed else _IT_IS.sub("", each)
        for bare in without_reasons(plain):
            if bare == plain or (
                keeps(plain, bare) and _worth(bare, looked=looked, pictured=pictured) is not None
            ):
                yield bare


_PUT_IN: Final = re.compile(
    r"(\b(?:is|are|was|were)),? (?:in|to) (?:my|our) (?:\w+ )?(?:view|opinion|judge?ment|mind|estimation),?(?= )",
    re.IGNORECASE,
)
_IT_IS: Final = re.compile(r"\A(?:this|it) is (?=.*\buntil pro(?:ven|ved) otherwise\b)", re.IGNORECASE)


def _without_courtesy(text: str) -> str:
    """Return `text` without the openings that say nothing of the patient."""
    while (found := _FORMS["courtesy"].match(text)) is not None and found.end() < len(text):
        text = upper_first(text[found.end() :])
    return _PUT_IN.sub(r"\1", text)


def _led(text: str) -> tuple[str, ...]:
    """Return `text`, and without its circumstance: what stands behind each comma at which that may end."""
    found = _FORMS["circumstance"].match(text)
    if found is None:
        persuaded = _FORMS["persuades"].match(text)
        return (text, upper_first(text[persuaded.end() :])) if persuaded is not None else (text,)
    ends = (each.end() for each in _SUBJECT_BEHIND.finditer(text, found.end()))
    return (text, *(_without_courtesy(upper_first(text[end:])) for end in ends))


_SUBJECT_BEHIND: Final = re.compile(r"(?<!\d), (?:and )?(?!(?:and|or|but|which|who|with|nor)\b)(?=\w)")


@lru_cache(maxsize=4096)
def _worth(text: str, *, looked: bool = False, pictured: bool = False) -> Worth | None:
    """Return whether `text` holds a view or reports a result of this patient now; None for neither."""
    concludes = any(_FORMS["likeliest_is"].match(each) for each in _led(text))
    if not concludes and about_the_debate(text, but_persons=True):
        return None
    if not _is_of_now(text):
        return None
    if any(_is_view(form, each) for form in _VIEWS for each in _led(text)):
        return Worth.VIEW
    if any(_is_result(form, text, looked=looked, pictured=pictured) for form in _RESULTS):
        return Worth.RESULT
    return None


def _is_of_now(text: str) -> bool:
    """Return whether all of `text` is said of this patient now, and bids nothing."""
    if _FORMS["bids"].search(text) or _FORMS["of_then"].search(text):
        return False
    return not statuses_of(_NOT_APART.sub(" ", text), "") & _UNSAID


def _is_view(form: str, text: str) -> bool:
    """Return whether `text` says, in the words of `form`, that it is some disease or is none."""
    found = _FORMS[form].match(text)
    if found is None or _is_no_news(found):
        return False
    groups = found.groupdict(default="")
    said = groups["what"] or groups.get("also", "")
    if form in {"means", "denies"} and _DETERMINED.match(groups["subject"]) is None:
        return False  # "negative stains do not exclude it" is said of all
    if form == "is_it":
        return _PROVEN.search(said) is not None or plain_view(f"I think this is {said}") is not None
    return _names_illness(said) or (form in _OPEN and _may_be_illness(said, groups["subject"]))


_CRITERION: Final = re.compile(
    r"\W*(?:an?|any)\b.*(?:\b(?:below|above|greater|less|more|over|under|exceeding|at least)\b|[<>≤≥])",
    re.IGNORECASE,
)
"""Words for whatever is beyond a limit, and not for this patient's value."""
_DETERMINED: Final = re.compile(rf"{_DEFINITE.pattern}|\W*(?:an?|my|our|its|no)\b", re.IGNORECASE)
_NO_SUBJECT: Final = re.compile(r"\W*not\b", re.IGNORECASE)
_PROVEN: Final = re.compile(r"\buntil pro(?:ven|ved) otherwise\b", re.IGNORECASE)
_OPEN: Final = frozenset({"evaluates", "means"})


def _may_be_illness(words: str, subject: str) -> bool:
    """Return whether what clinical findings, the `subject`, are said to mean may be a disease that no list has."""
    named = re.split(r"[,.;:()]", words)[0]
    to_do = drugs_named(named) or names_measure(named) or names_test(named) or not may_be_named(named)
    clinical = states_condition(subject) or _is_looked_at(subject) or _CASE.search(subject) is not None
    return clinical and not to_do


def _is_no_news(found: re.Match[str]) -> bool:
    """Return whether what was `found` says nothing of the patient, or only supposes it."""
    groups = found.groupdict(default="")
    if any(_FORMS["no_news"].search(groups.get(each, "")) for each in ("what", "subject")):
        return True  # next: "a normal scan would exclude it" supposes one
    if _CRITERION.match(groups.get("subject", "")):
        return True
    return bool(groups.get("would")) and _DEFINITE.match(groups["subject"]) is None


def _names_illness(words: str) -> bool:
    named = states_condition(words) or any(
        names_condition(each) and not names_test(each) and not analytes_named(each)
        for each in re.split(r"[\s,.;()]+", words)
        if each[1:].lower() != each[1:] or re.search(r"['’]s\Z", each) or each in eponyms()
    )
    return named or any(each in eponyms() for each in re.findall(r"[A-Z][a-z]+", words))


def _is_result(form: str, text: str, *, looked: bool, pictured: bool) -> bool:
    """Return whether `text` says, in the words of `form`, what a test or a look at the patient shows."""
    for said in _led(text):
        found = _FORMS[form].match(said)
        if found is None or _is_no_news(found):
            continue
        if form == "on_looking":
            seen = _is_looked_at(found["by"])
        elif form == "takes":
            seen = bool(drugs_named(found["what"]))
        elif form == "lies":
            seen = pictured or _names_a_look(text)
        elif form == "there_is" or _OBSERVED.match(found["what"]):
            seen = (looked or _is_looked_at(text)) and _NO_SUBJECT.match(said) is None
        elif form in {"means", "evaluates"}:
            seen = _DEFINITE.match(found["subject"]) is not None and _is_looked_at(found["subject"])
        else:
            seen = _is_looked_at(found["subject"])
        if seen:
            return True
    return False


_CASE: Final = re.compile(_FORMS.part("case"), re.IGNORECASE)
_OWN: Final = re.compile(r"\b(?:I|we|my|our)\b")
_OBSERVED: Final = re.compile(_FORMS.part("observed"), re.IGNORECASE)


def _is_looked_at(words: str) -> bool:
    """Return whether `words` name a test, what is measured, or a look at the patient."""
    return (
        names_test(words)
        or bool(analytes_named(words))
        or _FORMS["examined"].search(words) is not None
        or bool(quantities(words))
    )


def _names_a_look(words: str) -> bool:
    return names_test(words) or _FORMS["examined"].search(words) is not None


def _outright(text: str) -> str:
    """Return the diagnosis that the speaker says outright to believe, with nothing else; "" for none."""
    for bare in _led(_without_courtesy(text)):
        if statuses_of(text, "") & _UNSAID or _OWN.search(bare) is None:
            continue
        found = _FORMS["holds"].match(bare)
        if found is not None:
            return plain_view(f"I think this is {found['what']}") or ""
        if bare != text and (view := labelled_view(bare) or plain_view(bare)):
            return view
    return ""


def _is_said_before(words: str, before: Sequence[Sentence]) -> bool:
    """Return whether a sentence before it in its turn holds a view with the same disease."""
    named = _illness_words(words)
    for each in before:
        said = _said(each.full)
        if said is not None and said[1] is Worth.VIEW and named and named <= _illness_words(said[0]):
            return True
    return False


def _illness_words(words: str) -> frozenset[str]:
    return frozenset(
        key for key in key_words(words) if states_condition(key) or names_condition(key.capitalize())
    )
