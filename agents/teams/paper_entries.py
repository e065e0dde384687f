"""Entries of a case paper out of a form's, each as far as the words of the text bear it."""

from __future__ import annotations

import re
from typing import Any, Final

from agents.teams.paper_form import (
    AgeSaid,
    AllergySaid,
    DrugSaid,
    HeightSaid,
    ImageSaid,
    SexSaid,
    ValueSaid,
    WeightSaid,
)
from agents.teams.paper_words import (
    NotBorne,
    WordsPlace,
    holds,
    label_above,
    meant_plainly,
    named_in,
    names,
    number_in,
    place_of,
    range_in,
    sentence_around,
    told_with,
    unit_of,
)
from exaim_core.patient.paper import NAME_MAX, TEXT_MAX
from exaim_core.text.quantities import quantities

_KIN: Final = re.compile(
    r"\b(?:mother|father|parents?|sister|brother|siblings?|son|daughter|child(?:ren)?|wife|husband|partner|"
    r"aunt|uncle|cousin|grand\w+|nephew|niece|twin|friend|neighbou?r)\b",
    re.IGNORECASE,
)
_SEXES: Final = {
    "female": re.compile(r"\b(?:female|woman|lady|girl|(?-i:F))\b|(?<=\d)(?-i:F)\b", re.IGNORECASE),
    "male": re.compile(r"\b(?:male|man|gentleman|boy|(?-i:M))\b|(?<=\d)(?-i:M)\b", re.IGNORECASE),
}
_LIST_MARK: Final = re.compile(r"\A(?:[-*•]|\d{1,2}[.)])\s+")
_ALLERGIC: Final = re.compile(
    r"allerg|anaphyla|hypersensitiv|intoleran|reaction|reacted|rash|urticaria|hives|angio-?oedema|angioedema|swelling",
    re.IGNORECASE,
)
_NO_SUBSTANCE: Final = re.compile(r"NKD?A|none.*|nil.*|no known.*|unknown", re.IGNORECASE)
_AGES: Final = ("year", "month", "week", "day")
_PART: Final = re.compile(r"(systolic|diastolic) +", re.IGNORECASE)
_FRACTION: Final = re.compile(r"(?<![\w./])(\d{2,3})\s?/\s?(\d{2,3})(?![\w/])")

Entry = dict[str, Any]
PatientSaid = AgeSaid | SexSaid | WeightSaid | HeightSaid


class Entries:
    """Makes entries from a text. `parts_left`: parts of entries that the words do not support."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.parts_left: list[tuple[str, str, str]] = []

    def patient(self, said: PatientSaid) -> Entry:
        """Return age, sex, weight or height. Raises: NotBorne, as all of these."""
        place = self._plain(said.words)
        if _KIN.search(self._text[place.start : place.end + 20]):
            raise NotBorne("the text says it of somebody else")
        match said:
            case AgeSaid():
                return {"age": said.age, "age_unit": _age_unit(said)}
            case SexSaid():
                return {"sex": _sex(said)}
            case WeightSaid():
                return {"weight_kg": _measured(place.words, said.value, "kg")}
            case HeightSaid():
                return {"height_cm": _measured(place.words, said.value, "cm")}

    def line(self, words: str) -> str:
        """Return the whole sentences that hold words, under their label: a part might say something else."""
        place = place_of(self._text, words)
        start, end = sentence_around(self._text, place)
        label = label_above(self._text, start)
        line = _LIST_MARK.sub("", _one_line(self._text[start:end]))
        return (f"{label}: {line}" if label else line)[:TEXT_MAX]

    def complaint(self, words: str) -> str:
        """Return words as they stand, if they alone say what the text says."""
        return _one_line(self._plain(words).words)[:TEXT_MAX]

    def drug(self, said: DrugSaid) -> list[Entry]:
        """Return a drug that the patient takes, with its dose if that stands next to it."""
        words = self._plain(said.words, said.drug, may_be_past=False).words
        made: Entry = {"drug": said.drug}
        if said.dose is not None:
            made |= {"dose": said.dose, "unit": unit_of(words, said.drug, said.dose, said.unit) or None}
            if made["unit"] is None:
                raise NotBorne("its dose has no unit in these words")
        for part in ("route", "frequency"):
            self._part(made, part, getattr(said, part), words)
        return [made]

    def allergy(self, said: AllergySaid) -> list[Entry]:
        """Return a substance that the patient reacted to."""
        place = self._plain(said.words, said.substance)
        words = place.words
        reacted = said.reaction is not None and holds(words, said.reaction)
        if _NO_SUBSTANCE.fullmatch(said.substance.strip()):
            raise NotBorne("it names no substance")
        if not reacted and not _ALLERGIC.search(told_with(self._text, place)):
            raise NotBorne("the text does not say that it is an allergy")
        made: Entry = {"substance": said.substance}
        self._part(made, "reaction", said.reaction, words)
        if said.year is not None and number_in(words, said.year):
            made["year"] = said.year
        elif said.year is not None:
            self.parts_left.append(("allergies", said.words, "its year does not stand in these words"))
        return [made]

    def observation(self, said: ValueSaid) -> list[Entry]:
        """Return a bedside observation; a blood pressure as its two parts."""
        words = self._plain(said.words, _PART.sub("", said.name)).words
        pressure = _pressure(words, said)
        return pressure or [{"name": said.name, **self._value(words, said)}]

    def lab(self, said: ValueSaid) -> list[Entry]:
        """Return a laboratory result, with its reference range and time if they stand there."""
        words = self._plain(said.words, said.name).words
        made = {"analyte": said.name, **self._value(words, said)}
        if range_in(words, said.low, said.high):
            made["ref_range"] = (said.low, said.high)
        elif said.low is not None or said.high is not None:
            self.parts_left.append(("labs", said.words, "its reference range does not stand in these words"))
        self._part(made, "reported_at", said.reported_at, words)
        return [made]

    def image(self, said: ImageSaid) -> list[Entry]:
        """Return a study and its finding, both as they stand."""
        words = place_of(self._text, said.words).words
        names(words, said.study)
        finding = self._plain(said.finding).words
        if _one_line(finding) not in _one_line(words):
            raise NotBorne("its finding does not stand in these words")
        return [{"study": said.study[:NAME_MAX], "finding": _one_line(finding)[:TEXT_MAX]}]

    # -- inside ----------------------------------------------------------------------------------

    def _plain(self, words: str, name: str = "", *, may_be_past: bool = True) -> WordsPlace:
        """Return where words stand, if what they name is meant plainly there. Raises: NotBorne."""
        place = place_of(self._text, words)
        meant = named_in(place, name) if name else place
        meant_plainly(self._text, meant, may_be_past=may_be_past)
        return place

    def _value(self, words: str, said: ValueSaid) -> Entry:
        if isinstance(said.value, str):
            if not said.value.strip() or not holds(words, said.value):
                raise NotBorne("its value does not stand in these words")
            return {"value": said.value, "unit": said.unit if said.unit and holds(words, said.unit) else ""}
        return {"value": said.value, "unit": unit_of(words, said.name, said.value, said.unit)}

    def _part(self, made: Entry, part: str, said: str | None, words: str) -> None:
        if not said:
            return
        if holds(words, said):
            made[part] = said
        else:
            self.parts_left.append((part, words, f"its {part} does not stand in these words"))


def _age_unit(said: AgeSaid) -> str:
    unit = said.unit.rstrip("s").lower()
    if not number_in(said.words, said.age) or unit not in _AGES:
        raise NotBorne("its number does not stand in these words")
    written = next((each.unit for each in quantities(said.words) if each.value == said.age), "")
    if written != unit and (written or unit != "year"):
        raise NotBorne("its number has another unit in these words, or none")
    return f"{unit}s"


def _measured(words: str, value: float, unit: str) -> float:
    if not any(each.value == value and each.unit == unit for each in quantities(words)):
        raise NotBorne(f"its number does not stand in these words in {unit}")
    return value


def _sex(said: SexSaid) -> str:
    words = _SEXES.get(said.sex.strip().lower())
    if words is None and holds(said.words, said.sex):
        return said.sex
    if words is None or not words.search(said.words):
        raise NotBorne("what it names does not stand in these words")
    return said.sex.strip().lower()


def _pressure(words: str, said: ValueSaid) -> list[Entry]:
    """Return both parts of a blood pressure that is written as a fraction; nothing if it is none."""
    if _PART.sub("", said.name).strip().lower() not in ("blood pressure", "bp"):
        return []
    written = _FRACTION.findall(words)
    if len(written) != 1:
        return []
    upper, lower = map(float, written[0])
    if said.value not in (upper, lower, f"{upper:g}/{lower:g}"):
        raise NotBorne("its number does not stand in these words")
    told = (("systolic blood pressure", upper), ("diastolic blood pressure", lower))
    return [{"name": part, "value": value, "unit": "mmHg"} for part, value in told]


def _one_line(words: str) -> str:
    return " ".join(words.split())
