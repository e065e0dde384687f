"""Find out whether a free text introduces a second patient. Pure; no model is asked.

Persons are known by how they are introduced: age, sex, name's title, date of birth, number of the record. Two who can't
be the same person and are nobody's relative, donor or carer are two patients. So is a relative of whom the text tells
what was measured, as it does of the patient. What can't be told apart so is left to whoever corrects the paper.
"""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from agents.teams.errors import SeemsTwo
from agents.teams.paper_words import WordsPlace, sentences
from exaim_core.text.quantities import quantities

_TENS: Final = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_ONES: Final = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
_NUM: Final = (
    rf"(?:\d{{1,3}}(?![\d.,/+]\d)|(?:{_TENS})(?:-(?:{'|'.join(_ONES[:9])}))?|(?:{'|'.join(_ONES)})\b)"
)
_UNIT: Final = r"(?:years?|yrs?|months?|mths?|weeks?|wks?|days?)"
_OLD: Final = rf"{_NUM}(?:[\s-]?{_UNIT}[\s-]old\b|\s?(?:yo|y/o|y\.o\.)(?!\w))"
_AGE: Final = rf"(?:{_OLD}|{_NUM}\s?{_UNIT}\b(?: of age)?|{_NUM}\s?y\b|{_NUM}(?:\b|(?=[MF]\b))(?!\s?(?:[%°/]|(?-i:C)\b|m?g\b|m[lL]\b|mmol|units?\b|hours?\b|h\b|minutes?\b)))"
_FEMALE: Final = r"(?:female|woman|lady|girl|(?-i:F))"
_MALE: Final = r"(?:male|man|gentleman|boy|(?-i:M))"
_SEX: Final = rf"(?:{_FEMALE}|{_MALE})(?!\w)"
_KIN_FEMALE: Final = r"mother|mum|sister|daughter|wife|aunt|niece|grandmother|granddaughter|girlfriend"
_KIN_MALE: Final = r"father|dad|brother|son|husband|uncle|nephew|grandfather|grandson|boyfriend"
_KIN: Final = (
    rf"(?:{_KIN_FEMALE}|{_KIN_MALE}|partner|spouse|parent|sibling|child|cousin|friend|neighbou?r|colleague|flatmate|roommate|"
    r"carer|caregiver|donor|f(?:o?e)tus|contact)s?\b"
)
_TITLED: Final = r"(?:(?-i:Mr|Mrs|Ms|Miss|Master))\.?\s(?-i:[A-Z])[\w'’-]*(?:\s(?-i:[A-Z])[\w'’-]*)?"
_WHICH: Final = r"\b(?:an?|the|this|that|another|one|his|her|their)\s+"
_THE: Final = rf"(?:{_WHICH})?"
_NEAR: Final = r"(?:\s*[,(:]\s*|\s(?:is|was|of|aged)\s(?:a\s|an\s|now\s|aged\s)?|\s)"
_INTRODUCED: Final = re.compile(
    rf"(?<![\w.°])(?:{_THE}{_OLD}(?:\s+[\w-]+){{0,3}}?\s+(?:{_SEX}|{_KIN})|{_AGE}\s*,?\s*{_SEX}|{_SEX}{_NEAR}{_AGE}|{_TITLED}{_NEAR}{_AGE}|"
    rf"{_KIN}(?:\s(?-i:[A-Z])\w+)*{_NEAR}{_AGE}|sex\s*:\s*{_SEX}(?:\W{{1,4}}age\s*:?\s*{_AGE})?|{_WHICH}{_OLD}(?=\s+[a-z])|(?<=, ){_SEX}(?=[,.;)]))",
    re.IGNORECASE,
)
_AGE_IN: Final = re.compile(rf"(?<![\w.])({_NUM})[\s-]?({_UNIT}|y)?", re.IGNORECASE)
_RELATED: Final = re.compile(rf"\b{_KIN}", re.IGNORECASE)
_FEMININE: Final = re.compile(
    rf"(?:\b|(?<=\d)){_FEMALE}\b|\b(?:Mrs|Ms|Miss)\b|\b(?:{_KIN_FEMALE})\b", re.IGNORECASE
)
_MASCULINE: Final = re.compile(
    rf"(?:\b|(?<=\d)){_MALE}\b|\b(?:Mr|Master)\b|\b(?:{_KIN_MALE})\b", re.IGNORECASE
)
_ELSEWHEN: Final = re.compile(r"\b(?:19|20)\d\d\b|\bago\b|\bthen\b|\bwhen (?:he|she) was\b", re.IGNORECASE)
_CLAUSE: Final = re.compile(r"[.;:\n]|\band\b(?! (?:his|her|their)\b)", re.IGNORECASE)
_GOVERNED: Final = re.compile(
    rf"\b(?:by|from|of|with|to|for|than|asked|called)\s+(?:(?:his|her|their|the|a|an|\w+['’]s)\s+)?(?:{_OLD}\s+)?\Z",
    re.IGNORECASE,
)
_PRONOUN: Final = re.compile(r"\b(?:she|he)\b", re.IGNORECASE)
_RECORD: Final = re.compile(
    r"\b(DOB|date of birth|born on|MRN|NHS (?:number|no)|hospital (?:number|no))\b\.?\s*[:#]?\s*(\d[\d/.\- ]{3,14}\d)",
    re.IGNORECASE,
)
_HEADED: Final = re.compile(
    r"^[ \t#*]*(?:patient|case)[ \t]+(?:no\.?[ \t]*)?([A-Z]|\d{1,3})\b[ \t]*[:.)\n-]",
    re.IGNORECASE | re.MULTILINE,
)
_NO_MEASURE: Final = re.compile(
    r"(?:\b(?:at|aged?|day|days|week|weeks|bed|room|case|twin|until|since|in|on|about|after|for|to|the|a|an|and|or|with|has|had|by|"
    r"last|from|over|grade|stage|type|level|visit)|^|\W[,(])\s*\Z",
    re.IGNORECASE,
)
_TIMES: Final = frozenset("year month week day hour minute s h min mg g kg microgram ml l unit point".split())
_BORN: Final = re.compile(r"\b(?:born|newborn|baby|birth|labour|gestation|pregnan\w+|weeks)\b", re.IGNORECASE)
PERINATAL: Final = 2  # so many values of a mother, or of a child, are part of the other's record
ELSE: Final = 1
MOST_PEOPLE: Final = 200  # who are looked at; a text of one patient has some ten
MOST_VALUES: Final = 500  # whose subject is looked for
NEAR_CHARS: Final = 300  # in which it is looked for
BEFORE_CHARS: Final = 60  # in which the words stand that govern a word
YEARS: Final = 1.0  # a birthday may lie between two notes on one patient


@dataclass(frozen=True, slots=True)
class _Person:
    """A person who is introduced. `age` in years; None or "": not said. `related`: word for a relative."""

    place: WordsPlace
    age: float | None
    sex: str
    related: bool
    elsewhen: bool = False

    def is_another(self, other: _Person) -> bool:
        """Return whether two can't be one person."""
        if self.sex and other.sex and self.sex != other.sex:
            return True
        if self.age is None or other.age is None or self.elsewhen or other.elsewhen:
            return False
        return abs(self.age - other.age) > YEARS


def check_one(text: str) -> None:
    """Check that nothing in a text introduces a second patient. Raises: SeemsTwo."""
    found = second_patient(text)
    if found is not None:
        raise seems_two(text, *found)


def seems_two(text: str, one: WordsPlace, other: WordsPlace) -> SeemsTwo:
    """Return the refusal of a text in which two patients are introduced at these places."""
    lines = (1 + text.count("\n", 0, one.start), 1 + text.count("\n", 0, other.start))
    return SeemsTwo(((one.start, one.end), (other.start, other.end)), lines)


def second_patient(text: str) -> tuple[WordsPlace, WordsPlace] | None:
    """Return where two patients are introduced; None: nothing says that there are two."""
    apart = _under_two_headings(text) or _of_two_records(text)
    if apart is not None:
        return apart
    people = list(islice(_people(text), MOST_PEOPLE))
    own = [each for each in people if not each.related and (each.age is not None or each.sex)]
    for at, each in enumerate(own):
        for other in own[:at]:
            if each.is_another(other):
                return other.place, each.place
    return _of_two_measured(text, people)


def _under_two_headings(text: str) -> tuple[WordsPlace, WordsPlace] | None:
    first: re.Match[str] | None = None
    for match in _HEADED.finditer(text):
        first = first or match
        if first[1].upper() != match[1].upper():
            return _place(first), _place(match)
    return None


def _of_two_records(text: str) -> tuple[WordsPlace, WordsPlace] | None:
    first: dict[str, re.Match[str]] = {}
    for match in _RECORD.finditer(text):
        before = first.setdefault(match[1].lower(), match)
        if re.sub(r"\W", "", before[2]) != re.sub(r"\W", "", match[2]):
            return _place(before), _place(match)
    return None


def _people(text: str) -> Iterator[_Person]:
    """Yield everybody who is introduced, and each word for a relative, in order."""
    end = 0
    for sentence in sentences(text):
        found = list(_INTRODUCED.finditer(text, sentence.start, sentence.end))
        taken = [each.span() for each in found]
        found += [
            each
            for each in _RELATED.finditer(text, sentence.start, sentence.end)
            if not any(start <= each.start() < stop for start, stop in taken)
        ]
        for match in sorted(found, key=lambda each: each.start()):
            yield _person(text, match, max(end, sentence.start), sentence)
            end = match.end()


def _person(text: str, match: re.Match[str], since: int, sentence: WordsPlace) -> _Person:
    stops = [since, *(stop.end() for stop in _CLAUSE.finditer(text, since, match.start()))]
    behind = re.match(r"(?:\s+[\w'’-]+){0,2}", text[match.end() : sentence.end])
    around = text[stops[-1] : match.end() + (behind.end() if behind else 0)]
    words = match.group()
    female, male = _FEMININE.search(words), _MASCULINE.search(words)
    sex = "" if bool(female) == bool(male) else "female" if female else "male"
    elsewhen = _ELSEWHEN.search(sentence.words) is not None
    return _Person(_place(match), _age(words), sex, _RELATED.search(around) is not None, elsewhen)


def _age(words: str) -> float | None:
    match = _AGE_IN.search(words)
    if match is None:
        return None
    unit = (match[2] or "y").lower()
    return _number(match[1].lower()) / {"m": 12.0, "w": 52.0, "d": 365.0}.get(unit[0], 1.0)


def _number(word: str) -> int:
    if word.isdigit():
        return int(word)
    ten, _, one = word.partition("-")
    tens = _TENS.split("|")
    value = 10 * (tens.index(ten) + 2) if ten in tens else _ONES.index(ten) + 1
    return value + (_ONES.index(one) + 1 if one else 0)


def _of_two_measured(text: str, people: Sequence[_Person]) -> tuple[WordsPlace, WordsPlace] | None:
    """Return patient and relative if both have values of their own."""
    counts: dict[WordsPlace | None, int] = {}
    shown: dict[WordsPlace | None, WordsPlace] = {}
    for value, sentence in islice(_measured(text, people), MOST_VALUES):
        whose = _whose(text, sentence, value.start, people)
        key = None if whose is None else whose.place
        counts[key] = counts.get(key, 0) + 1
        shown.setdefault(key, value if whose is None else whose.place)
    enough = PERINATAL if _BORN.search(text) else ELSE
    related = [key for key, count in counts.items() if key is not None and count >= enough]
    if related and len(counts) > 1:
        first = next(key for key in counts if key != related[0])
        one, other = sorted((shown[first], shown[related[0]]), key=lambda each: each.start)
        return one, other
    return None


def _measured(text: str, people: Sequence[_Person]) -> Iterator[tuple[WordsPlace, WordsPlace]]:
    """Yield the measured values behind a name (no ages, times, doses), each with its sentence."""
    for sentence in sentences(text):
        words = text[sentence.start : sentence.end]
        here = [each.place for each in people if sentence.start <= each.place.start < sentence.end]
        for each in quantities(words):
            at, to = sentence.start + each.start, sentence.start + each.end
            if each.unit in _TIMES or any(place.start <= at < place.end for place in here):
                continue
            before = words[max(0, each.start - BEFORE_CHARS) : each.start]
            if each.unit or not _NO_MEASURE.search(before):
                yield WordsPlace(text[at:to], at, to), sentence


def _whose(text: str, sentence: WordsPlace, at: int, people: Sequence[_Person]) -> _Person | None:
    """Return the relative whose value stands at a place; None: it is the patient's."""
    patient = next((each for each in people if not each.related), None)
    subject: _Person | None = None
    start = max(sentence.start, at - NEAR_CHARS)
    told = [each for each in people if start <= each.place.start < at]
    words: list[_Person | re.Match[str]] = [*told, *_PRONOUN.finditer(text, start, at)]
    for word in sorted(words, key=_start):
        if isinstance(word, _Person):
            before = text[max(start, word.place.start - BEFORE_CHARS) : word.place.start]
            if not _GOVERNED.search(before):
                subject = word if word.related else None
        else:
            subject = _meant(word.group().lower(), patient, [p for p in people if p.place.start < at])
    return subject


def _meant(pronoun: str, patient: _Person | None, people: Sequence[_Person]) -> _Person | None:
    """Return the one relative that a pronoun may mean, where it can't mean the patient."""
    sex = "female" if pronoun == "she" else "male"
    if patient is None or not patient.sex or patient.sex == sex:
        return None
    fitting = [each for each in people if each.related and each.sex == sex]
    return fitting[-1] if fitting else None


def _start(word: _Person | re.Match[str]) -> int:
    return word.place.start if isinstance(word, _Person) else word.start()


def _place(match: re.Match[str]) -> WordsPlace:
    return WordsPlace(match.group(), match.start(), match.end())
