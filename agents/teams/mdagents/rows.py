"""Readers of rows: one for each shape in which medical questions are handed on."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any, Final

from agents.teams.mdagents.errors import RowError

OPTIONS_MOST: Final = 26
DIFFERENTIAL_MOST: Final = 10  # options that are made of a differential


@dataclass(frozen=True, slots=True)
class Read:
    """What a row holds; `label` is empty where there are no options."""

    text: str
    options: Mapping[str, str]
    label: str
    answer: str


def shape_of(raw: Mapping[str, Any], row: int) -> str:
    """Return the shape that a row's fields show. Raises: RowError."""
    for shape, marks in _MARKS.items():
        if any(name in raw for name in marks):
            return shape
    raise RowError(row, "question", "is missing, and the fields are those of no known shape")


def medqa(raw: Mapping[str, Any], row: int) -> Read:
    """Read {question, options: {A: …} or […], answer_idx, answer}. Raises: RowError."""
    options = _options(raw.get("options"), row)
    return _chosen(_text(raw, "question", row), options, raw, row)


def lettered(raw: Mapping[str, Any], row: int) -> Read:
    """Read {question, opa, opb, …, answer_idx, answer}: MedBullets, JAMA. Raises: RowError."""
    named = {letter: str(raw.get(f"op{letter}") or "").strip() for letter in "abcdefgh"}
    given = {letter: words for letter, words in named.items() if words}  # a blank one leaves its letter free
    return _chosen(_text(raw, "question", row), _options(given, row, "opa"), raw, row)


def pubmedqa(raw: Mapping[str, Any], row: int) -> Read:
    """Read {question, context or CONTEXTS, final_decision: yes, no or maybe}. Raises: RowError."""
    question = _text(raw, "question" if "question" in raw else "QUESTION", row)
    context = raw.get("context", raw.get("CONTEXTS", ()))
    if isinstance(context, Mapping):
        context = context.get("contexts", ())
    parts = [context] if isinstance(context, str) else context
    if not isinstance(parts, Sequence) or not all(isinstance(each, str) for each in parts):
        raise RowError(row, "context", "is no text and no list of texts")
    answer = str(raw.get("final_decision", "")).strip().casefold()
    options = {"A": "yes", "B": "no", "C": "maybe"}
    label = next((letter for letter, words in options.items() if words == answer), None)
    if label is None:
        raise RowError(row, "final_decision", "is none of yes, no and maybe")
    return Read("\n".join([*parts, question]), options, label, answer)


def ddxplus(raw: Mapping[str, Any], row: int) -> Read:
    """Read {AGE, SEX, INITIAL_EVIDENCE, EVIDENCES, DIFFERENTIAL_DIAGNOSIS, PATHOLOGY}. Raises: RowError.

    The options are the differential's most likely ones, the pathology always among them.
    """
    answer = _text(raw, "PATHOLOGY", row)
    names = [
        str(each[0] if isinstance(each, (list, tuple)) and each else each)
        for each in _listed(raw, "DIFFERENTIAL_DIAGNOSIS", row)
    ]
    kept = list(dict.fromkeys(names))[:DIFFERENTIAL_MOST]
    if answer not in kept:
        kept = [*kept[: DIFFERENTIAL_MOST - 1], answer]
    evidence = [str(each) for each in _listed(raw, "EVIDENCES", row)]
    told = [
        f"Age: {raw.get('AGE', 'not told')}. Sex: {raw.get('SEX', 'not told')}.",
        f"First complaint: {raw.get('INITIAL_EVIDENCE', 'not told')}.",
        f"Findings: {'; '.join(evidence)}.",
        "Which diagnosis is most likely?",
    ]
    options = _options(sorted(kept), row, "DIFFERENTIAL_DIAGNOSIS")
    return Read("\n".join(told), options, _letter_of(answer, options), answer)


def symcat(raw: Mapping[str, Any], row: int) -> Read:
    """Read {symptoms, disease, options?, age?, sex?}; free text without options. Raises: RowError."""
    symptoms = raw.get("symptoms")
    if isinstance(symptoms, Mapping):  # {"fever": true, "rash": false}
        symptoms = [f"{'no ' if held is False else ''}{name}" for name, held in symptoms.items()]
    if not isinstance(symptoms, list) or not symptoms:
        raise RowError(row, "symptoms", "is no list of symptoms")
    answer = _text(raw, "disease", row)
    person = ", ".join(str(raw[name]) for name in ("age", "sex") if raw.get(name))
    told = [f"Patient: {person}." if person else "", f"Symptoms: {', '.join(map(str, symptoms))}."]
    text = "\n".join(filter(None, [*told, "Which disease is most likely?"]))
    if raw.get("options") is None:
        return Read(text, {}, "", answer)
    options = _options(raw["options"], row)
    label = _letter_of(answer, options)
    if not label:
        raise RowError(row, "disease", "is none of the options")
    return Read(text, options, label, answer)


SHAPES: Final[Mapping[str, Callable[[Mapping[str, Any], int], Read]]] = {
    "medqa": medqa,
    "pubmedqa": pubmedqa,
    "medbullets": lettered,
    "jama": lettered,
    "ddxplus": ddxplus,
    "symcat": symcat,
}
_MARKS: Final = {
    "pubmedqa": ("final_decision",),
    "ddxplus": ("PATHOLOGY", "EVIDENCES"),
    "symcat": ("symptoms",),
    "medbullets": ("opa",),
    "medqa": ("question", "options", "answer_idx"),
}


def _chosen(text: str, options: Mapping[str, str], raw: Mapping[str, Any], row: int) -> Read:
    """Return a row whose right option is named by letter, by words, or by both, which then must agree."""
    label = str(raw.get("answer_idx") or "").strip().upper()
    answer = str(raw.get("answer") or "").strip()
    if not label and not answer:
        raise RowError(row, "answer_idx", "is missing, and so is the answer")
    if not label:
        label = answer.upper() if answer.upper() in options else _letter_of(answer, options)
    if label not in options:
        raise RowError(row, "answer_idx", f"names none of the options {', '.join(options)}")
    if answer and answer.upper() != label and _key(answer) != _key(options[label]):
        raise RowError(row, "answer", "is not what the option of answer_idx says")
    return Read(text, options, label, options[label])


def _options(given: Any, row: int, field: str = "options") -> dict[str, str]:
    if isinstance(given, Mapping):
        found = {str(letter).strip().upper(): str(words).strip() for letter, words in given.items()}
    elif isinstance(given, list):
        found = dict(zip(ascii_uppercase, (str(words).strip() for words in given), strict=False))
    else:
        raise RowError(row, field, "is missing, or neither an object nor a list")
    if not 2 <= len(given) <= OPTIONS_MOST or len(found) != len(given):
        raise RowError(
            row, field, f"holds {len(given)} options; 2 to {OPTIONS_MOST} of different letters are wanted"
        )
    if any(len(letter) != 1 or letter not in ascii_uppercase for letter in found):
        raise RowError(row, field, "has a letter that is none of A to Z")
    if not all(found.values()) or len({_key(words) for words in found.values()}) != len(found):
        raise RowError(row, field, "has an empty option, or two that are the same")
    return found


def _text(raw: Mapping[str, Any], field: str, row: int) -> str:
    value = raw.get(field)
    if not isinstance(value, str) or not value.strip():
        raise RowError(row, field, "is missing, empty or no text")
    return value.strip()


def _listed(raw: Mapping[str, Any], field: str, row: int) -> list[Any]:
    """Return a list, or one that is written as text, as DDXPlus has it in its tables."""
    value = raw.get(field)
    if isinstance(value, str):
        try:
            value = ast.literal_eval(value)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            value = None
    if not isinstance(value, list) or not value:
        raise RowError(row, field, "is missing or no list")
    return value


def _letter_of(answer: str, options: Mapping[str, str]) -> str:
    return next((letter for letter, words in options.items() if _key(words) == _key(answer)), "")


def _key(words: str) -> str:
    return re.sub(r"\s+", " ", words.strip().casefold())
