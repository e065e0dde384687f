"""Decide whether a sentence names its thing in its own words, if its form needs a name.

The words that name nothing are a closed class: function words, times, amounts, what is said of any thing or done with
any. Any other word is taken for a name, so no list of things is needed (`data/forms/lexicon/named.toml`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from exaim_core.lexicon.drugs import drugs_named
from exaim_core.lexicon.kinds import is_listed, names_measure, names_test, states_condition
from exaim_core.lexicon.things import things
from exaim_core.text.quantities import UNITS
from exaim_core.text.rows import lexicon

_FORMS: Final = lexicon("lexicon/named")
_WORD: Final = re.compile(r"[^\W\d_][\w’'-]*|%|µg")
_NUMBERING: Final = re.compile(r"\A\W*(?:\d{1,2}[.)]|\([a-z]\))\s*")
_UNIT: Final = re.compile(rf"(?<=\d)[\s-]?(?!\S*(?:beat|breath|gestation))(?:{UNITS})(?![\w²])")
"""The unit of a number; it names no thing, unless it says what is counted."""
_LABEL: Final = re.compile(r"\A[^:;.]{2,60}:\s+")
_PART: Final = re.compile(r"[,:;.!?–—]\s|\s[–—-]\s|\bthen\b", re.IGNORECASE)
_GOES_ON: Final = re.compile(r"\w+ \w+ (?:he|she|we|I|you|they)\b")  # "if the troponin rises she goes for …"
_TALK_WORDS: Final = 4
_WITH: Final = re.compile(r" [\w-]+(?: [\w-]+)? (?:with|on|for|beside|alongside|against|before|after) \Z")
_STOPS: Final = re.compile(r"[.!?] ")
_ENDS: Final = re.compile(r" ?(?:[.,;:!?)–—]|\Z)")
"""Found after a pronoun: no verb, so what stands before it is no clause ("no heparin before it")."""
_JOINED: Final = re.compile(r"(?:[,;.] )?(?:(?:and|but|or|so|if|when|once|because|as) )+\Z", re.IGNORECASE)
_SUPPOSED: Final = re.compile(r"\b(?:if|when|once) \Z", re.IGNORECASE)
_OF_A_MEDICINE: Final = re.compile(
    r" (?:injection|infusion|drug|medicine|medication|tablet|pill|drip|antibiotic|shot|jab|patch(?:e)?)s?\Z"
)
_TIMED: Final = re.compile(r"\b(?:if|when|once|after|until|before|while|as soon as)\b", re.IGNORECASE)
_SPEAK: Final = re.compile(
    r"(?:['’](?:d|ve|re|ll))? (?:rang|ring|phoned|call(?:ed)?|said|say|think|want|told|tell|"
    r"ask(?:ed)?|know|sent|wrote|read)\b"
)
"""Found after "they": what only people do, as in "the lab, they rang"."""
_OWNS: Final = frozenset({"their", "theirs"})
_OF_SEVERAL: Final = frozenset({"they", "them", *_OWNS})
_SEVERAL: Final = re.compile(
    r"\b(?!(?:second|minute|min|hour|day|week|month|year|time|unit|dose|gram|litre|liter|mil|bag|tablet|wa|ha|doe|alway|perhap|it|hi|thi)s\b)"
    r"[^\W\d_]{2,}(?<![su'’i])s\b|\b(?:and|or|people|staff|family|team)\b",
    re.IGNORECASE,
)
"""A plural that is no time and no amount, or a word that joins two things."""
_OF_TWO: Final = re.compile(r"both|(?:.* )?n?either\b|(?:all|those|these) (?:two|three|four|five) \w")
_AND: Final = re.compile(
    r"(?P<one>[\w-]+)(?:,| and| or| nor| plus| versus| vs\.?| with)(?= (?:\w+ )?(?P<two>[\w-]+))"
)
_KIND: Final = re.compile(r"\b[Ii]n [\w-]+,? \Z")
"""Found before "they": all who have something, as in "in hantavirus they leak"."""
NAMELESS: Final = "what it is about is not named"
OF_NOTHING: Final = "what is to be done is not said of anything"
POINTED: Final = "what it points to is not named"


@lru_cache(maxsize=4096)
def names(text: str) -> bool:
    """Return whether `text` has a word that may name a thing."""
    return any(_may_name(word) for word in _WORD.findall(text))


@lru_cache(maxsize=8192)
def _may_name(word: str) -> bool:
    return word == "K" or (len(word) > 1 and _FORMS["empty"].fullmatch(word.strip("'’-")) is None)


def unnamed(text: str) -> str | None:
    """Return what `text` needs and does not name; None if it can be told alone."""
    label, bare = labelled(_NUMBERING.sub("", text))
    words = f"{label}{bare}" if names(label) else bare
    return next((lack for lack, is_so in _LACKS if is_so(words)), None)


def _opens_nameless(text: str) -> bool:
    """Return whether the first clause of substance names nothing; a condition is judged as a whole."""
    text = _UNIT.sub(" ", text)
    if _FORMS["condition"].match(text):
        return not names(text)
    label, bare = labelled(text)
    parts = [part for part in _FORMS["clause"].split(bare) if part.strip(" :–—")]
    return not names(label + next((part for part in parts if not _leads_over(part)), bare))


def _leads_over(part: str) -> bool:
    return len(part.split()) <= _TALK_WORDS and _FORMS["talk"].fullmatch(part) is not None


def lacks_substance(text: str) -> bool:
    """Return whether `text` tells of an allergy without its substance."""
    return _FORMS["allergy"].search(text) is not None and not names(_FORMS["reaction"].sub(" ", text))


def labelled(text: str) -> tuple[str, str]:
    """Return the label at the start of `text` with its colon ("" for none), and the rest."""
    found = _LABEL.match(text)
    return (found.group(), text[found.end() :]) if found is not None else ("", text)


def names_to_do(text: str) -> bool:
    """Return whether `text` names what is given or done: a drug, a test or a measure."""
    return bool(drugs_named(text)) or names_test(text) or names_measure(text)


def is_known(text: str) -> bool:
    """Return whether `text` has a word for a drug, a test, a condition or a measure."""
    return names_to_do(text) or states_condition(text) or is_listed(text)


def asks_of_nothing(text: str) -> bool:
    """Return whether something is asked for or forbidden whose object has no name, there or before it."""
    passive = _FORMS["passive"].match(text) is not None
    return passive or any(not names(text[:at]) for at in _orders_of_nothing(text))


def points(text: str) -> bool:
    """Return whether `text` has a pronoun for a thing, whether it names the thing or not."""
    return _FORMS["points"].search(text) is not None


def points_outside(text: str) -> bool:
    """Return whether a pronoun of `text` stands for something that no earlier clause of it names."""
    label, bare = labelled(text)
    start = len(label) if names(bare) else 0  # "what this changes: no platelets"
    return any(not _is_bound(text, match) for match in _FORMS["points"].finditer(text, start))


def is_half(text: str) -> bool:
    """Return whether `text` is a condition without its consequence, or the other way round."""
    return _FORMS["says_little"].match(text) is not None or limits_nothing(text) or is_bare_condition(text)


def is_elided(text: str) -> bool:
    """Return whether `text` forbids for good without saying what: "Never again"."""
    return _FORMS["elided"].match(text) is not None


def limits_nothing(text: str) -> bool:
    """Return whether `text` forbids, puts off or limits without saying what: "Not before the scan"."""
    return is_elided(text) or _FORMS["limit"].match(text) is not None


def is_bare_condition(text: str) -> bool:
    """Return whether `text` is only a condition, with its consequence in another sentence."""
    opened = _FORMS["condition"].match(text)
    if opened is None or text.endswith("?") or _GOES_ON.search(text, opened.end()):
        return False
    rest = [part for part in _PART.split(text[opened.end() :])[1:] if part.strip(" .")]
    return all(_FORMS["no_main"].match(part) for part in rest)


def opens_condition(text: str) -> bool:
    """Return whether `text` begins with "if", "once" or the like."""
    return _FORMS["condition"].match(text) is not None


def _orders_of_nothing(text: str) -> Iterator[int]:
    """Yield where something is asked for whose object has no name."""
    for match in _FORMS["order"].finditer(text):
        if not names(_FORMS["ends_object"].split(match["object"])[0]):
            yield match.start()


def _is_bound(text: str, points: re.Match[str]) -> bool:
    """Return whether a pronoun's thing is named in an earlier clause (never in its own)."""
    before, word = text[: points.start()], points.group().lower()
    if word == "then":
        return _TIMED.search(before) is not None
    if word == "its":
        return names(before)
    if not _may_be_several(text, points):
        return False
    if _OF_A_MEDICINE.search(word):
        return bool(drugs_named(before))
    if word == "that" and _SUPPOSED.search(before):
        return names(before.rpartition(". ")[0])  # in "raise the sugar if that falls" it is not the sugar
    done = _FORMS["done_with"].search(before) if word == "it" else None
    if done is not None:
        before = before[: done.start()]
        if not names(
            _STOPS.split(before)[-1]
        ):  # in another sentence: a stopped thing does not name just any pronoun
            return names_to_do(before)
    return names(before if word in _OWNS else before[: _last_clause(text, points)])


def _may_be_several(text: str, points: re.Match[str]) -> bool:
    """Return whether a pronoun fits the number of things named before it, or stands for people."""
    before, word = text[: points.start()], points.group().lower()
    if _OF_TWO.match(word) is not None:
        return names_two(before)
    if word not in _OF_SEVERAL and not word.endswith("either"):
        return True
    people = word == "they" and _SPEAK.match(text, points.end()) is not None
    return people or names_several(_JOINED.sub("", before)) or _KIND.search(before) is not None


def _last_clause(text: str, points: re.Match[str]) -> int:
    """Return where the clause with a pronoun begins; words before that may be what it stands for."""
    before, ends = text[: points.start()], _ENDS.match(text, points.end()) is not None
    starts = (
        match.start()
        for match in _FORMS["binds"].finditer(before)
        if not (_adds(before, match) or (ends and match.group().isalpha() and match.end() + 1 >= len(before)))
    )
    return max(starts, default=0)


def _adds(before: str, joint: re.Match[str]) -> bool:
    """Return whether an "or" joins two things that share a pronoun: "no grapefruit or statin with"."""
    return joint.group().lower() in {"and", "or"} and _WITH.match(before, joint.end()) is not None


def names_several(text: str) -> bool:
    """Return whether `text` may name more than one thing."""
    return _SEVERAL.search(text) is not None


def names_two(text: str) -> bool:
    """Return whether `text`, before "both", names two things in its sentence or two drugs in the last."""
    *earlier, own = _STOPS.split(text)
    if len(things(own)) > 1 or any(
        names(match["one"]) and names(match["two"]) for match in _AND.finditer(own)
    ):
        return True
    return bool(earlier) and len(drugs_named(earlier[-1])) > 1


def is_of_several(text: str) -> bool:
    """Return whether `text` has a word for more than one thing."""
    return _FORMS["of_several"].search(text) is not None


_LACKS: Final = (
    ("a condition and what follows from it belong together", is_half),
    (NAMELESS, _opens_nameless),
    (OF_NOTHING, asks_of_nothing),
    (POINTED, points_outside),
    ("to what the allergy is, is not named", lacks_substance),
)
