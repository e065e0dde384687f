"""Write numbers in one form: a decimal point, digits for number words, units after their number.

    Kalium 6,9 mmol/l                 → Kalium 6.9 mmol/L
    a potassium of six point nine     → a potassium of 6.9
    saturating at eighty-one per cent → saturating at 81 %
    Potassium [mmol/L]: 6.9           → Potassium: 6.9 mmol/L
    pH seven one nine                 → pH 7.19
    eighty-two over forty-eight now   → BP 82/48 now

A comma is a decimal one if one or two digits follow it and nothing says that it separates a list; a blank
or a point between thousands goes if a count follows ("240 000 /µL"). A number in words becomes
digits only with a point in it, with a unit behind it, at the end of what a score or the like opened, or right behind
the name of a sign or a test: "two of us" and "Doctor One" stay.
"""

from __future__ import annotations

import re
from typing import Final

from exaim_core.text.patterns import late
from exaim_core.text.quantities import NUMBER, UNITS

_ONES: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
).split()
_TENS: Final = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_ZEROS: Final = ("nought", "naught", "nil")
_WORDS: Final = (
    {word: at for at, word in enumerate(_ONES)}
    | {word: 20 + 10 * at for at, word in enumerate(_TENS)}
    | dict.fromkeys(_ZEROS, 0)
)
COUNTED: Final = {word: str(number) for word, number in _WORDS.items()}
"""Numbers of one word, in digits."""
_NUMBERS: Final = rf"(?:{'|'.join((*_TENS, *reversed(_ONES), *_ZEROS))}|oh|hundred|a(?= hundred))"
_NUMBER: Final = rf"(?:{_NUMBERS}|thousand|and)"

# A unit in words is made of a prefix and what is measured, and often of what it is measured in.
_PREFIXES: Final = {"milli": "m", "micro": "µ", "nano": "n", "pico": "p", "deci": "d", "kilo": "k", "": ""}
_BASES: Final = {
    "mole": "mol",
    "mol": "mol",
    "equivalent": "Eq",
    "osmole": "osm",
    "pascal": "Pa",
    "gram": "g",
    "unit": "U",
}
_WHOLES: Final = {"litre": "L", "liter": "L", "gram": "g"}
_PREFIX: Final = "|".join(_PREFIXES)
_MADE_OF: Final = re.compile(
    rf"(?P<prefix>{_PREFIX})(?:(?P<base>{'|'.join(_BASES)})s? (?:per|a) "
    rf"(?P<part>{_PREFIX})(?P<whole>{'|'.join(_WHOLES)})"
    r"|(?P<alone>mole|equivalent|osmole|pascal)s?)",
    re.IGNORECASE,
)
_UNIT_WORDS: Final = (
    (r"per ?cent|percent", "%"),
    (r"millimet(?:re|er)s of mercury", "mmHg"),
    (r"(?:beats|breaths) (?:per|a) minute", "/min"),
    (r"seconds", "seconds"),
    (r"degrees fahrenheit", "°F"),
    (r"degrees (?:celsius|centigrade)", "°C"),
    (r"degrees", "degrees"),
    (r"times ten to the (?:power (?:of )?)?(?:nine|ninth) (?:per|a) lit(?:re|er)", "x 10^9/L"),
    (r"(?:cells )?per (?:microlit(?:re|er)|cubic millimet(?:re|er))", "/µL"),
)
_UNIT: Final = "|".join(f"(?:{words})" for words in (*(row[0] for row in _UNIT_WORDS), _MADE_OF.pattern))
_UNIT_PLAIN: Final = re.sub(r"\(\?P<\w+>", "(?:", _UNIT)
_SAID: Final = late(
    lambda: re.compile(
        rf"\b(?P<whole>(?:{_NUMBER}[\s-]+){{0,8}}(?!and\b){_NUMBER})(?P<point>[\s-]+point(?P<part>(?:[\s-]+(?:{'|'.join(_ONES[:10])}|oh|nought))+))?"
        rf"(?P<unit>\s+(?:{_UNIT_PLAIN})\b)?(?P<ends>(?=\s*(?:[.,;)]|\Z)))?"
        r"(?P<goes_on>(?=\s+(?:on|over|now|again|still|but|with|today|systolic|and(?! an? (?:half|quarter)))\b))?",
        re.IGNORECASE,
    )
)
_OPENED: Final = re.compile(
    r"\b(?:score|scale|GCS|INR|pH|level|count|rate|\w+ium)\b[^.;,]{0,24}\b(?:is|of|was|at) \Z", re.IGNORECASE
)
_NAMED: Final = re.compile(
    r"\b(?:GCS|sats?|saturations?|SpO2|pulse|HR|(?:heart |resp(?:iratory)? )?rate|resps|lactate|glucose|sugar|"
    r"temp(?:erature)?|Hb|ha?emoglobin|pH|INR|creatinine|urea|pressure|BP|systolic|\w+ium)(?:['’]s)?"
    r"(?::? (?:(?:is|of|was|now|still|about|around|only|just|down|up|to|back)\b ?)*)\Z"
    r"|\b(?:pressure|BP|systolic)\b[^.;]{0,40} over \Z",
    re.IGNORECASE,
)
"""Right before a number in words that is the value of a sign or a test: "Sats eighty-two on air"."""
_OVER: Final = re.compile(r"\s+over\b", re.IGNORECASE)
_OF_PRESSURE: Final = re.compile(r"\b(?:pressure|BP|systolic)\b[^.;]*\Z", re.IGNORECASE)
NUMBER_WORDS: Final = "|".join((*_TENS, *reversed(_ONES), *_ZEROS, "oh", "hundred", "thousand"))
_ANY_WORD: Final = re.compile(rf"\b(?:{'|'.join((*_TENS, *_ONES[1:], *_ZEROS, 'hundred'))})\b", re.IGNORECASE)
_COMMA: Final = re.compile(r"(?<![\d.,])(?P<whole>\d{1,3}),(?P<part>\d{1,2})(?!\d|,\d|\.\d)")
_LISTED: Final = re.compile(
    r"\b(?:[A-Za-z]+[^s\W]s|and|or|days?|refs?|figures?|stages?|grades?)\s\Z", re.IGNORECASE
)
_GOES_ON: Final = re.compile(r"\s*(?:,|and\b|or\b)\s*\d")
_COUNT_UNIT: Final = r"(?:cells)?/(?:[µμu]L|mm3)|I?U/L"
_PER_LITRE: Final = re.compile(r"(?<=\d)(\s?)([mµμn]?(?:mol|g|Eq)) per (d|k)?(?:L|lit(?:re|er))\b")
_THOUSANDS: Final = re.compile(rf"(?<![\d.,])(\d{{1,3}})[ .](\d{{3}})(?=\s?(?:{_COUNT_UNIT}))")
_POWER: Final = re.compile(r"(?P<number>\d+(?:\.\d+)?)\s?[×x]\s?10\^?(?P<power>[2-6])(?=\s(?!/))")
# Of several letters or a sign: "(m)" behind a number is a man.
_LONG_UNIT: Final = rf"(?=[^\s\])]{{2}}|%)(?:{UNITS})"
_IN_BRACKETS: Final = re.compile(
    rf"\s*[\[(](?P<unit>{_LONG_UNIT})[\])](?P<mark>\s*[:=])?\s*(?P<number>{NUMBER})(?![\w.:-])(?!\s?(?:{UNITS})(?!\w))"
)
_BRACKETS_BEHIND: Final = re.compile(rf"(?<![\w.])(?P<number>{NUMBER})\s*[\[(](?P<unit>{_LONG_UNIT})[\])]")
_CASES: Final = (  # first what each match holds, in lower case: most texts hold none of it
    ("u/l", re.compile(r"(?<=\d)(\s?)u/l\b"), r"\1U/L"),
    ("/l", re.compile(r"(?<=[a-zµμ])/l\b"), "/L"),
    ("/l", re.compile(r"(?<=\d)(\s?)/l\b"), r"\1/L"),
    (
        "g/dl",
        re.compile(r"\b(m|µ|μ|u|mc|n|p)?g/dl\b", re.IGNORECASE),
        lambda match: f"{(match[1] or '').lower()}g/dL",
    ),
    ("g/ml", re.compile(r"(?<=g)/ml\b"), "/mL"),
    ("mmhg", re.compile(r"(?<=\d)(\s?)mmhg\b", re.IGNORECASE), r"\1mmHg"),
    ("pa", re.compile(r"(?<=\d)(\s?)kpa\b", re.IGNORECASE), r"\1kPa"),
    ("mmol/l", re.compile(r"\bmmol/lit(?:re|er)\b", re.IGNORECASE), "mmol/L"),
    ("mmol/l", re.compile(r"\bMMOL/L\b"), "mmol/L"),
    ("meq/l", re.compile(r"\bmeq/l\b", re.IGNORECASE), "mEq/L"),
)


_PH: Final = re.compile(
    r"(?P<led>\bpH(?:[:=]| )[:= ]*(?:(?:is|was|of|now|still|only|at|to|up|down|back|came) ){0,4})"
    r"(?P<whole>[67])(?P<part>\d\d)(?!\d|[.,:/]\d)"
)
"""A pH that is said, and so written, without its point: "pH 719", "the pH is 719"."""


_COUNT: Final = rf"(?:\d{{2,3}}|(?!and\b)(?:(?:{_NUMBERS}|hundred and)[\s-]+){{0,4}}(?:{_NUMBERS}))"
_PAIR: Final = late(
    lambda: re.compile(
        rf"(?<![\w/.-])(?P<upper>{_COUNT}) over (?P<lower>{_COUNT})(?![\w/%]|[.,-]\d)"
        r"(?!\s*-?(?:min(?:ute)?s?|h(?:ou)?rs?|h|sec(?:ond)?s?|days?|weeks?|m?[lg]|mls?|units?|years?|of|to|the)\b)",
        re.IGNORECASE,
    )
)
_GIVES: Final = re.compile(
    r"\b(?:give|gave|given|giving|run|ran|running|infus\w+|bolus|push|drip|dose|mg|ml|mls|units?"
    r"|(?<!heart )(?<!resp )(?<!respiratory )(?<!pulse )rate)\b[^.;]*\Z|\bof (?:the |an? )?\Z",
    re.IGNORECASE,
)
UPPER: Final = range(40, 281)  # mmHg; a systolic pressure that may be measured
LOWER: Final = range(15, 161)  # a diastolic one
LEAST_APART: Final = 8  # mmHg between them


def _pressure(match: re.Match[str], text: str) -> str:
    """Return two numbers, one "over" the other, as the blood pressure that they are: nothing else is said so."""
    before = text[max(0, match.start() - NEAR) : match.start()]
    upper, lower = (_count(match[each], before) for each in ("upper", "lower"))
    if upper not in UPPER or lower not in LOWER or upper - lower < LEAST_APART or _GIVES.search(before):
        return match.group()
    return f"{upper}/{lower}" if _OF_PRESSURE.search(before) else f"BP {upper}/{lower}"


def _count(said: str, before: str) -> int:
    """Return the number that is said in digits or words, -1 for none."""
    if said.isdigit():
        return int(said)
    whole = _said_as(re.split(r"[\s-]+", said.lower()), before, has_unit=True)
    return -1 if whole is None else whole


def in_figures(text: str) -> str:
    """Return `text` with its numbers and units in one form, and "BP" before a pressure that is said without it."""
    if "," in text:
        text = _COMMA.sub(lambda match: _point(match, text), text)
    if "/" in text or "hg" in text or "Hg" in text or "pa" in text:
        held = text.lower()  # what is put in has the same letters
        for piece, pattern, put in _CASES:
            if piece in held:
                text = pattern.sub(put, text)
        text = _THOUSANDS.sub(r"\1\2", text)
    if " per " in text:
        text = _PER_LITRE.sub(lambda match: f"{match[1]}{match[2]}/{match[3] or ''}L", text)
    if "10" in text:
        text = _POWER.sub(_multiplied, text)
    if "[" in text or "(" in text:
        text = _IN_BRACKETS.sub(_behind, _BRACKETS_BEHIND.sub(r"\g<number> \g<unit>", text))
    if " over " in text:
        text = _PAIR.sub(lambda match: _pressure(match, text), text)
    if _ANY_WORD.search(text) is not None:
        text = _SAID.sub(lambda match: _digits(match, text), text)
    return _PH.sub(r"\g<led>\g<whole>.\g<part>", text) if "pH" in text else text


def _point(match: re.Match[str], text: str) -> str:
    if _LISTED.search(text, 0, match.start()) or _GOES_ON.match(text, match.end()):
        return match.group()
    return f"{match['whole']}.{match['part']}"


def _behind(match: re.Match[str]) -> str:
    return f"{(match['mark'] or '').strip()} {match['number']} {match['unit']}"


def _multiplied(match: re.Match[str]) -> str:
    return f"{float(match['number']) * 10 ** int(match['power']):g}"


def _digits(match: re.Match[str], text: str) -> str:
    before = text[max(0, match.start() - NEAR) : match.start()]
    ends = match["ends"] is not None and _OPENED.search(text, 0, match.start()) is not None
    if ends and _AT_AN_HOUR.search(text, 0, match.start()):
        return match.group()  # "repeat potassium at one"
    goes_on = match["ends"] is not None or match["goes_on"] is not None
    if match["goes_on"] is not None and _OVER.match(text, match.end()) and not _OF_PRESSURE.search(before):
        goes_on = False  # "potassium two over there"
    ends = ends or (goes_on and _NAMED.search(text, 0, match.start()) is not None)
    if match["point"] is None and match["unit"] is None and not ends:
        return match.group()
    words = re.split(r"[\s-]+", match["whole"].lower())
    if not set(words) - {"and", "a", "oh"} or words[0] == "and" or words[-1] == "and":
        return match.group()
    whole = _said_as(words, before, has_unit=match["unit"] is not None)
    if whole is None:
        return match.group()
    made = str(whole)
    if match["part"]:
        made += "." + "".join(
            str(_WORDS.get(word, 0)) for word in re.split(r"[\s-]+", match["part"].strip(" -").lower())
        )
    return made + _unit(match["unit"])


def _whole(words: list[str]) -> int | None:
    """Return the number that words name; None if they name none, or may name two ("nine ten")."""
    for name, times in (("thousand", 1000), ("hundred", 100)):
        if name in words:
            at = words.index(name)
            left, right = _whole(words[:at]), _whole(words[at + 1 :])
            return None if left is None or right is None else (left or 1) * times + right
    words = [word for word in words if word not in {"and", "a"}]
    values = [_WORDS.get(word, 0) for word in words]
    match values:
        case []:
            return 0
        case [one] | [one, 0] if one < 10 or len(values) == 1:  # "seven oh" is 7.0
            return one
        case [ten, one] if ten in range(20, 100) and one in range(1, 10):
            return ten + one
        case [one, *rest] if one in HUNDREDS_UNSAID and (below := _below_hundred(rest)) is not None:
            return one * 100 + below
        case [_, _, _] if max(values) <= 9:
            return int("".join(map(str, values)))
    return None


HUNDREDS_UNSAID: Final = range(1, 4)
"""Hundreds that are said without the word: "one twenty five", "three fifteen". "Five ten" may be two numbers."""


def _below_hundred(values: list[int]) -> int | None:
    """Return what is said behind a hundred that is not named: "twenty five", "eleven", "oh nine"."""
    match values:
        case [ten] if ten >= 10:
            return ten
        case [ten, one] if (ten == 0 or ten in range(20, 100)) and one in range(1, 10):
            return ten + one
    return None


NEAR: Final = 80  # characters before a number that may tell what it is
_OF_PARTS: Final = re.compile(r"\bGCS\b[^.;]{0,20}\Z", re.IGNORECASE)  # eyes, voice, movement: they are added
_NUMBERS_A_THING: Final = re.compile(
    r"\b(?:bay|bed|room|day|week|grade|stage|type|phase|step|class|NEWS)\s\Z", re.IGNORECASE
)
_AT_AN_HOUR: Final = re.compile(
    r"\b(?:repeat|re-?check|check|next|due|again|send|take)\w*\b[^.;]*\bat\s\Z", re.IGNORECASE
)


def _said_as(words: list[str], before: str, *, has_unit: bool) -> int | None:
    """Return the number that `words` name behind `before`; None if they may name two, or an hour.

    A hundred that is not said ("one twenty") is heard neither across an "and" nor behind a word that takes a number.
    """
    whole = _whole(words)
    if "hundred" in words or "thousand" in words or whole is None or whole < 100:
        return whole
    if all(_WORDS.get(word, 0) <= 9 for word in words):
        return sum(_WORDS.get(word, 0) for word in words) if _OF_PARTS.search(before) else whole
    if "and" in words or _NUMBERS_A_THING.search(before) or (not has_unit and _AT_AN_HOUR.search(before)):
        return None
    return whole


def _unit(written: str | None) -> str:
    if written is None:
        return ""
    said = written.strip().lower()
    for words, unit in _UNIT_WORDS:
        if re.fullmatch(words, said):
            return f" {unit}"
    made = _MADE_OF.fullmatch(said)
    if made is None:
        return written
    unit = _PREFIXES[made["prefix"]] + _BASES[made["base"] or made["alone"]]
    return f" {unit}/{_PREFIXES[made['part']]}{_WHOLES[made['whole']]}" if made["whole"] else f" {unit}"
