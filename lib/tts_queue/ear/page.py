"""Read the facts of a written text: numbers in digits, units, signs, sides and negations.

A reader of its own beside the rules by which the same text is said, so that the two do not err alike: they
share the lexicon, and nothing else. Words are read as they are read aloud.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Final

from tts_queue.ear.aloud import MONTHS, Facts, Number, read, read_aloud, roman, words_of
from tts_queue.ear.lexicon import LEXICON

_OPEN: Final = "([{\"'“‘«"
_CLOSE: Final = ")]}\"'”’».,;:!?…"
_ENDS: Final = frozenset(".,;:!?…)]")
_DASHES: Final = "-–—−‐‑‒―"
_RAISED: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_PARTS: Final = dict(
    zip("½¼¾⅓⅔⅕⅛⅜⅝⅞", ("12", "14", "34", "13", "23", "15", "18", "38", "58", "78"), strict=True)
)
_ROMANS: Final = {
    numeral: str(number) for number, numeral in enumerate("i ii iii iv v vi vii viii ix x xi xii".split(), 1)
}
_SHORT_MONTHS: Final = {name[:3]: name for name in MONTHS} | {"sept": "september"}

_UCUM: Final = re.compile("|".join(map(re.escape, LEXICON.ucum)))
_ANNOTATION: Final = re.compile(r"(?<=\S)\{[^{}\s]{0,40}\}|(?<=\d )\{[^{}\s]{0,40}\}")
_TWO_WORDS: Final = re.compile("|".join(map(re.escape, LEXICON.two_words)))
_BLANKS: Final = re.compile(r"(?<![\d.,])\d{1,3}(?: 0\d\d)(?: \d{3}){0,3}(?![\d,.])")
_CARET_UNIT: Final = re.compile(r"(?<=[a-zµμ])\^(?=[23](?!\d))")

_UNIT: Final = re.compile(
    "(?:" + "|".join(map(re.escape, sorted(LEXICON.units, key=len, reverse=True))) + r")(?![^\W_])"
)
_NUMBER: Final = re.compile(r"\d{1,3}(?:,\d{3})+(?![\d,])(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+")
_LETTERS: Final = re.compile(r"[^\W\d_⁰¹²³⁴⁵⁶⁷⁸⁹½¼¾⅓⅔⅕⅛⅜⅝⅞]+(?:['’][^\W\d_]+)*")
_SIGN: Final = re.compile(r"\+/[-−–]|>=|<=|=>|-{1,3}>|[-–—]{2,3}|\+{2,4}|[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+|.", re.DOTALL)
_POWER: Final = re.compile(r"10(?:([\^eE*(])([-−–+]?)(\d+)\)?|([⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+))")
_LOST_POWER: Final = re.compile(r"10[-−–](\d)(?![\d.,]*\d)")  # "1.5 x 10-3"
_TIMES: Final = ("x", "X", "×", "*", "∙", "·")
_SCIENTIFIC: Final = re.compile(r"(\d+(?:\.\d+)?)[eE]([-−–+]?)(\d{1,2})(?!\d)")
_SPANS: Final = {"7": "days", "12": "months", "52": "weeks"}
_SPAN: Final = re.compile(r"(\d\d?)/(7|12|52)(?![\d/])")
_DATES: Final = (
    re.compile(r"(?P<y>(?:19|20)\d\d)-(?P<m>\d\d)-(?P<d>\d\d)(?!-?\d)"),
    re.compile(r"(?P<y>(?:19|20)\d\d)-(?P<m>0\d)(?!-?\d)"),
    re.compile(r"(?P<m>\d\d?)/(?P<y>(?:19|20)\d\d)(?!/?\d)"),
    re.compile(r"(?P<a>\d\d?)(?P<by>[/.])(?P<b>\d\d?)(?P=by)(?P<y>(?:19|20)\d\d)(?![/.]?\d)"),
    re.compile(r"(?P<d>\d\d?)-(?P<name>[A-Za-z]{3,9})-(?P<y>(?:19|20)?\d\d)(?!\d)"),
)
_ORDINAL: Final = re.compile(r"(?:st|nd|rd|th)(?![^\W_])", re.IGNORECASE)
_TENS: Final = re.compile(r"['’]?s(?=$|[-–—/]\d)")
_IN_TENS: Final = frozenset(
    "the his her their my your early mid late low lower high upper".split()
)  # "in the 80s"
_LASTING: Final = frozenset({"for", "after", "every", "within"})  # "for 90s"
_ISOMER: Final = re.compile(r"(?:Tc|Kr|In|Rb)-\d+m(?![^\W_])")
_ISOTOPE: Final = re.compile(r"[A-Z][a-z]?-\d+m?(?:-.*)?|[\d⁰¹²³⁴⁵⁶⁷⁸⁹]+m?[A-Z][a-z]?(?:-.*)?")
_CHAIN: Final = re.compile(r"\d+(?:[-–]\d+){2,}")


class _JustPassed(Enum):
    """What the reader has just passed."""

    NOTHING = "nothing, or a pause"
    WORD = "a word"
    COUNTED = "a word that may be counted: of a number, or by habit"
    AMOUNT = "a number, or its unit"
    CODE = "a number after letters"
    BELOW = "the stroke after an amount"


def read_page(text: str, before: str = "", *, spans: bool = False) -> Facts:
    """Return the facts in a text; `before` is the word that stands before it.

    `spans`: "5/7" is read as five days, as "2/52" always is.
    """
    return _Reader(text, before, spans=spans).facts()


class _Reader:
    """Goes through the words of a page once, and keeps what a number would be the second half of."""

    def __init__(self, text: str, before: str, *, spans: bool) -> None:
        text = _UCUM.sub(lambda found: LEXICON.ucum[found[0]], text)
        text = _ANNOTATION.sub("", _TWO_WORDS.sub(lambda found: LEXICON.two_words[found[0]], text))
        text = _CARET_UNIT.sub("", _BLANKS.sub(lambda found: found[0].replace(" ", ""), text))
        self._words = text.split()
        self._last = before.strip(_OPEN + _CLOSE)
        self._tokens: list[str | Number] = []
        self._facts = Facts()
        self._before = _JustPassed.NOTHING
        self._to: bool | None = False
        self._spans = spans

    def facts(self) -> Facts:
        """Read all words; for one call."""
        for at, word in enumerate(self._words):
            follows = self._words[at + 1] if at + 1 < len(self._words) else ""
            self._word(word, follows)
        return read(self._tokens, self._facts)

    def _word(self, word: str, follows: str) -> None:
        core = word.lstrip(_OPEN).rstrip(_CLOSE)
        if word[0] in _OPEN or not core:
            self._before = _JustPassed.NOTHING
        if (known := _known(word, core)) is not None:
            self._tokens += words_of(known)
            self._before = _JustPassed.WORD
        elif len(core) == 1 and core in _DASHES:
            self._free_dash(core, follows)
        else:
            if (dosed := LEXICON.dosed.get(core)) is not None:
                self._facts.maybe.update(read_aloud(dosed).others)
            if not core[:1].isdecimal():
                self._to = False if self._to is True else self._to
            at = 0
            while at < len(core):
                at = self._step(core, at)
        if word[-1] in _ENDS:
            self._before = _JustPassed.NOTHING
        self._last = core

    def _free_dash(self, core: str, follows: str) -> None:
        number = bool(_NUMBER.match(follows))
        if number and self._before is _JustPassed.AMOUNT:
            self._to = True
        elif number and (core == "−" or _may_be_negative(self._last)):
            self._tokens.append("minus")
            self._before = _JustPassed.NOTHING
        else:
            self._before = _JustPassed.NOTHING

    def _step(self, core: str, at: int) -> int:
        """Read what stands at a place of a word; return the place after it."""
        here = core[at]
        if here.isdecimal() or (
            here == "." and core[at + 1 : at + 2].isdecimal() and not core[at - 1 : at].isalnum()
        ):
            return self._digits(core, at)
        unit = _UNIT.match(core, at)
        if unit is not None and self._takes(unit[0], at):
            self._tokens += words_of(LEXICON.units[unit[0]][1])
            self._before = _JustPassed.AMOUNT
            return unit.end()
        if (letters := _LETTERS.match(core, at)) is not None:
            self._letters(core, letters)
            return letters.end()
        sign = _SIGN.match(core, at)
        if sign is None:
            return at + 1
        self._sign(core, sign)
        return sign.end()

    def _takes(self, symbol: str, at: int) -> bool:
        if self._before in (_JustPassed.AMOUNT, _JustPassed.BELOW):
            return True
        return symbol in LEXICON.sure_units and at == 0

    # Numbers --------------------------------------------------------------------------------------------

    def _digits(self, core: str, at: int) -> int:
        in_code = at > 0 and core[at - 1].isalpha() and core[at - 1] not in "xXqQ"
        if not in_code:
            for reader in (self._date, self._power, self._scientific, self._span):
                if (end := reader(core, at)) is not None:
                    return end
        found = _NUMBER.match(core, at)
        end = found.end() if found else at + 1
        digits = core[at:end].replace(",", "")
        self._number(f"0{digits}" if digits[0] == "." else digits)
        self._before = _JustPassed.CODE if in_code else _JustPassed.AMOUNT
        if digits[-1] == "0" and (plural := _TENS.match(core, end)):
            alone = at == 0 and plural[0] == "s" and digits.isdecimal() and len(digits) < 4
            self._tens_or_seconds(digits, self._last.casefold() if alone else "")
            return plural.end()
        if _ORDINAL.match(core, end):
            return end + 2
        return end + 1 if _ISOMER.match(core) and core[end : end + 1] == "m" else end

    def _tens_or_seconds(self, digits: str, last: str) -> None:
        """Take the "s" of "for 90s" for seconds, that of "BP 90s" for none, and any other for either."""
        of_measure = last in LEXICON.pressures | LEXICON.ranged and float(digits) >= 20
        if last in _LASTING:
            self._facts.others["second"] += 1
        elif last not in _IN_TENS and not of_measure:
            self._facts.maybe["second"] += 1

    def _number(self, digits: str) -> None:
        self._tokens.append(Number(digits, self._to))
        self._to = False

    def _date(self, core: str, at: int) -> int | None:
        found = next((found for form in _DATES if (found := form.match(core, at))), None)
        if found is None or core[at - 1 : at] in ("-", "/", "."):
            return None
        parts = found.groupdict()
        if "a" in parts:
            days = _days(int(parts["a"]), int(parts["b"]))
            if len(days) > 1:
                for name in ("a", "b", "y"):
                    self._number(parts[name])
                return found.end()
        else:
            days = {(int(parts.get("d") or 1), _month_of(parts.get("m") or parts["name"]))}
        day, month = next(iter(days), (0, 0))
        if day not in range(1, 32) or month not in range(1, 13):
            return None
        if "a" in parts or "d" in parts:
            self._number(str(day))
        self._tokens.append(LEXICON.months[month - 1].casefold())
        self._number(parts["y"])
        self._before = _JustPassed.WORD
        return found.end()

    def _power(self, core: str, at: int) -> int | None:
        lost = _LOST_POWER.match(core, at)
        if lost is not None and self._is_multiplied(core, at):
            self._ten_to("-", lost[1])
            return lost.end()
        found = _POWER.match(core, at)
        if found is None or core[at - 1 : at].isdecimal():
            return None
        how, minus, exponent, raised = found.groups()
        if raised:
            minus, exponent = raised[0] if raised[0] in "⁻⁺" else "", raised.translate(_RAISED).lstrip("+-")
        self._ten_to(minus, exponent, sure=how != "*")
        return found.end()

    def _is_multiplied(self, core: str, at: int) -> bool:
        """Tell whether a number and "x" stand before: right before, or the number with a point."""
        if at:
            return core[at - 1] in _TIMES
        numbers = [token for token in self._tokens if isinstance(token, Number)]
        return self._last in _TIMES and bool(numbers) and "." in numbers[-1].digits

    def _scientific(self, core: str, at: int) -> int | None:
        """Read "1.2E-5"; without a sign or a point it may be a name."""
        found = _SCIENTIFIC.match(core, at)
        if found is None or not (found[2] or "." in found[1]):
            return None
        self._number(found[1])
        self._ten_to(found[2], found[3].lstrip("0") or "0")
        return found.end()

    def _ten_to(self, sign: str, exponent: str, *, sure: bool = True) -> None:
        self._number("10")
        self._facts.others["power"] += sure
        self._facts.maybe["power"] += not sure
        if sign and sign not in "+⁺":
            self._tokens.append("minus")
        self._number(exponent)
        self._before = _JustPassed.AMOUNT

    def _span(self, core: str, at: int) -> int | None:
        """Read "5/7" as five days."""
        found = _SPAN.match(core, at) if self._spans else None
        if found is None or core[at - 1 : at] not in ("", "x", "X"):
            return None
        self._number(found[1])
        self._tokens.append(_SPANS[found[2]])
        self._before = _JustPassed.AMOUNT
        return found.end()

    # Letters --------------------------------------------------------------------------------------------

    def _letters(self, core: str, found: re.Match[str]) -> None:
        text = found[0]
        counted = self._before is _JustPassed.AMOUNT or text in LEXICON.counted
        if text == "K" and core[found.end() : found.end() + 1] == "/" and self._before is _JustPassed.AMOUNT:
            self._tokens.append("thousand")
            return
        if text in LEXICON.isotopes and _ISOTOPE.fullmatch(core):
            return
        if (numeral := roman(text.casefold())) is not None:
            digits = _ROMANS.get(numeral) or _ROMANS[numeral[:-1]]
            self._tokens.append(Number(digits, None, numeral))
            self._before = _JustPassed.WORD
            return
        if text == "X":
            self._tokens.append(Number("10", None, "x"))
            return
        short = _SHORT_MONTHS.get(text.casefold()) if text[0].isupper() else None
        if short is not None and text.casefold() not in MONTHS:
            self._facts.maybe[short] += 1
        else:
            self._tokens += words_of(LEXICON.said.get(text, text))
        self._before = _JustPassed.COUNTED if counted else _JustPassed.WORD

    # Signs ----------------------------------------------------------------------------------------------

    def _sign(self, core: str, found: re.Match[str]) -> None:
        text, at, end = found[0], found.start(), found.end()
        left, right = core[at - 1 : at] if at else "", core[end : end + 1]
        if len(text) == 1 and text in _DASHES:
            self._dash(core, at, end)
        elif not text.strip("+"):
            self._plus(core, at, end)
        elif text.translate(_RAISED).lstrip("+-").isdecimal():
            digits = text.translate(_RAISED)
            self._tokens += ["minus"] if digits[0] == "-" else ["plus"] if digits[0] == "+" else []
            self._number(digits.lstrip("+-"))
        elif text in _PARTS:
            self._tokens += [Number(digit, None) for digit in _PARTS[text]]
            self._before = _JustPassed.AMOUNT
        elif text == "/" and self._before in (_JustPassed.AMOUNT, _JustPassed.COUNTED):
            self._before = _JustPassed.BELOW
        elif text in "~∼":
            self._tokens += ["about"] if right.isdecimal() else []
        elif text in ":." and left.isdecimal():
            self._to = None
            self._before = _JustPassed.NOTHING
            self._facts.maybe.update(("hour", "second"))
        elif (name := LEXICON.signs.get(text)) is not None:
            self._tokens += words_of(name)
            self._before = _JustPassed.NOTHING
        else:
            self._before = _JustPassed.NOTHING

    def _dash(self, core: str, at: int, end: int) -> None:
        left, right = core[at - 1 : at] if at else "", core[end : end + 1]
        number = right.isdecimal() or (right == "." and core[end + 1 : end + 2].isdecimal())
        if number and self._before in (_JustPassed.AMOUNT, _JustPassed.CODE) and left != "^":
            listed = _CHAIN.search(core) is not None or (right == "0" and core[end + 1 : end + 2].isdecimal())
            self._to = None if listed or self._before is _JustPassed.CODE else True
            self._before = _JustPassed.NOTHING
        elif (number and not left.isalpha()) or (number and _may_be_negative(_letters_before(core, at))):
            self._tokens.append("minus")
            self._before = _JustPassed.NOTHING
        elif left and not right and self._before is _JustPassed.AMOUNT:
            self._to = True  # "5- 10"
        elif _is_marker(core, at, end):
            self._tokens.append("negative")
        elif self._before is _JustPassed.CODE or _ROMANS.get(_letters_before(core, at).casefold()):
            self._to = None

    def _plus(self, core: str, at: int, end: int) -> None:
        if _is_marker(core, at, end):
            self._tokens.append("positive")
        elif end - at > 1:
            self._tokens += [Number(str(end - at), None), "plus"]
        elif core[at - 1 : at].isdecimal() or core[end : end + 1].isdecimal():
            self._tokens.append("plus")
        else:
            self._facts.maybe["+"] += 1
        self._before = _JustPassed.NOTHING


def _known(word: str, core: str) -> str | None:
    """Return what the lexicon says for a whole word, with its brackets or its last dot where it has them."""
    forms = [core]
    if word[0] in _OPEN:
        forms.insert(0, word)
    if word[len(word.rstrip(_CLOSE)) :].startswith("."):
        forms.insert(0, f"{core}.")
    return next((LEXICON.said[form] for form in forms if form in LEXICON.said), None)


def _days(first: int, second: int) -> set[tuple[int, int]]:
    """Return the days and months that two numbers may be."""
    return {(day, month) for day, month in ((first, second), (second, first)) if month in range(1, 13)}


def _month_of(written: str) -> int:
    """Return a month's number, or 0."""
    if written.isdecimal():
        return int(written)
    name = _SHORT_MONTHS.get(written.casefold()[:3], "")
    return [*MONTHS].index(name) + 1 if name else 0


def _may_be_negative(word: str) -> bool:
    word = re.split(r"[-–]", word)[-1]
    return word in LEXICON.signed or (not word.isupper() and word.casefold() in LEXICON.signed)


def _letters_before(core: str, at: int) -> str:
    """Return the letters that end at a place of a word."""
    start = at
    while start and core[start - 1].isalpha():
        start -= 1
    return core[start:at]


def _is_marker(core: str, at: int, end: int) -> bool:
    """Return whether the sign at a place says whether a marker or a blood group is there."""
    if core[end : end + 1] not in ("", "/", ",", ")", "-", "–"):
        return False
    stem = core[:at].rstrip("0123456789")
    return bool(stem) and _letters_before(core, len(stem)) in LEXICON.markers
