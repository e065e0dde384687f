"""Whom a question is asked of: one who speaks here, or somebody who does not."""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from agents.dialogue.facts import STOP
from agents.dialogue.words import spelled, tokens
from exaim_core.board.shown import BoardView
from exaim_core.text.names import NUMBER_WORDS, Names, is_moderator

# What somebody does of whom it is asked what he holds; a role beside it is a person, not a place or a thing.
_HOLDS: Final = re.compile(
    r"\b(?:say|said|says|saying|think|thinks|thought|opinions?|views?|take|advi[cs]e\w*|recommend\w*|suggest\w*|agrees?|agreed|on board|weigh in|weighed in|see it|sees it|saw it|wants?|wanted|mind|feel|feels|felt|comment\w*|reckons?|positions?|verdict|argu\w+|commit\w*|propos\w+|believ\w+|favou?r\w*|sure|confidence|at first)\b"
)
# A speciality by the letters that its words begin with, and the words that say that it is a person or a team.
_SPECIALITIES: Final = (
    "anesth", "nephrol", "renal", "cardio", "cardiac", "radiol", "surg", "microbiol", "haematol", "hematol", "neurol",
    "neurosurg", "gastroenterol", "hepatol", "endocrin", "oncol", "obstetr", "gynecol", "gynaecol", "pediatr", "paediatr", "psychiatr", "pharmac", "intensiv",
    "icu", "itu", "emergency", "geriatr", "patholog", "immunol", "rheumatol", "urolog", "vascular", "orthop", "dermat",
    "ophthalm", "neonat", "radiother", "palliat", "infectious", "respirat", "pulmonol", "genetic", "toxicol", "trauma", "stroke", "transplant", "nurs", "midwi", "physio", "dietic", "dietit", "virolog",
)  # fmt: skip
_PERSON: Final = re.compile(
    r"(?:registrars?|regs?|consultants?|agents?|doctors?|physicians?|specialists?|experts?|teams?|people|guys?|fellows?|residents?|attendings?|\w+(?:ologist|ologists|iatrician|iatrist|etist|etists|aetist|aetists|geon|geons|macist|ivist|ivists)s?|\w*(?:nurse|midwife|physio|physiotherapist|dietician|dietitian)s?)\Z"
)
# A field as it is called in plain words, before "doctor" or "team", and how its specialities begin.
_PLAIN: Final = {
    "kidney": ("nephrol", "renal"), "heart": ("cardio", "cardiac"), "brain": ("neurol", "neurosurg"), "liver": ("hepatol", "gastroenterol"),
    "lung": ("respirat", "pulmonol"), "chest": ("respirat", "pulmonol"), "skin": ("dermat",), "eye": ("ophthalm",), "blood": ("haematol", "hematol"),
    "cancer": ("oncol",), "bone": ("orthop",), "gut": ("gastroenterol",), "baby": ("pediatr", "obstetr"), "children": ("pediatr",),
    "hormone": ("endocrin",), "sugar": ("endocrin",), "diabetes": ("endocrin",), "infection": ("infectious", "microbiol"),
}  # fmt: skip
_REPORTS: Final = (
    "radiol",
    "patholog",
    "microbiol",
    "vascular",
    "emergency",
    "trauma",
    "stroke",
    "transplant",
)
# The same field by its other names: who is a nephrologist is of the renal team.
_ONE_FIELD: Final = (
    ("nephrol", "renal"),
    ("cardio", "cardiac"),
    ("respirat", "pulmonol"),
    ("intensiv", "icu", "itu"),
)
# How a speaker of a speciality is called for short: the haematologist is "haem reg".
_SHORT: Final = {
    "hematol": "haem", "haematol": "haem", "neurol": "neuro", "orthop": "ortho", "gastroenterol": "gastro", "microbiol": "micro",
    "anesth": "anaes", "gynecol": "gynae", "gynaecol": "gynae", "obstetr": "obs", "pediatr": "paeds", "paediatr": "paeds", "psychiatr": "psych", "endocrin": "endo",
    "rheumatol": "rheum", "oncol": "onc", "urolog": "uro", "pharmac": "pharm", "cardio": "cards", "toxicol": "tox", "respirat": "resp",
}  # fmt: skip
# Who is round a patient and no agent of a team, where he is the one who is asked to have said something.
_ROUND: Final = (
    r"husband|wife|spouse|partner|mother|mum|father|dad|parents?|son|daughter|brother|sister|twin|aunt|uncle|niece|nephew|"
    r"cousin|grand\w+|family|relatives?|carers?|friend|girlfriend|boyfriend|neighbou?r|school|gp|social worker|paramedics?|"
    r"chaplain|therapist|ambulance crew|care home|police"
)
_ASKED_OF: Final = re.compile(
    rf"\b(?:do|does|did|has|have) (?P<whose>the|his|her|their|our|my) (?P<who>{_ROUND}) (?:\w+ )?"
    r"(?:say|said|think|thought|want|wanted|report|reported|write|written|tell|told|ask|asked|feel|suggest|recommend)\b"
)
# What tells of whom it stands before: "told by the son", "asked the husband".
_TOLD: Final = (
    r"(?:say|says|said|saying|reports?|reported|tells?|told|asks?|asked|asking|thinks?|thought|wants?|wanted|adds?|added|"
    r"confirms?|confirmed|notic\w+|recalls?|writes?|wrote|denies|denied|describes?|described|found|saw|remembers?|swears?|gave|insists?)"
)
# Words of the closed classes, which are no verb: behind a person nothing is said of what he does ("ring the husband at six").
_NO_VERB: Final = (
    r"(?:a|an|the|this|these|those|his|her|their|our|my|your|its|no|any|all|some|both|each|every|"
    r"about|after|against|as|at|because|before|behind|below|beside|between|by|during|for|from|if|in|into|near|of|off|on|onto|"
    r"or|out|over|per|since|so|than|that|though|through|till|to|under|unless|until|up|upon|via|when|where|whether|while|why|how|"
    r"with|within|without|and|but|nor|he|she|they|we|you|i|it|him|them|me|us|what|which|please|today|tonight|tomorrow|yesterday|"
    r"yet|again|here|there|soon|later|first|once|twice|earlier|afterwards|\d\w*)"
)
_ADVERB: Final = (
    r"(?:also|still|now|never|always|only|just|then|however|too|even|once|again|first|later|earlier|\w+ly)"
)
# Who is subject: a verb is right behind him, or behind adverbs and what is set apart ("the son, a lawyer, states").
_DOES: Final = (
    rf"(?:['’](?:s|d|ll|ve|re))?(?: ?,[^,.;:!?]{{1,40}},| ?\([^().]{{1,40}}\)| [-–—][^.;:!?–—]{{1,40}}[-–—])?"
    rf"(?:[ \t]+{_ADVERB}\b)*+[ \t]+(?!{_NO_VERB}\b)[a-z]"
)
# The object of a preposition that stands behind a word is no subject: "the letter to the GP needs a stamp".
_TO_HIM: Final = r"\w[ \t]+(?:to|at|near|behind|beside|towards?)[ \t]+(?:(?:the|his|her|their|our|my)[ \t]+)?"
_LETTERS: Final = frozenset({"gp", "icu", "itu"})  # roles that are called by their letters
_NAMED: Final = re.compile(r"\b(?:doctor|dr|prof|professor|mr|mrs|ms|sister|nurse) (?P<name>[a-z]{3,})\b")
_WHOSE: Final = frozenset("the his her their our my".split())
_NO_ROLE: Final = frozenset({"", "agent", "doctor", "dr", "reg", "expert"})
_BEFORE_ONE: Final = frozenset("the our do does did has".split())  # what a role of one word stands behind
_INTRODUCES: Final = 3  # sentences of a speaker in which he may say what he is
_WORDS_OF_IT: Final = 6


@dataclass(frozen=True, slots=True)
class Person:
    """Whom a question is asked of: the speaker's id, or as what he is told who has not spoken."""

    agent: str | None = None
    absent: str | None = None
    words: tuple[str, ...] = ()  # of the question, that name him


def whom(text: str, view: BoardView, known: frozenset[str]) -> Person:
    """Return whom `text` asks after; `known` are the words of the case, which name nobody."""
    words = tokens(text)
    line = " ".join(words)
    numbered = _numbered(words, view.speakers)
    if numbered is not None:
        return numbered
    if not _HOLDS.search(line):
        return Person()
    called = _called(words, view)
    if called is not None:
        return called
    named = _NAMED.search(line)
    if named is not None and not _is_common(named["name"], known):
        found = [one for one in view.speakers if named["name"] in one.lower()]
        label = f"{'Doctor' if named.group()[:1] == 'd' else named.group().split()[0].capitalize()} {named['name'].capitalize()}"
        return Person(found[0] if found else None, None if found else label, tuple(named.group().split()))
    found_role = _of_role(words, view)
    return _round_the_patient(line, view) if found_role == Person() else found_role


def _called(words: Sequence[str], view: BoardView) -> Person | None:
    """Return the speaker whose own name stands in the question: "liver surgeon" of `liver_surgeon`."""
    for one in sorted(view.speakers, key=len, reverse=True):
        own = tuple(part for part in re.split(r"[\W_\d]+", one.lower()) if part not in _NO_ROLE)
        if is_moderator(one) or not own:
            continue
        for at in range(len(words) - len(own) + 1):
            alone = len(own) > 1 or words[max(0, at - 1)] in _BEFORE_ONE
            if alone and tuple(words[at : at + len(own)]) == own:
                return Person(one, None, own)
    return None


def _round_the_patient(line: str, view: BoardView) -> Person:
    """Return a relative or a carer who is asked to have said something, if he neither speaks nor is quoted.

    Of whom anything is told as its subject may be quoted: nothing is said of his silence then.
    """
    asked = _ASKED_OF.search(line)
    if asked is None:
        return Person()
    who, words = asked["who"], tuple(asked["who"].split())
    speaks = next((one for one in view.speakers if {*words} <= {*re.split(r"[\W_]+", one.lower())}), None)
    if speaks is not None:
        return Person(speaks, None, words)
    quoted = re.compile(
        rf"\b(?:per|according to|told by|from|by|{_TOLD}) (?:the |his |her |their )?{who}\b|\b{who}s? ?:",
        re.IGNORECASE,
    )
    does = re.compile(rf"(?P<to>{_TO_HIM})?\b{who}s?{_DOES}", re.IGNORECASE)
    for one in view.said:
        if quoted.search(one.text) or any(each["to"] is None for each in does.finditer(one.text)):
            return Person()
    return Person(None, f"{asked['whose']} {_as_called(words)}", words)


def names_absent(label: str, text: str) -> bool:
    """Tell whether `text` names who has not spoken, by all words of how he is told but whose he is: "the care home"."""
    phrase = r"[\s_-]+".join(re.escape(word) for word in label.split() if word.lower() not in _WHOSE)
    return re.search(rf"\b{phrase}s?\b", text, re.IGNORECASE) is not None


def _is_common(word: str, known: frozenset[str]) -> bool:
    return word in STOP or spelled(word) in known or word in NUMBER_WORDS or word.isdigit()


def _numbered(words: Sequence[str], speakers: Sequence[str]) -> Person | None:
    """Return who is named by a kind and a number, as "reg four", where speakers are called so."""
    kinds = {match[1].lower() for one in speakers if (match := re.fullmatch(r"([A-Za-z]+)[_ -]?\d+", one))}
    for at, (kind, number) in enumerate(pairwise(words)):
        if kind not in kinds or kind == "doctor":
            continue
        if number not in NUMBER_WORDS and not number.isdigit():
            continue
        value = NUMBER_WORDS.index(number) if number in NUMBER_WORDS else int(number)
        found = [one for one in speakers if re.fullmatch(rf"{kind}[_ -]?{value}", one, re.IGNORECASE)]
        label = f"{kind.capitalize()} {number.capitalize()}"
        return Person(found[0] if found else None, None if found else label, tuple(words[at : at + 2]))
    return None


def _of_role(words: Sequence[str], view: BoardView) -> Person:
    for at, word in enumerate(words):
        named = _PLAIN.get(word, ()) if _PERSON.match((*words, "")[at + 1]) else ()
        roles = () if named else _roles_at(words, at)
        if not roles and not named:
            continue
        length = len(roles) or 1
        end = at + length + (1 if _PERSON.match((*words, "", "")[at + length]) else 0)
        phrase = tuple(words[at:end])
        is_person = any(_PERSON.match(one) for one in phrase) or _is_speaker_name(word, view)
        if not (is_person or _is_asked_of(words, at, end)):
            continue
        found = [
            one
            for one in view.speakers
            if not is_moderator(one)
            and (any(_plays(one, (role,), view) for role in named) if named else _plays(one, roles, view))
        ]
        if found:
            return Person(found[0], None, phrase)
        called = _as_person(phrase) if is_person else " ".join(phrase)
        called = _as_called(called.split())
        return Person(None, f"the {called}" if is_person else called, phrase)
    return Person()


def _is_asked_of(words: Sequence[str], at: int, end: int) -> bool:
    """Tell whether a field is asked what it holds: "what does dermatology say". Some write reports, and are none."""
    if words[at].startswith(_REPORTS):
        return False
    return words[max(0, at - 1)] in {"do", "does", "did", "has"} or (not at and "they" in words[end:])


def _roles_at(words: Sequence[str], at: int) -> tuple[str, ...]:
    """Return the beginnings of the specialities that are named from word `at` on."""
    roles: list[str] = []
    for word in words[at:]:
        plain = word.replace("aes", "es")
        role = next((one for one in _SPECIALITIES if plain.startswith(one) or word.startswith(one)), None)
        if role is None:
            break
        roles.append(role)
    return tuple(roles)


def _is_speaker_name(word: str, view: BoardView) -> bool:
    """Tell whether a speaker is called by this word: "cardiology" of "cardiology-agent"."""
    return any(len(word) > 4 and word.removesuffix("s") in one.lower() for one in view.speakers)


def _plays(agent: str, roles: Sequence[str], view: BoardView) -> bool:
    """Tell whether an agent is called by all of `roles`, or says that it is of them as it begins."""
    called = f"{agent} {Names(view.names)(agent)}".lower().replace("aes", "es")
    first = [one.text for one in view.said if one.agent_id == agent][:_INTRODUCES]
    says = " ".join(text.split(". ")[0] for text in first if len(text.split()) <= _WORDS_OF_IT).lower()
    short = {*re.split(r"[\W_\d]+", f"{agent} {Names(view.names)(agent)}".lower())}
    roles = [role for role in roles if _SHORT.get(role) not in short]
    same = (next((field for field in _ONE_FIELD if role in field), (role,)) for role in roles)
    return all(any(name in called or name in says for name in field) for field in same)


def beginnings(word: str) -> tuple[str, ...]:
    """Return how the words begin that name the same speciality as `word`; (): it names none."""
    plain = next((stems for one, stems in _PLAIN.items() if word.startswith(one)), ())
    if plain:
        return plain
    own = _roles_at((word,), 0)
    return next((stems for stems in _PLAIN.values() if own and own[0] in stems), own)


def _as_person(phrase: Sequence[str]) -> str:
    *before, last = phrase
    return " ".join(
        (*before, last.removesuffix("s") if last.endswith(("ists", "geons", "rars", "nts")) else last)
    )


def _as_called(words: Sequence[str]) -> str:
    """Return who is called so, letters as capitals: "GP"."""
    return " ".join(word.upper() if word in _LETTERS else word for word in words)
