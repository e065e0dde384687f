"""Letters: words of the lexicon, Roman numerals, isotopes, codes, acronyms, and plain words."""

from __future__ import annotations

import re
from typing import Final

from tts_queue.ear.atoms import RAISED, AtomKind
from tts_queue.ear.lexicon import LEXICON
from tts_queue.ear.numbers import by_digit, in_words, is_name
from tts_queue.ear.place import AMOUNTS, After, Place, Rewritten, SpokenPiece

_ROMAN: Final = re.compile(r"(XI{0,2}|IX|IV|VI{0,3}|I{1,3})([a-eA-E]?)")
_ROMANS: Final = dict(
    zip("I II III IV V VI VII VIII IX X XI XII".split(), map(str, range(1, 13)), strict=True)
)
_SURE_ROMANS: Final = frozenset({"II", "III", "VI", "VII", "VIII", "XI", "XII"})
_MOST_CAPITALS: Final = 6  # more are a word that is shouted
_MOST_MIXED: Final = 8
_WIDEST: Final = 6  # atoms of a part of a word that the lexicon knows
_READ_AS: Final = {"MRSA": "mersa", "CABG": "cabbage", "SIADH": "S.I.A.D.H"}
_GREEK: Final = re.compile("|".join(LEXICON.greek))


def spelled(letters: str) -> str:
    """Return letters so that an engine names them one by one; a last dot would end its sentence."""
    return ".".join(letters.upper())


def known(place: Place) -> Rewritten | None:
    """Return a word of the lexicon, or a part of one; with brackets or a last dot where it has them."""
    if place.glued(0) and not place.is_sign(-1, "/", "-", "–"):
        return None
    if not place.glued(0) and (said := _known_whole(place)) is not None:
        return Rewritten(_width(place), (SpokenPiece(0, said),))
    part, atoms = place.text(0), 1
    while place.glued(atoms) and atoms < _WIDEST and not place.is_sign(atoms, "/", "-", "–"):
        part, atoms = part + place.text(atoms), atoms + 1
    said = None if place.glued(atoms) and atoms == _WIDEST else _looked_up(part, place)
    return None if said is None else Rewritten(atoms, (SpokenPiece(0, said),))


def _known_whole(place: Place) -> str | None:
    word = place.word(0)
    if word.opening and (said := _looked_up(word.opening + word.core + word.closing, place)) is not None:
        return said
    if word.closing[:1] == "." and (said := _looked_up(f"{word.core}.", place)) is not None:
        return said
    return _looked_up(word.core, place)


def _looked_up(form: str, place: Place) -> str | None:
    return LEXICON.said.get(form) or (LEXICON.dosed.get(form) if place.left.dosed else None)


def _width(place: Place) -> int:
    atoms = 1
    while place.glued(atoms):
        atoms += 1
    return atoms


def roman(place: Place) -> Rewritten | None:
    """Return a Roman numeral: after "stage" and its like, or where it can be nothing else."""
    found = _ROMAN.fullmatch(_upper_but_last(place)) if place[0].kind is AtomKind.LETTERS else None
    if found is None or (place.glued(1) and not (place.is_dash(1) or place.is_sign(1, "/"))):
        return None
    numeral, part = found.groups()
    if place.glued(0) and not (place.is_dash(-1) or place.is_sign(-1, "/")):
        return None
    sure = numeral in _SURE_ROMANS and not part and place.text(0).isupper()
    if not (place.left.numbered or sure):
        return None
    said = in_words(_ROMANS[numeral]) + (f" {part.upper()}" if part else "")
    return Rewritten(1, (SpokenPiece(0, said),), After.NUMBER)


def _upper_but_last(place: Place) -> str:
    """Return letters in capitals if they are small and a number is due: "stage iv"."""
    text = place.text(0)
    return text.upper() if text.islower() and place.left.numbered and len(text) > 1 else text


def isotope(place: Place) -> Rewritten | None:
    """Return "I-131", "131I" and "99mTc" by the element's name."""
    if place[0].kind is AtomKind.LETTERS:
        if not (place.is_dash(1) and place.glued(1, 2) and place.is_whole(2)):
            return None
        return _isotope(place.text(0), place.text(2), place, 3, glued_m=place.text(3))
    if place[0].kind is not AtomKind.RAISED and not place.is_whole(0):
        return None
    if not place.glued(1) or place.glued(0) or place[1].kind is not AtomKind.LETTERS:
        return None
    mass, letters = place.text(0).translate(RAISED), place.text(1)
    found = _isotope(letters, mass, place, 2)
    if found is None and letters.startswith("m"):
        found = _isotope(letters[1:], mass, place, 2, sure_m=True)
    return found


def _isotope(
    element: str, mass: str, place: Place, atoms: int, *, glued_m: str = "", sure_m: bool = False
) -> Rewritten | None:
    named = LEXICON.isotopes.get(element)
    if named is None or mass not in named[1]:
        return None
    meta = sure_m or (glued_m == "m" and place.glued(atoms))
    used = atoms + (1 if meta and not sure_m else 0)
    if place.glued(used) and place[used].kind in (AtomKind.LETTERS, AtomKind.NUMBER):
        return None
    return Rewritten(
        used, (SpokenPiece(0, f"{named[0]} {in_words(mass)}{' M' if meta else ''}"),), After.CODE
    )


def code(place: Place) -> Rewritten | None:
    """Return letters and digits in one: "T2N1M0", "CD20-", "5HT3"; each part by itself."""
    kinds = {AtomKind.LETTERS, AtomKind.NUMBER}
    if place[0].kind not in kinds or not place.glued(1) or place[1].kind not in kinds:
        return None
    if place.glued(0) and place[-1].kind in kinds:
        return None
    pieces, at = [], 0
    while (at == 0 or place.glued(at)) and place[at].kind in kinds:
        text = place.text(at)
        pieces.append(
            SpokenPiece(at, _number_in(text) if place[at].kind is AtomKind.NUMBER else _letters_in(text))
        )
        at += 1
    if sign := _marked(place, place.text(0), at):
        return Rewritten(at + 1, (*pieces, SpokenPiece(at, sign)), After.CODE)
    return Rewritten(at, tuple(pieces), After.CODE)


def _number_in(text: str) -> str:
    return by_digit(text) if text.isdecimal() and (is_name(text) or len(text) > 3) else in_words(text)


def _letters_in(text: str) -> str:
    if len(text) == 1:
        return LEXICON.greek.get(text, text.upper() if text.isascii() else text)
    known_word = None if text.isupper() else LEXICON.said.get(text)  # the "PO" of "PO2" is no mouth
    return known_word or _capitals(text) or (spelled(text) if _is_mixed(text) else text)


def _is_mixed(text: str) -> bool:
    """Return whether letters are named one by one although not all are capitals: "pT", "eGFR", "HBsAg"."""
    capitals = sum(letter.isupper() for letter in text)
    if not text.isascii() or text.isupper() or len(text) > _MOST_MIXED:
        return False
    return capitals >= 3 or (capitals > 0 and len(text) <= 3 and text[0].islower())


def _marked(place: Place, letters: str, at: int) -> str:
    """Return what a last "+" or "-" says of a marker or a blood group."""
    if letters not in LEXICON.markers or not place.glued(at):
        return ""
    if place.glued(at + 1) and not (place.is_sign(at + 1, "/", ",", ")") or place.is_dash(at + 1)):
        return ""
    if place.is_sign(at, "+"):
        return "positive"
    return "negative" if place.is_dash(at) else ""


def letters(place: Place) -> Rewritten | None:
    """Return letters alone: an acronym, a Greek letter, or a word, with what a hyphen joins to it."""
    if place[0].kind is not AtomKind.LETTERS:
        return None
    if sign := _marked(place, place.text(0), 1):
        return Rewritten(2, (SpokenPiece(0, _letters_in(place.text(0))), SpokenPiece(1, sign)))
    if len(place.text(0)) == 1 and place.glued(0) and (place.is_number(-1) or place.is_sign(-1, "'", "’")):
        if place.text(0) == "s":
            return Rewritten(1, (SpokenPiece(0, "'s"),), After.CODE)
        if not place.text(0).isascii():
            return Rewritten(1, (SpokenPiece(0, word_said(place.text(0))),), After.CODE)
        return Rewritten(1, (SpokenPiece(0, place.text(0).upper()),), After.CODE)
    said = word_said(place.text(0))
    atoms = 1
    while said == place.text(0) or atoms > 1:
        if not (place.text(atoms) in ("-", "‐", "‑") and place.glued(atoms, atoms + 1)):
            break
        follows = place.text(atoms + 1)
        plain = place[atoms + 1].kind is AtomKind.LETTERS and word_said(follows) == follows
        if not plain or (place.glued(atoms + 2) and place[atoms + 2].kind is not AtomKind.SIGN):
            break
        said, atoms = f"{said}-{follows}", atoms + 2
    return Rewritten(atoms, (SpokenPiece(0, said),))


def word_said(text: str) -> str:
    """Return what is said for letters that stand alone."""
    if (said := LEXICON.said.get(text)) is not None:
        return said
    if text in LEXICON.sure_units:
        return LEXICON.units[text][1]
    if (said := _capitals(text)) is not None:
        return said
    if any(letter in LEXICON.greek for letter in text):
        named = _GREEK.sub(lambda found: f" {LEXICON.greek[found[0]]} ", text)
        return " ".join(named.split())
    return spelled(text) if _is_mixed(text) else text


def _capitals(text: str) -> str | None:
    """Return capitals as a word or letter by letter, with an "s" for several."""
    many = text.endswith("s") and len(text) > 2
    letters = text[:-1] if many else text
    if not (letters.isascii() and letters.isalpha() and letters.isupper()):
        return None
    if not 2 <= len(letters) <= _MOST_CAPITALS:
        return None
    if letters in LEXICON.read:
        return _READ_AS.get(letters, letters.lower()) + ("s" if many else "")
    return spelled(letters) + ("'s" if many else "")


def between(place: Place) -> Rewritten | None:
    """Return a dash between two codes of one kind, or two Roman numerals, as a range: "C5-C6"."""
    if place.is_dash(0) and place.left.numbered and place.left.after is After.NUMBER and place.glued(0, 1):
        return Rewritten(1, (SpokenPiece(0, "to"),), After.TO) if _ROMAN.fullmatch(place.text(1)) else None
    if not (place.is_dash(0) and place.glued(0, 1, 2) and place.left.after is After.CODE):
        return None
    same = place.text(1) == place.text(-2) and place[1].kind is AtomKind.LETTERS
    return Rewritten(1, (SpokenPiece(0, "to"),), After.TO) if same and place.is_number(2) else None


def _is_fracture(place: Place) -> bool:
    return place[1].kind is AtomKind.LETTERS and place.glued(1) and not place.glued(0)


def sign(place: Place) -> Rewritten | None:
    """Return any other sign: by name, as a pause, or as nothing."""
    if place[0].kind is not AtomKind.SIGN:
        return None
    text = place.text(0)
    if text in ("~", "∼"):
        return (
            Rewritten(1, (SpokenPiece(0, "about"),), After.NOTHING)
            if place.is_number(1)
            else Rewritten(1, ())
        )
    if text in ("'", "’"):
        return Rewritten(1, (), After.CODE)
    if text == "#":
        named = "number" if place.is_number(1) else "fracture" if _is_fracture(place) else ""
        return Rewritten(1, (SpokenPiece(0, named),) if named else ())
    if text == ".":
        numbers = place.is_number(1) and place.is_number(-1)
        return Rewritten(1, (SpokenPiece(0, "point"),) if numbers else (), After.WORD)
    if (name := LEXICON.signs.get(text)) is not None:
        return Rewritten(1, (SpokenPiece(0, name),) if name else (), After.NOTHING)
    inside = place.glued(0) and place.glued(1)
    if text in "/,;:!?|\\…([" and inside and not (text == ":" and place.left.after is After.CODE):
        return Rewritten(1, (SpokenPiece(0, ","),), After.NOTHING)
    return Rewritten(1, (), place.left.after if place.left.after in AMOUNTS else After.NOTHING)
