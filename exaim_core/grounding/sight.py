"""A second look at a finished sentence, by a reader of its own.

It shares no word list, pattern or parser with what made the sentence, and imports nothing of this project. Both
the sentence and the text that it cites are read into marked words; then these are compared: who, what, number
with its unit and its thing, side, denial, hedge, condition, person and past, and the order of a swap. What it
can't bring together it refuses; a quotation is always like itself.
"""

# ruff: noqa: E501 - word lists are read more easily on long lines

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, Protocol

_TOKEN: Final = re.compile(
    r"(?P<number>\d+(?:[.,·:/]\d+)*)|(?P<word>[^\W\d_]+(?:['’/][^\W\d_]+)*)|(?P<mark>[%<>≤≥→=?;:.!,()+~]|->)"
)
_NUMBERS: Final = dict(
    zip(
        "zero one two three four five six seven eight nine ten eleven twelve".split(),
        map(str, range(13)),
        strict=True,
    )
)
_FREE: Final = frozenset(
    "a an the is are was were be been being am has have had do does did of in on at to for and or as by with from into this that "
    "it its their his her she he they them there which who than then so also still both all each per via after before over under "
    "between i about up out off under would will can should must shall".split()
)
"""Words that name nothing. Those that turn a meaning round are marks, and compared as such."""
_FRAME: Final = frozenset(
    "doctor doctors supervisor moderator agent lead think consider favour favor differ side change changed narrow rule open agree "
    "disagree add ask want recommend advise say state propose plan plus verdict diagnosis call keep remain report patient caution critical check correction decision consensus repeat file "
    "record case settled conditional recommendation page finished wanted hold against differential view team first now none no "
    "stand leading test far done order plan withdraw take back point".split()
)
"""What a sentence says of its speaker, not of the patient."""
_DENIAL: Final = frozenset(
    "no not never without nor neither none deny denie denied absent absence negative neg exclude excluded excluding cannot free lack "
    "lacking nil nothing unlikely avoid stop stopped hold held withhold withheld omit contraindicated contraindication forbid forbidden "
    "against scrap drop leave skip refrain discontinue discontinued scrapped dropped omitted skipped instead ruled rejected reject banned prohibited nobody".split()
)
_WEAK: Final = frozenset(
    "may might could possible possibly perhaps maybe consider considered considering query worth potential potentially unlikely "
    "doubt doubtful candidate unsure uncertain unclear whether poss tentative tentatively conceivable conceivably".split()
)
_STRONG: Final = frozenset(
    "likely probable probably suspect suspected suspicion suspicious think thought believe suggest suggestive suggesting presumed "
    "presumably seem appear favour favor prob presumptive working impression lean".split()
)
_CONDITION: Final = frozenset(
    "if unless until till til once when whenever provided except depending pending assuming only otherwise".split()
)
_OTHER: Final = frozenset(
    "mother father brother sister husband wife daughter son aunt uncle cousin grandmother grandfather family familial sibling "
    "neighbour neighbor donor partner parent stepbrother stepsister maternal paternal twin".split()
)
_PAST: Final = frozenset(
    "previous previously former formerly history ago yesterday past childhood resolved prior earlier hx".split()
)
_RESULT: Final = frozenset(
    "confirm confirmed confirming confirmation show showed shown showing reveal revealed demonstrate demonstrated positive proven prove "
    "proved grow grew grown established seen found diagnostic isolated identified detected visible normal negative clear excluded "
    "clean".split()
)
_LATER: Final = frozenset("tomorrow later afterwards eventually".split())
_SIDES: Final = frozenset("left right bilateral bilaterally".split())
_BOUND: Final = frozenset(
    "< > ≤ ≥ least most above below under over less more maximum minimum max min exceeding".split()
)
_UNIT: Final = re.compile(
    r"%|(?:m|µ|μ|n|p|k|d|c)?(?:g|l|mol|m|iu|u|eq|osm|cal|pa|s)|mcg|ug|mmhg|cmh2o|units?|hours?|hrs?|h|min|mins|minutes?|"
    r"days?|weeks?|months?|years?|seconds?|sec|bpm|kcal|puffs?|drops?|tablets?|"
    r"(?:m|µ|μ|n|p|k|d|c|mc|u)?(?:g|l|mol|iu|u|eq|units?)/.+|milligrams?|micrograms?|millilitres?|litres?|liters?|grams?"
)
_OPEN: Final = re.compile(
    r"\b(?:cannot|can ?not|can['’]t|could ?n[o'’]t|couldn['’]t|not|n['’]t) (?:yet |be |been |fully |safely |entirely |reliably |"
    r"completely |to be )*(?:ruled? out|excluded?|rule [a-z ]{1,40}? out|dismissed)\b|\bnot (?:yet )?(?:been )?(?:ruled out|excluded)\b"
)
_RULED: Final = re.compile(r"\brul(?:e|es|ed|ing) out\b")
_UNTIL_SHOWN: Final = re.compile(
    r"\b(?:un)?til+ (?:proven|proved|shown|demonstrated) (?:otherwise|differently)\b"
)
_NOT_DENIED: Final = re.compile(
    r"\b(?:not only|no doubt|no longer than|without (?:delay|doubt|question)|do not (?:delay|miss|forget)|don['’]t (?:delay|miss|forget)|"
    r"no later than|rule out (?=\w)|to rule out)\b"
)
_NEXT_CLAUSE: Final = frozenset({"but", "however", "although", "though", "whereas", "while", "yet"})
_RELATIONS: Final = frozenset(
    "rather instead over before after because versus vs than until cause due → -> then from despite".split()
)
_COVERS_WEAK: Final = frozenset("think consider differential doubt check open conditional ask page".split())
_COVERS_STRONG: Final = _COVERS_WEAK | frozenset(
    "lead leading favour favor differ side narrow rule change now agree want recommend say caution critical decision consensus "
    "settled finished advise propose".split()
)
_REACH: Final = 9  # words that a denial reaches forward
_REACH_BACK: Final = 4  # "PE was ruled out"


_SHORT: Final = tuple(
    (
        re.compile(rf"(?<![\w-])(?:{long})(?![\w-])", re.IGNORECASE),
        re.compile(rf"(?<![\w-])(?:{short})(?![\w-])"),
        form,
    )
    for long, short, form in (
        ("heart rate", "HR", "heartrate"),
        ("blood pressure", "BP", "bloodpressure"),
        ("respiratory rate", "RR", "resprate"),
        ("oxygen saturations?|saturations?", "[Ss]ats?|SpO2|SaO2", "saturation"),
        ("creatinine", "[Cc]r|[Cc]reat", "creatinine"),
        ("bilirubin", "[Bb]ili", "bilirubin"),
        ("lactate", "[Ll]act", "lactate"),
        ("platelets?", "[Pp]lts?", "platelet"),
        ("haemoglobin|hemoglobin", "H[bB]|hb", "haemoglobin"),
        ("potassium", "K|K\\+", "potassium"),
        ("sodium", "Na|Na\\+", "sodium"),
        ("calcium", "[Cc]a|Ca2\\+", "calcium"),
        ("white cells?|white cell count|white count", "WCC|WBC", "whitecell"),
        ("ultrasound", "US|USS", "ultrasound"),
        ("temperature", "[Tt]emp|T(?= \\d)", "temperature"),
        ("cultures?", "cx", "culture"),
        ("blood", "[Bb]ld", "blood"),
        ("sensitivit(?:y|ies)", "[Ss]ens", "sensitivity"),
        ("tomorrow", "tmrw", "tomorrow"),
        ("glucose", "[Gg]luc|BM", "glucose"),
        ("diagnosis", "[Dd]x", "diagnosis"),
        ("treatment", "[Rr]x|[Tt]x", "treatment"),
        ("history of|history", "[Hh]x", "history"),
        ("intensive care(?: unit)?", "ICU|ITU", "icu"),
        ("interventional radiology", "IR", "ir"),
        ("gallbladder", "GB", "gallbladder"),
        ("common bile duct", "CBD", "cbd"),
        ("pulmonary embol(?:ism|us)", "PE", "pe"),
        ("myocardial infarction", "MI", "mi"),
        ("atrial fibrillation", "AF", "af"),
        ("lumbar puncture", "LP", "lp"),
        ("chest x-?ray", "CXR", "cxr"),
        ("subcutaneous(?:ly)?", "[Ss][Cc]", "subcutaneous"),
        ("intravenous(?:ly)?", "[Ii][Vv]", "iv"),
        ("intramuscular(?:ly)?", "[Ii][Mm]", "im"),
        ("twice daily|twice a day", "[Bb][Dd]|[Bb][Ii][Dd]", "bd"),
        ("three times daily|three times a day", "[Tt][Dd][Ss]|[Tt][Ii][Dd]", "tds"),
        ("four times daily|four times a day", "[Qq][Dd][Ss]|[Qq][Ii][Dd]", "qds"),
        ("immediately|at once", "stat|STAT", "stat"),
        ("without", "w/o", "without"),
        ("with", "w/", "with"),
        ("january", "[Jj]an", "january"),
        ("february", "[Ff]eb", "february"),
    )
)
"""Wordings of one thing: written out, as an abbreviation (whose letters count), and as both are compared."""
_STEMS_OF_MANY: Final = frozenset(
    "hyper hypo anti post inter intra cardi cardio neuro gastro micro macro hydro trans ortho para meta myelo cyto nephro hepat "
    "pneumo thrombo arthr oste".split()
)


class Entailment(Protocol):
    """A model that says whether a sentence follows from others. There is none by default."""

    def follows(self, sentence: str, cited: Sequence[str]) -> bool | None:
        """Return whether it does; None if it can't say, which lets nothing out."""
        ...


@dataclass(frozen=True, slots=True)
class Word:
    """A word as it is compared; `clause` counts within its text, `number` is its value if it is one."""

    form: str
    clause: int
    denied: bool = False
    number: str = ""
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Seen:
    """What one text says: its words in order, and the marks of each clause."""

    words: tuple[Word, ...]
    marks: tuple[frozenset[str], ...]  # by clause
    asked: bool

    def places(self, form: str) -> list[int]:
        """Return where a word stands."""
        return [at for at, word in enumerate(self.words) if word.form == form]


def stem(word: str) -> str:
    """Return a word without its commonest endings."""
    word = re.sub(r"['’]s?\Z", "", word)
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    return (
        word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word
    )


def _number(text: str) -> str:
    plain = text.replace("·", ".")
    if re.fullmatch(r"\d+,\d{1,2}", plain):
        plain = plain.replace(",", ".")
    plain = plain.replace(",", "")
    return re.sub(r"\.0+\Z", "", plain)


@lru_cache(maxsize=4096)
def seen(text: str) -> Seen:
    """Read a text into words and marks."""
    text = unicodedata.normalize("NFKC", text).replace("’", "'").replace("*", "")
    for long, short, form in _SHORT:
        text = short.sub(form, long.sub(form, text))
    text = text.lower()
    asked = text.rstrip(" \"')*").endswith("?")
    text = _NOT_DENIED.sub(lambda match: re.sub(r"\b(?:not|no|without|n't|rule)\b", "", match[0]), text)
    text = _OPEN.sub(" possible ", text)
    text = _UNTIL_SHOWN.sub(" likely ", _RULED.sub(" excluded ", text))
    text = re.sub(r"\b(\w+)n['’]t\b", r"\1 not", text)
    forms, clauses, clause = list[tuple[str, str]](), list[int](), 0
    sentences = [0]  # by clause
    for match in _TOKEN.finditer(text):
        raw, kind = match[0], match.lastgroup or ""
        not_yet = raw == "yet" and bool(forms) and forms[-1][0] in _DENIAL
        leads_on = raw in {"→", "->", "="} and not text[match.end() :].lstrip()[:1].isdigit()
        if (kind == "mark" and raw in ".;!?:") or (raw in _NEXT_CLAUSE and not not_yet) or leads_on:
            clause += 1
            sentences.append(sentences[-1] + (raw in ".;!?"))
            continue
        if kind == "mark" and raw in ",()+~":
            forms.append((",", "mark"))
            clauses.append(clause)
            continue
        form = _number(raw) if kind == "number" else _NUMBERS.get(raw, stem(raw))
        forms.append((form, "number" if form[:1].isdigit() else kind))
        clauses.append(clause)
    return Seen(_words(forms, clauses), _marks(forms, clauses, sentences), asked)


def _words(forms: Sequence[tuple[str, str]], clauses: Sequence[int]) -> tuple[Word, ...]:
    words = list[Word]()
    answered = _answered_no(forms, clauses)
    for at, (form, kind) in enumerate(forms):
        after = forms[at + 1][0] if at + 1 < len(forms) and clauses[at + 1] == clauses[at] else ""
        unit = after if kind == "number" and _UNIT.fullmatch(after) else ""
        denied = _denied(forms, clauses, at) or clauses[at] + 1 in answered
        words.append(Word(form, clauses[at], denied, form if kind == "number" else "", unit))
    return tuple(words)


def _answered_no(forms: Sequence[tuple[str, str]], clauses: Sequence[int]) -> frozenset[int]:
    """Return the clauses that only say no: they deny the one before."""
    by_clause = dict[int, list[str]]()
    for (form, _), clause in zip(forms, clauses, strict=True):
        by_clause.setdefault(clause, []).append(form)
    return frozenset(
        clause for clause, said in by_clause.items() if set(said) <= {"no", "not", "yet", "never", ","}
    )


def _denied(forms: Sequence[tuple[str, str]], clauses: Sequence[int], at: int) -> bool:
    """Tell whether a denial before the word, or right behind it, is about it."""
    back, reached = at - 1, 0
    while back >= 0 and clauses[back] == clauses[at] and reached < _REACH:
        if forms[back][0] in _DENIAL:
            return True
        if forms[back][0] == "," and _starts_anew(forms, back + 1):
            break
        back, reached = back - 1, reached + 1
    for ahead in range(at + 1, min(len(forms), at + 1 + _REACH_BACK)):
        if clauses[ahead] != clauses[at] or forms[ahead][0] in {",", "and"}:
            return False
        if forms[ahead][0] in {
            "excluded",
            "unlikely",
            "negative",
            "neg",
            "absent",
            "rejected",
            "ruled",
            "nil",
            "contraindicated",
        }:
            return True
    return False


def _starts_anew(forms: Sequence[tuple[str, str]], at: int) -> bool:
    """Tell whether what begins here after a comma is a statement of its own: it has a number or a verb."""
    ahead = [form for form, _ in forms[at : at + 4]]
    return any(form[:1].isdigit() for form in ahead) or bool(
        {"is", "are", "was", "were", "has", "have", "i", "we", "she", "he", "it", "give", "start", "and"}
        & set(ahead[:3])
    )


def _marks(
    forms: Sequence[tuple[str, str]], clauses: Sequence[int], sentences: Sequence[int]
) -> tuple[frozenset[str], ...]:
    """Return the marks of each clause; a condition is one of its whole sentence."""
    found = [set[str]() for _ in sentences]
    for (form, _), clause in zip(forms, clauses, strict=True):
        for name, lexicon in _MARKED.items():
            if form in lexicon:
                found[clause].add(name)
    held = {sentences[clause] for clause, marks in enumerate(found) if "condition" in marks}
    return tuple(
        frozenset(marks | {"condition"} if sentences[clause] in held else marks)
        for clause, marks in enumerate(found)
    )


_MARKED: Final = {
    "denied": _DENIAL,
    "weak": _WEAK,
    "strong": _STRONG,
    "condition": _CONDITION,
    "other": _OTHER,
    "past": _PAST,
    "later": _LATER,
    "result": _RESULT,
}
_ANY_MARK: Final = (
    frozenset().union(*(lexicon for name, lexicon in _MARKED.items() if name != "result")) | _SIDES | _BOUND
)


def unlike(
    text: str,
    cited: Sequence[str],
    *,
    names: Iterable[str] = (),
    terms: Iterable[str] = (),
    strict: bool = False,
) -> str | None:
    """Return in what `text` is unlike the text that it cites; None if in nothing.

    `names` are those of speakers who may be named, `terms` other wordings for what is cited. `strict`: whoever
    wrote it is not bound to any form, so each part of it keeps the order of one part of the cited text.
    """
    if not cited:
        return None
    read = seen(" . ".join(cited))
    said = _in_words_of(seen(_without(text, names)), read)
    alias = {word.form for term in terms for word in seen(term).words}
    for check in (_words_known, _numbers_kept, _sides_kept, _denials_kept, _order_kept):
        reason = check(said, read, alias)
        if reason is not None:
            return reason
    if strict and (reason := _parts_kept(said, read) or _all_marks_kept(said, read)):
        return reason
    return _marks_kept(said, read, any(seen(each).asked for each in cited))


def _in_words_of(said: Seen, read: Seen) -> Seen:
    """Return `said` with words of another ending, or written out, as the cited text has them."""
    there = sorted({word.form for word in read.words if not word.number and word.form != ","}, key=len)
    known = set(there)
    words = tuple(
        word if word.number or word.form in known else replace(word, form=_same_word(word.form, there))
        for word in said.words
    )
    return replace(said, words=words)


def _same_word(form: str, there: Sequence[str]) -> str:
    if form in _FREE or form in _FRAME or form in _ANY_MARK or len(form) < 5:
        return form
    for other in there:
        common = next(
            (k for k, (a, b) in enumerate(zip(form, other, strict=False)) if a != b),
            min(len(form), len(other)),
        )
        cut_short = common == len(other) >= 4 and other not in _STEMS_OF_MANY
        other_ending = common >= 5 and common >= 0.75 * max(len(form), len(other))
        if (cut_short or other_ending) and other not in _ANY_MARK and other not in _FREE:
            return other
    return form


def _without(text: str, names: Iterable[str]) -> str:
    for name in sorted(names, key=len, reverse=True):
        if name:
            text = re.sub(rf"(?<!\w)(?:(?:from|by) )?{re.escape(name)}(?:['’]s)?(?!\w)", " ", text, flags=re.IGNORECASE)
    return text


def _told(said: Seen, there: frozenset[str] = frozenset()) -> list[Word]:
    """Return the words that state something, in order; one of a frame does if it is `there`, in the cited text."""
    return [
        word
        for word in said.words
        if word.form not in _FREE
        and (word.form not in _FRAME or word.form in there)
        and word.form not in _ANY_MARK
        and word.form != ","
    ]


def _words_known(said: Seen, read: Seen, alias: set[str]) -> str | None:
    there = {word.form for word in read.words} | alias
    loose = {word[:-2] if word.endswith(("ed", "ly")) else word for word in there}
    for word in _told(said):
        if word.number or word.form in there or word.form in loose or _half(word.form, there):
            continue
        return "a word is not in the cited text"
    return None


def _half(form: str, there: set[str]) -> bool:
    """Tell whether a word joined by a stroke stands there in parts, or the other way round."""
    return "/" in form and all(part in there for part in map(stem, form.split("/")))


def _numbers_kept(said: Seen, read: Seen, alias: set[str]) -> str | None:
    for at, word in enumerate(said.words):
        if not word.number:
            continue
        homes = [place for place in read.places(word.form)]
        if not homes:
            if word.form in alias or word.form in {"1", "2", "3", "4", "5"}:
                continue  # a count of agents, which is held against the vote
            return "a number is not in the cited text"
        if word.unit and not any(read.words[home].unit in {word.unit, ""} for home in homes):
            return "a number has another unit"
        label = _label(said, at)
        near = [home for home in homes if label and _belongs(read, home, label)]
        if label and label in {each.form for each in read.words} and not near:
            return "a number belongs to something else"
        bound = {said.words[back].form for back in range(max(0, at - 3), at)} & _BOUND
        for home in near or homes:
            there = {read.words[back].form for back in range(max(0, home - 3), home)} & _BOUND
            if bool(bound) == bool(there) and _direction(bound) == _direction(there):
                break
        else:
            return "the bound of a number is lost or turned round"
    return None


_UP: Final = frozenset("> ≥ least above over more minimum min exceeding".split())


def _direction(bound: set[str]) -> bool:
    return bool(bound & _UP)


def _label(said: Seen, at: int) -> str:
    """Return the word that a number is read with: the last telling one before it in its clause."""
    for back in range(at - 1, -1, -1):
        word = said.words[back]
        if word.clause != said.words[at].clause or word.number or word.form == ",":
            return ""
        if (
            word.form not in _FREE
            and word.form not in _FRAME
            and word.form not in _ANY_MARK
            and not _UNIT.fullmatch(word.form)
        ):
            return word.form
    return ""


def _belongs(read: Seen, home: int, label: str) -> bool:
    """Tell whether no other measured value stands between a number and its label in the cited text."""
    for place in read.places(label):
        low, high = sorted((place, home))
        between = read.words[low + 1 : high]
        if read.words[place].clause != read.words[home].clause and place > home:
            continue
        if not any(word.number and (word.unit or place > home) for word in between):
            return True
        if place < home and all(not word.number or word.unit == read.words[home].unit for word in between):
            return not any(
                word.form not in _FREE
                and not word.number
                and word.form != ","
                and not _UNIT.fullmatch(word.form)
                and word.form not in _PAST
                and word.form not in _BOUND
                and len(word.form) > 4
                for word in between
            )
    return False


def _sides_kept(said: Seen, read: Seen, alias: set[str]) -> str | None:
    here = {word.form for word in said.words if word.form in _SIDES} - alias
    if here and not here <= {word.form for word in read.words}:
        return "a side is not in the cited text"
    for at, word in enumerate(said.words):
        if word.form in here and (thing := _thing(said, at)) and thing in {each.form for each in read.words}:
            if not any(_with_side(read, place, _sided(said, at)) for place in read.places(word.form)):
                return "a side belongs to something else"
    for word in _told(said):
        sided = [side for place in read.places(word.form) if (side := _side_before(read, place))]
        if sided and len(sided) == len(read.places(word.form)) and not here and word.form not in alias:
            return "a side is lost"
    return None


def _thing(text: Seen, at: int) -> str:
    for word in text.words[at + 1 : at + 4]:
        if word.form not in _FREE and word.form not in {"sided", "side", ","}:
            return word.form
    return ""


def _sided(said: Seen, at: int) -> list[str]:
    """Return the telling words that are said of a side: those behind it, up to another side or a comma."""
    found = list[str]()
    for word in said.words[at + 1 :]:
        if word.form in _SIDES or word.form == "," or word.clause != said.words[at].clause:
            break
        if word in _told(Seen((word,), (), asked=False)):
            found.append(word.form)
    return found[:4]


def _with_side(read: Seen, place: int, things: Sequence[str]) -> bool:
    """Tell whether `things` stand nearer to this side than to another one."""
    sides = [at for at, word in enumerate(read.words) if word.form in _SIDES and at != place]
    low = max((at for at in sides if at < place), default=-1)
    high = min((at for at in sides if at > place), default=len(read.words))
    around = {word.form for word in read.words[low + 1 : high]}
    return all(thing in around or not read.places(thing) for thing in things)


def _side_before(read: Seen, place: int) -> str:
    before = read.words[place - 1].form if place else ""
    return before if before in _SIDES else ""


def _denials_kept(said: Seen, read: Seen, alias: set[str]) -> str | None:
    """Each telling word is denied here if and only if it is denied in some place there."""
    for word in _told(said):
        places = read.places(word.form)
        if not places or word.number:
            continue
        there = {read.words[place].denied for place in places}
        if word.denied not in there:
            return "a denial is lost" if not word.denied else "a denial is not in the cited text"
    return None


def _order_kept(said: Seen, read: Seen, alias: set[str]) -> str | None:
    """Around a word that orders two things, both stand as they do in the cited text."""
    for at, word in enumerate(said.words):
        if word.form not in _RELATIONS or word.form not in {each.form for each in read.words}:
            continue
        left, right = _beside(said, at, -1), _beside(said, at, 1)
        if not left or not right or not read.places(left) or not read.places(right) or left == right:
            continue
        if not any(_apart(read, place, left, right) for place in read.places(word.form)):
            return "two things have changed places"
    starts = [word.form for word in said.words]
    if "from" in starts and "to" in starts[starts.index("from") :]:
        middle = starts.index("to", starts.index("from"))
        first, second = _beside(said, middle, -1), _beside(said, middle, 1)
        if (
            first
            and second
            and read.places(first)
            and read.places(second)
            and "from" in {w.form for w in read.words}
        ):
            if not any(a < b for a in read.places(first) for b in read.places(second)):
                return "two things have changed places"
    return None


def _beside(text: Seen, at: int, step: int) -> str:
    place = at + step
    while 0 <= place < len(text.words):
        word = text.words[place]
        if (
            word.form not in _FREE
            and word.form not in _FRAME
            and word.form != ","
            and not _UNIT.fullmatch(word.form)
        ):
            return word.form
        place += step
    return ""


def _apart(read: Seen, place: int, left: str, right: str) -> bool:
    return any(at < place for at in read.places(left)) and any(at > place for at in read.places(right))


_JOINS: Final = frozenset({",", "and", "plus", "with"})


def _parts_kept(said: Seen, read: Seen) -> str | None:
    """Each part of the sentence stands in order in one clause of the cited text, and skips no comma of it."""
    part, last = list[str](), -1
    for word in (*said.words, Word(",", -1)):
        if word.form not in _JOINS and (not part or word.clause == last):
            last = word.clause
            if word in _told(Seen((word,), (), asked=False)):
                part.append(word.form)
            continue
        if len(part) > 1 and not any(_holds(read, clause, part) for clause in range(len(read.marks))):
            return "what belongs apart is put together"
        part = (
            [word.form] if word.form not in _JOINS and word in _told(Seen((word,), (), asked=False)) else []
        )
        last = word.clause
    return None


def _all_marks_kept(said: Seen, read: Seen) -> str | None:
    """Keep the denials of what is touched, one for one, and every condition of what is cited."""
    there = frozenset(word.form for word in read.words)
    touched = _touched(said, read, there)
    denials = sum("denied" in read.marks[clause] for clause in touched)
    if denials > sum(word.form in _DENIAL for word in said.words):
        return "a denial is lost"
    for word in _told(said, there):
        places = read.places(word.form)
        if places and not word.number and word.denied not in {read.words[place].denied for place in places}:
            return "a denial is lost" if not word.denied else "a denial is not in the cited text"
    if any("condition" in marks for marks in read.marks) and not any(
        "condition" in marks for marks in said.marks
    ):
        return "a condition is lost"
    return None


def _holds(read: Seen, clause: int, part: Sequence[str]) -> bool:
    """Tell whether `part` is, in its order, in this clause, with no number passed over on the way."""
    words = [word for word in read.words if word.clause == clause]
    forms = [word.form for word in words]
    for start, form in enumerate(forms):
        if form != part[0]:
            continue
        at, commas = start, 0
        for want in part[1:]:
            later = next((k for k in range(at + 1, len(forms)) if forms[k] == want), None)
            if later is None:
                break
            commas += sum(forms[k] == "," or bool(words[k].number) for k in range(at + 1, later))
            at = later
        else:
            if commas == 0:
                return True
    return False


def _touched(said: Seen, read: Seen, there: frozenset[str] = frozenset()) -> list[int]:
    """Return the fewest clauses of the cited text that hold what is told, the fullest first."""
    told = {word.form for word in _told(said, there)}
    held = [
        {word.form for word in read.words if word.clause == clause} & told
        for clause in range(len(read.marks))
    ]
    picked = list[int]()
    while told and held:
        best = max(range(len(held)), key=lambda clause: len(held[clause] & told))
        if not held[best] & told:
            break
        told -= held[best]
        picked.append(best)
    return picked


def _marks_kept(said: Seen, read: Seen, asked: bool) -> str | None:
    touched = _touched(said, read)
    there = frozenset[str]().union(*(read.marks[clause] for clause in touched))
    here = frozenset[str]().union(*said.marks)
    frames = {word.form for word in said.words}
    if "critical" in frames:
        return None  # an alarm is told whatever it hangs on
    if "weak" in there and "weak" not in here and not frames & _COVERS_WEAK:
        return "a doubt is told as certain"
    if "strong" in there and not {"weak", "strong"} & here and not frames & _COVERS_STRONG:
        return "a doubt is told as certain"
    added = any(word.form in _WEAK | _STRONG and word.form not in _FRAME for word in said.words)
    if added and not any({"weak", "strong"} & marks for marks in read.marks) and not asked:
        return "a doubt is not in the cited text"
    for mark, name in (
        ("condition", "a condition"),
        ("other", "whose it is"),
        ("past", "that it is past"),
        ("later", "when it is"),
    ):
        if mark in there and mark not in here:
            return f"{name} is lost"
        if mark in here and mark not in there and not any(mark in marks for marks in read.marks):
            return f"{name} is not in the cited text"
    if (
        asked
        and len(read.marks) <= 2
        and not said.asked
        and not frames & {"ask", "open", "check", "whether", "consider", "think"}
    ):
        return "a question is told as an answer"
    return None


def verbatim(words: str, text: str) -> bool:
    """Tell whether `words` stand in `text` one behind the other, whatever their case and punctuation."""
    wanted = [word.form for word in seen(words).words if word.form != ","]
    there = [word.form for word in seen(text).words if word.form != ","]
    return bool(wanted) and any(
        there[at : at + len(wanted)] == wanted for at in range(len(there) - len(wanted) + 1)
    )


def marks_at(words: str, cited: Sequence[str]) -> frozenset[str]:
    """Return how `words` are meant in the text that holds most of them: the marks of their clauses."""
    said, read = seen(words), seen(" . ".join(cited))
    touched = _touched(said, read)
    marks = frozenset[str]().union(*(read.marks[clause] for clause in touched)) - {"denied"}
    told = [word.form for word in _told(said)]
    places = [at for form in told for at in read.places(form) if read.words[at].clause in touched]
    denied = bool(places) and sum(read.words[at].denied for at in places) * 2 > len(places)
    return marks | {"denied"} if denied else marks
