"""A second look at a value that is to alarm: is it read alike by somebody who knows nothing of the first reader?

It has words and patterns of its own and imports nothing of this project; who is kin is in a file that both read. It does not look for values; it is
shown a sentence, a name and a number in it, and says what keeps these from being this patient's value now. It knows the few
ways in which a name stands at the head of its part of the sentence, and its number beside it. What it does not know is a doubt: then the sentence itself is told.
"""

# ruff: noqa: E501 - word lists are read more easily on long lines

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from enum import StrEnum
from importlib import resources
from typing import Final


class Doubt(StrEnum):
    """Why a value is not told as a bare name and number."""

    ELSEWHERE = "of somebody else, of another time, or no value that was measured"
    UNREAD = "something stands beside it that was not read"


_WORD: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_LINKS: Final = frozenset(
    "is was were are of at now to has had have been come came comes back only just level levels result results reading read reads today "
    "tonight currently again even still a an the this his her their its patient's up down risen rose rises fell fallen falls dropped drops increased "
    "jumped climbed sits stands runs running remains remained stays measured measures measuring shows showed shown on serum plasma venous arterial blood "
    "capillary gas lab laboratory very high low critical critically dangerously severely severe about around approximately roughly nearly almost "
    "repeat repeated latest newest first second third initial sample specimen one taken drawn sent from mmol mg meq g l dl ml iu u kpa mmhg umol micromol nmol ng and with as comes in "
    "returned returns reported reports gives gave value count rate concentration whopping whole yet already morning afternoon evening "
    "gone went goes here right left arm arms both mosm kg mcg ug µg ng pg fl cells seconds sec s h min breaths beats bpm degrees c minute units phoned found being reached hit hits touching good bad per confirmed confirms into range since then it that which he she we they room air mask".split()
)
"""Words that may stand between a name and its number without changing whose, when or of what it is."""
_AFTER: Final = frozenset(
    "mmol mg meq g l dl ml iu u kpa mmhg umol micromol micromoles millimoles nmol ng pmol per and with but so on at in is was has needs need now today tonight this "
    "still again while for from despite after needing requires which that we he she it they i our his her the a an to confirmed "
    "high low critical critically dangerously repeat repeated ecg or as by because since unless until before started given not "
    "over systolic rectal tympanic core oral palpable percent litre litres liter deciliter hour hours h min seconds s sec degrees celsius c x bpm breaths beats minute units unit "
    "are were will would must should can may might could if of yet already just too very no there calls means makes worries demands".split()
)
"""Words that may follow a number; what else follows it may be a thing ("2 bath"), a way of measuring, or a part."""
_LABELS: Final = frozenset(
    "labs lab bloods blood gas abg vbg obs vitals vs observations results result o s b a p r e ex exam objective subjective findings finding assessment situation "
    "background o/e oe values value critical urgent alert note update data investigations tests bedside monitor bloods now today biochemistry "
    "chemistry electrolytes renal u&e u&es ue fbc coag coagulation haematology hematology key summary reply answer breaking panel "
    "news important warning attention danger repeat patient problem concern issue main primary arterial venous state status event new "
    "evidence comment observation action thought phone triage handover serum plasma cardiac monitoring mdt icu ed nurse stat".split()
)
"""What may stand before a colon without changing what the values behind it are."""
_KIN: Final = tomllib.loads(resources.files("exaim_core").joinpath("data/kin.toml").read_text("utf-8"))
_OTHERS: Final = re.compile(
    r"\b(?:(?:an)?other|different|wrong|next|neighbou?ring|opposite|previous|last|second) (?:\w+ )?(?:patients?|residents?|man|woman|boy|girl|child|lad(?:y|ies)|case|person|bed|bay|room|name|baby|twin|number)\b|\b(?:another|wrong) (?:tube|sample|label|hospital)\b"
    rf"|(?:{_KIN['steps'].replace(' ', '|')}|(?<!with)(?<!told)(?<!per)(?<!informed)(?<!by)(?:\A|\W))(?:{'|'.join(_KIN['words'].split())})\b(?! (?:{_KIN['tells']})\b)"
    rf"|\b(?:{'|'.join(_KIN['words'].split())})['’]"
    rf"|\b(?:{_KIN['together']})"
    r"|\b(?:partner|donor|neighbou?r|family|colleague|friend|girlfriend|boyfriend|flatmate|step\w+)s?\b"
    r"|\bunder (?:his|her|their|another|the wrong) name\b|\b(?:bed|bay|cubicle|room) \d+\b|\bnot (?:hers|his|ours|theirs|this patient)\b|\bnamesake\b|\bsame (?:sur)?name\b",
    re.IGNORECASE,
)
_PAST: Final = re.compile(
    r"\b(?:19|20)\d\d\b(?!/)|\b(?:years?|months?|weeks?) (?:ago|before|earlier)\b|\blast (?:year|month|week|spring|summer|autumn|winter|admission|time|visit)\b|"
    r"\b(?:previously|formerly|historical|back then|at that time|in the past|baseline|(?:previous|prior|earlier|former|usual|old) (?:admission|values?|results?|labs?|bloods|notes?|records?))\b|\bused to\b|\badmission in\b",
    re.IGNORECASE,
)
_ARRIVAL: Final = re.compile(
    r"\b(?:on arrival|in the ambulance|at (?:the )?scene|pre-?hospital|at presentation|on admission|at first|initially|before (?:treatment|the first|fluids?))\b",
    re.IGNORECASE,
)
_DATED: Final = re.compile(
    r"\b(?<!since )(?:last (?:night|week|month|year|time)|yesterday|(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?) ago|(?:mon|tues|wednes|thurs|fri|satur|sun)day|"
    r"(?:jan|febr)uary|march|april|june|july|august|(?:septem|octo|novem|decem)ber|\d{1,2} (?:may|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b)|"
    r"at (?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|noon|midnight))\b",
    re.IGNORECASE,
)
"""A day, or an hour in words, that a value is given: it is told with it. A clock's time stands before most values of a log."""
_NO_VALUE: Final = re.compile(
    r"\b(?:targets?|aims?|aiming|goals?|thresholds?|limits?|cut-?offs?|criteri(?:a|on)|score[sd]?|points?|scale|bath|dialysate|infusate|reference|expected|predicted|calculated|formula|drop|falls? of|rise of|"
    r"change of|differences?|gradient|delta|per cent of|number to|hold (?:it |her |him )?(?:at|until|to)|ceiling|triggers?|below|under|beneath|"
    r"textbooks?|typically|usually|example|hypothetical\w*|imagine|option|which of)\b|(?<!-)[<>≤≥]\s*\Z",
    re.IGNORECASE,
)
_REASSIGNS: Final = re.compile(
    r"\b(?:that|this|it|which)(?:['’]s| is| was|,? belongs to) (?:not )?(?:(?:for|from|of|in) )?"
    r"(?:the [^\W_]+(?: \w+)?|(?-i:[A-Z]+-?\d+|(?:Mr|Mrs|Ms|Miss|Dr) [A-Z]\w+)(?: \w+)?|(?:bed|bay|room|cubicle|chair|trolley) \w+|"
    r"an? (?:\w+ )?(?:man|woman|boy|girl|child|baby|lad|lady|gentleman|patient|resident)),",
    re.IGNORECASE,
)
"""Whose or what a number is, by a label, is said before it: "that's R1, the hypo, sugar 1.9"."""
_BEYOND: Final = re.compile(r"\b(?:above|over|beyond|below|under) (?:an? |the )?\Z", re.IGNORECASE)
"""Before a name it makes the value a bound: "above pH 6.9 …"."""
_HANGS: Final = re.compile(
    r"\b(?:if|unless|until|whenever|in case|should (?:it|the|she|he)|would|suppose|guidelines?)\b",
    re.IGNORECASE,
)
_STOP: Final = re.compile(
    r"[;.!?](?=\s|\Z)|\s[–—-]{1,2}\s|(?<=[^:]{18}):\s|,? \b(?:but|whereas|while|although|and (?=is\b|are\b|has\b|now\b|today\b))\b|"
    r"(?<=[a-z]), (?=(?:the|his|her|their|he|she|it|its|now|today) )"
)
_OURS: Final = re.compile(r"\b(?:ours?|our patient|this patient|her own|his own)\b", re.IGNORECASE)
_NOW: Final = re.compile(r"\b(?:now|today|currently|this morning|tonight)\b", re.IGNORECASE)
_BRACKET: Final = re.compile(r"\([^()]*\)")
_OWN: Final = re.compile(
    r"\b(?:recipient|patient)(?:['’]s)?(?: own)? \Z|\b(?:his|her|their) own \Z|\b(?:he|she) (?:now )?has (?:a|an) \Z",
    re.IGNORECASE,
)
_OF_THEN: Final = re.compile(r"\W*(?:\w+/?\w*\W+){0,3}?then\b")
_IS_AIM: Final = re.compile(
    r"\W*(?:(?:is|was) (?:the |a |our )?(?:number|target|aim|goal|limit|threshold|ceiling|floor)|(?:\w+(?:/\w+)? )?(?:bath|dialysate|drop|fall|rise|points?))\b"
)
_GOES_ON: Final = re.compile(
    r"(?: ?(?![A-Z]{2})[^\W\d_]+(?:/[^\W\d_]+)?){0,4}(?:,| then|, then| ?(?:→|->)) (?:now )?\d+(?:[.,]\d+)?"
    r"(?= (?:\w+ ){0,2}?(?:on|later|now|after|at|by|since|today|tonight|repeat\w*)\b)",
    re.IGNORECASE,
)
"""Another value of the same thing, which comes after it: the first is not how it stands now."""
_CHANGED: Final = re.compile(r"[^;]*?\b(?:up|down|back|on) to (?:about |around )?\d", re.IGNORECASE)
"""A later number that something came to: of what, the sentence tells."""
_MAY_BE: Final = re.compile(
    r"\b(?:may|might|could|possibl[ey]|perhaps|risk of|prevent\w*|avoid\w*|watch for|look for|prepare\w* for|in case|to exclude|rule out)\b|\?|[<>≤≥]",
    re.IGNORECASE,
)
_LABEL: Final = re.compile(r"(?P<words>[^:]*(?::(?=\d)[^:]*)*):\s(?!.*:\s)", re.DOTALL)
_SEGMENT: Final = re.compile(
    r"[,;:|()\[\]\"“{}>→=*•]|->|\s[–—-]{1,2}\s|[.!?](?=\s)|\b(?:and|but)\b|(?<!\S)[>=]{4,}", re.IGNORECASE
)
"""Where the part of a sentence begins that a name may stand at the head of."""
_BEFORE: Final = frozenset(
    # whose and which
    "she's he's they're she’s he’s here's there's patient's a an the this that his her their its our it he she we who whose which one each both "
    "latest newest new next last first second third initial repeat repeated highest lowest peak worst fetal foetal maternal formal "
    # that it is so, and when
    "is was are were has had have been now today tonight currently again even still already yet then just only since at of on in to from with as into "
    "up down risen rising fallen falling morning afternoon evening "
    # how bad
    "very high low critical critically dangerously severe severely unfortunately sadly worryingly alarmingly "
    # where it was measured
    "serum plasma venous arterial capillary blood gas lab laboratory sample specimen sent taken drawn level levels result results reading "
    "fit fits seizure seizures collapse hand-held handheld portable bedside chart screen poc point-of-care fingerstick finger-stick fingerprick finger-prick "
    # who tells
    "show shows showed shown read reads reported reports gives gave given returned returns measured measures says phoned confirmed confirms "
    "please note noted found seen recorded documented "
    # how the patient came
    "brought presented presents presenting arrived arrives admitted being despite treatment therapy room air mask right left arm arms "
    "l ml mg g".split()
)
"""What may stand before a name at the head of its part, besides what may stand before a colon.

A list apart from what may stand behind the name: "they come back with a fever of 41" tells how others do.
"""
_VERSION: Final = re.compile(r"\A\s*(?:[<>=]{4,}|»)")
"""Before one of two versions of a text: nobody has chosen between them yet."""
_CAME_BACK: Final = re.compile(r"\b(?:has )?(?:just )?came back\b", re.IGNORECASE)
_THEN_WAS: Final = re.compile(r"\A\W*(?:then (?:was|were|had)|(?:was|were|had been) then)\b", re.IGNORECASE)
_IF_LABEL: Final = re.compile(
    r"(?:\A|[.;] )(?:if|unless|when|should)(?: (?!will\b|would\b)[^\s:.;]+){1,4}:\s(?!.*[.;] )", re.IGNORECASE
)
"""A condition as a label, which has no room for a main clause: what stands behind it is what would be."""
_ONCE: Final = re.compile(
    r"\b(?:since|in|of) (?:last )?(?:January|February|March|April|May|June|July|August|September|October|November|December)\b|"
    r"\b(?:days?|weeks?|months?|years?) ago\b|\blast (?:week|month|year|spring|summer|autumn|winter)\b"
)
_CLOCKED: Final = re.compile(r"\W*(?:[01]?\d|2[0-3]):[0-5]\d\W*\Z")
"""An hour between a name and its number: a course of values may go on behind it."""
_PLACED: Final = re.compile(
    r"\b(?:the|that) (?:\w+ )?(?:lady|man|woman|boy|girl|gentleman|chap|lad|baby|child|patient|resident|one) (?:in|from|at|on|opposite|next to|by) \w+",
    re.IGNORECASE,
)
"""Somebody who is told apart by a place: who that is, the sentence tells."""
_SUM: Final = re.compile(r":\s(?:[^\d,:;]+,\s){2,}[^\d,:;]+=\s*\Z")  # "Score: this, that, a third = 4"
_DISEASE: Final = re.compile(
    r"(?:itis|osis|a?emia|pathy|toxicity|poisoning|overdose|infarction|ischa?emia|failure|syndrome|shock|disease|disorder|injury|crisis|"
    r"stroke|embolism|dissection|sepsis|bleed|bleeding|ha?emorrhage|infection|o?edema|block|arrest|tamponade)\Z"
)
"""How the last word of a disease's name ends."""
_STATE: Final = re.compile(r"(?:tensive|cardic|pno?eic|thermic|a?emic|oxic|otic|febrile)\Z")
"""How a word ends that says in what state a patient is: hypotensive, tachycardic, hyperkalaemic."""
_HEADS: Final = _BEFORE | _LABELS
MOST_BETWEEN: Final = 9
MOST_LABEL_WORDS: Final = 6


def doubt_about(
    text: str, name: str, value: str, above: Sequence[str] = (), *, earlier: str = "", patient: str = ""
) -> Doubt | None:
    """Return what keeps `value`, under `name`, from being plainly this patient's now; None if nothing does.

    `above` is what the sentence stands under, outermost first, `earlier` the sentence before it in its turn, and
    `patient` the patient's own name ("Mrs Smith").
    """
    at = _whole(text, value)
    if at is None:
        return Doubt.UNREAD
    start, end = at
    first, last = _clause(text, start, end)
    named = text.lower().rfind(name.lower(), first, start)
    before = text[first:start] if named < 0 else f"{text[first:named]} {text[named + len(name) : start]}"
    if any(_OTHERS.search(title) or _PAST.search(title) for title in above):
        return Doubt.ELSEWHERE
    own = named >= 0 and _OWN.search(text[first:named]) is not None
    if named >= 0 and (_BEYOND.search(text[first:named]) or _IF_LABEL.search(text, 0, named)):
        return Doubt.ELSEWHERE
    if named >= 0 and _THEN_WAS.search(text[named + len(name) : start]):
        return Doubt.ELSEWHERE
    near = re.split(r",\s", text[end:last])[0]
    if not own and _is_elsewhere(before, near):
        ours = _OURS.search(text) or _NOW.search(text, max(named, first), start)
        return Doubt.UNREAD if ours else Doubt.ELSEWHERE
    others = any(words.search(part) for words in (_OTHERS, _PLACED) for part in (text[:first], text[end:]))
    if _SUM.search(text[:start]):
        return Doubt.ELSEWHERE
    marks = others or _VERSION.match(text) is not None or _then(f"{text[first:start]} {near}")
    marks = marks or (named >= 0 and _REASSIGNS.search(text, first, named) is not None)
    beside = marks or _odd_label(text, start) or _tells_of_then(text[first:last], earlier)
    if _HANGS.search(before) or (beside and not own) or _goes_on(text[end:]):
        return Doubt.UNREAD
    if named >= 0 and not own and not _heads_its_part(text, named, start, len(name), patient):
        return Doubt.UNREAD
    return None if _together(text, name, start, end) else Doubt.UNREAD


def doubt_about_event(text: str, above: Sequence[str] = ()) -> Doubt | None:
    """Return what keeps an emergency that `text` names from having happened to this patient; None if nothing does."""
    whole = " ".join((*above, text))
    if any(words.search(whole) for words in (_OTHERS, _NO_VALUE, _MAY_BE, _HANGS)):
        return Doubt.ELSEWHERE
    return Doubt.UNREAD if _PAST.search(text) else None


def _is_elsewhere(before: str, behind: str) -> bool:
    clause = _BRACKET.sub(" ", f"{before} {behind}")
    return (
        _OTHERS.search(clause) is not None
        or _PAST.search(clause) is not None
        or _meant_otherwise(before, behind)
    )


def _whole(text: str, value: str) -> tuple[int, int] | None:
    """Return where the value stands as a number of its own, the last time; None if it is a part of another."""
    found = None
    for match in re.finditer(re.escape(value), text):
        before, after = text[: match.start()][-2:], text[match.end() :][:2]
        if before[-1:].isalnum() or re.search(r"[\d\w][.,·/-]\Z", before) or before.endswith(("-", "·")):
            continue
        if (value[-1:].isdigit() and re.match(r"\d|[.,·/-]\d", after)) or after[:1] == "-":
            continue
        found = match.span()
    return found


def _clause(text: str, start: int, end: int) -> tuple[int, int]:
    stops = list(_STOP.finditer(text))
    first = max((match.end() for match in stops if match.end() <= start), default=0)
    last = min((match.start() for match in stops if match.start() >= end), default=len(text))
    return first, last


def _meant_otherwise(before: str, behind: str) -> bool:
    """Tell whether the words before the number, or right behind it, make it no measured value, or one of then."""
    if _NO_VALUE.search(before):
        return True
    behind = re.split(r",\s|\band\b", behind)[0]
    return _OF_THEN.match(behind) is not None or _IS_AIM.match(behind) is not None


def _then(words: str) -> bool:
    return _ARRIVAL.search(words) is not None or _DATED.search(words) is not None


def _goes_on(behind: str) -> bool:
    return _GOES_ON.match(behind) is not None or _CHANGED.match(behind) is not None


def _tells_of_then(text: str, earlier: str) -> bool:
    """Tell whether the sentence before tells of what was once, and nothing says that `text` speaks of now."""
    if any(map(str.isdigit, earlier)) or _NOW.search(earlier) or _NOW.search(text):
        return False  # it gives values itself, of now and then
    return _ONCE.search(earlier) is not None


def _heads_its_part(text: str, named: int, start: int, length: int, patient: str) -> bool:
    """Tell whether only words that are known stand before a name in its part, and no hour between it and its number.

    "Potassium 6.9", "hyperkalaemia with a potassium of 6.9" state a value; "they come back with a fever of 41" tells of
    one. That one patient "came back with" it is known, and so is the patient's own name.
    """
    opened = max((match.end() for match in _SEGMENT.finditer(text, 0, named)), default=0)
    lead = _CAME_BACK.sub(" ", text[opened:named])
    if patient:
        lead = re.sub(rf"\b{re.escape(patient)}(?:['’]s)?", " ", lead)
    words = (word.lower() for word in _WORD.findall(lead))
    plain = all(word in _HEADS or _DISEASE.search(word) or _STATE.search(word) for word in words)
    return plain and _CLOCKED.match(text[named + length : start]) is None


def _odd_label(text: str, start: int) -> bool:
    """Tell whether the words before the last colon that stands before the number are no label that is known."""
    part = max(text.rfind(mark, 0, start) for mark in (". ", "; ", "\n")) + 1
    label = _LABEL.search(text, part, start)
    if label is None or not text[label.end() : start].strip(
        " =<>~("
    ):  # "potassium: 6.9": the label is the name
        return False
    words = [word.lower() for word in _WORD.findall(label["words"])]
    if words[:1] == ["to"]:
        return False  # whom it is said to
    if not words or len(words) > MOST_LABEL_WORDS or set(words) <= _LABELS | _LINKS:
        return False
    return _DISEASE.search(words[-1]) is None  # what a patient has is argued for by the patient's values


def _together(text: str, name: str, start: int, end: int) -> bool:
    """Tell whether name and number stand together in a way that is known."""
    before = text[:start]
    at = before.lower().rfind(name.lower())
    if at < 0:
        behind = text[end : end + 40].lower()
        return name.lower() in behind and len(behind.split(name.lower())[0].split()) <= MOST_BETWEEN - 6
    words = [word.lower() for word in _WORD.findall(before[at + len(name) :])]
    if len(words) > MOST_BETWEEN or any(word not in _LINKS for word in words):
        return False
    follows = re.match(r"\s+(?P<word>[^\W\d_]+)", text[end:])
    return follows is None or follows["word"].lower() in _AFTER
