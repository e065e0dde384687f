"""What must not be given or done, in outright forms, whatever its object is: the open default.

A form that forbids is told even if nobody knows the word that it forbids. What is only said about forbidding
(it was held last year, there is no need to avoid it, guidelines say so) is none: `assertion` reads how it is meant.
"""

# ruff: noqa: E501 - a row is read more easily on its one line

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from exaim_core.lexicon.drugs import DRUG, drugs_named
from exaim_core.lexicon.kinds import names_measure
from exaim_core.text.assertion import Status, statuses_at
from exaim_core.text.rows import Row, checked
from exaim_core.text.sections import Section

_START: Final = r"(?:^|(?<=[.;:,—–] )|(?<=[.;:,—–])|\b(?:and|but|so|then|therefore|please|also|now|just|immediately|definitely|absolutely|strongly)\s+|\b(?:I|we)(?:['’]d| would| will|['’]ll)? (?:\w+ )?|\b(?:you|she|he|they|team|nurses|pharmacy|everyone) (?:should|must) (?:\w+ )?|\b(?:should|must|(?<!the )need to|needs to|have to|has to|ought to|advise to|recommend to|would) (?:\w+ly )?|\blet(?:['’]s| us) |\bmy advice is to |\bsuggest (?:we |to )?|\brecommend (?:we |that we )?|\bwant to |\bplan(?: is)? to |\bbest to |\bsafer to )"
_GIVE: Final = r"(?:give|start|use|prescribe|administer|restart|re-start|take|receive|add|continue|load|offer|commence|initiate|inject|infuse|order|chart|repeat|combine|mix|co-prescribe|put)"

_ROWS: Final = checked(
    (
        Row(
            "avoid",
            rf"{_START}(?P<verb>avoid|withhold|omit|discontinue|suspend|refrain from|steer clear of|stay away from|keep (?:her|him|them|this patient) off|stay off)(?:ing)? (?P<object>.+)",
            "I would avoid metformin",
            "it was avoided",
        ),
        Row(
            "avoiding",
            r"(?:\b(?:recommend|advise|suggest|favou?r|support|insist on|urge|by) )(?P<verb>avoiding|withholding|omitting|stopping|holding|discontinuing|suspending) (?P<object>.+)",
            "I recommend avoiding metformin",
            "avoidance of delay",
        ),
        Row(
            "hold",
            rf"{_START}(?P<verb>hold|stop|cease|skip|pause|halt|drop|leave out|take (?:her|him) off)(?: off)?(?: giving| using)? (?!on\b|onto\b|to\b|that thought|still|here|the line\b|and\b|up\b|by\b|at\b)(?P<object>.+)",
            "Hold the metformin",
            "stop and think",
        ),
        Row(
            "do not give",
            rf"\b(?P<verb>(?:(?:do|must|should|shall|could|would|will|may|can|ought)(?:\s?n[o'’]t| not)|can['’]t|won['’]t|let['’]s not|let us not)(?: to)?(?: be)?|never|cannot|not to|nobody should|no ?one should) (?:\w+ly )?(?:{_GIVE}|be (?:given|started|on|used)|given|used|started|prescribed|administered|restarted|rely on) (?P<object>.+)",
            "Do not give metformin",
            "do not delay",
        ),
        Row(
            "must not have",
            r"(?P<verb>(?:must|should|may|ought|is|are) not(?: to)? (?:have|get|receive|go on|be on)) (?P<object>.+)",
            "She must not have metformin",
            "she will not have two weeks",
        ),
        Row(
            "not to be given",
            r"(?P<object>[A-Za-z][\w\s/-]{2,60}?) (?P<verb>(?:must|should|shall|ought|can)(?:\s?n[o'’]t| not)(?: to)? be (?:given|used|started|prescribed|administered|restarted|continued|combined|offered)|cannot be (?:given|used|started)|(?:is|are) not to be (?:given|used|started))",
            "Metformin must not be given",
            "the result must not be missed",
        ),
        Row(
            "contraindicated",
            r"(?P<object>[A-Za-z][\w\s,/()-]{2,80}?) (?P<verb>(?:is|are|remains?|would be|seems?|becomes?)(?: (?:absolutely|strictly|strongly|relatively|clearly|therefore|also|now|completely|still|both|all))* (?:contra-?indicated|off the table|out of the question|forbidden|prohibited|banned|unsafe|dangerous|not (?:safe|an option|indicated here|permitted|allowed|advisable|recommended)|to be (?:avoided|stopped|held|withheld)|on hold|off limits|a no-go|best avoided|out(?! of| on| for| and| to)))",
            "Metformin is contraindicated",
            "she is out of bed",
        ),
        Row(
            "should be stopped",
            r"(?P<object>[A-Za-z][\w\s,/()-]{2,60}?) (?P<verb>(?:must|should|has to|have to|needs? to|ought to|is to|are to) (?:\w+ly )?be (?:\w+ly )?(?:avoided|stopped|held|withheld|discontinued|suspended|paused|omitted|ceased))",
            "Metformin should be held",
            "it should be started",
        ),
        Row(
            "has no place",
            r"(?P<object>[A-Za-z][\w\s/-]{2,60}?) (?P<verb>(?:has|have) no (?:place|role)|(?:is|are) no (?:substitute|option|alternative)|would be reckless|would (?:kill|harm|be (?:harmful|dangerous|lethal|fatal|a mistake)))",
            "Metformin has no place here",
            "has a place",
        ),
        Row(
            "not yet",
            r"(?P<object>[A-Za-z][\w /+-]{2,40}?): (?P<verb>not (?:yet|now|today|tonight|for (?:her|him)))",
            "Rifampicin: not yet",
            "not yet back",
        ),
        Row(
            "left out",
            r"(?P<object>[A-Za-z][\w /+-]{2,40}?)[:,?] (?:I(?:['’]d| would)|we(?:['’]d| would)|let us|let['’]s|please) (?P<verb>(?:leave|keep) (?:it|them|that|this) (?:out|alone|off)|(?:not|skip|drop|omit|avoid|scrap|cancel))",
            "Gentamicin: I would leave it out",
            "she was left out",
        ),
        Row(
            "off",
            r"(?P<object>[A-Za-z][\w /+-]{2,40}?) (?P<verb>(?:stays?|remains?|goes|is|are|all) off(?= |[.,;]|\Z)(?! (?:the ward|work|his|her)))",
            "Apixaban stays off",
            "she is offered it",
        ),
        Row(
            "scrap",
            rf"{_START}(?P<verb>scrap|cancel|strike|ditch) (?:the |my |his |her |our )(?P<object>.+)",
            "Scrap the gent",
            "scrapped",
        ),
    )
)
_NO: Final = re.compile(
    r"(?:^|[.;:,—–] |\b(?:and|so|but|therefore|absolutely|with|please) )(?P<verb>no|not any|nil) (?:more |further |additional |oral |iv |intravenous )?(?P<object>[A-Za-z][\w-]+(?:[ /-][\w-]+){0,3})",
    re.IGNORECASE,
)
_UNDONE: Final = re.compile(
    r"(?:\b(?:no (?:need|reason|indication|point|plan|intention)(?: \w+)? to|not (?:\w+ )?(?:to )?|n['’]t (?:\w+ )?|never(?: to)?|nor|without|unnecessary to|cannot|rather than|instead of|decided against|rejected|against|unwise to|wrong to|whether to|if we|how to|when to|considered|tried to|used to|able to|trying to|helps? to|needed to|careful to|remember to not|order to) ?|\bwhether\b[^.;]*)\Z",
    re.IGNORECASE,
)
_NO_OBJECT: Final = re.compile(
    r"(?:(?:any |the |a |an |this |that |such |further |undue |unnecessary )*(?:delays?|mis(?:diagnos|interpret|read|attribut|label|lead|judg)\w*|delaying|waiting|missing|overlooking|confusion|confusing|anchoring|premature closure|bias|assum\w+|thinking|discuss\w*|debat\w*|repeat\w*|worry\w*|argu\w+|talking|speculat\w+|guess\w*|rely\w*|jumping|forget\w*|ignor\w*|harm\b|error|mistakes?|duplication|interrupt\w+|bleeding|smoking|it if|if\b|when\b|there|here|now|point|view|meeting|session|discussion|judg\w+|conclu\w+|loss to follow|follow-?up|level|levels|\W*\Z))",
    re.IGNORECASE,
)
_LEVEL: Final = re.compile(
    r"\b(?:levels?|allerg\w+|history|evidence|signs?|sign of|reaction|interaction\w*|toxicity|overdose|contraindication\w*|indication|role|response|benefit|needed|required|necessary|extravasation|enhancement|leak\w*|uptake)\b",
    re.IGNORECASE,
)
_OTHER: Final = frozenset({Status.QUESTION, Status.BOOKS, Status.OTHER_PERSON, Status.PAST})
_NOTHING_NAMED: Final = re.compile(
    r"(?:it|them|that|this|these|those|any(?:body|one|thing)|her|him|us|you|people|one|ones|the (?:rest|other|same))\b",
    re.IGNORECASE,
)
_TITLE: Final = re.compile(
    r".*\b(?:avoid|do not (?:give|use|start|prescribe)|don['’]t (?:give|use)|must not(?: be given)?|not to (?:give|be given)|contra-?indicat\w+|prohibited|forbidden|withhold|withheld|hold|held|stop|stopped|off the table|never)\b.*|do(?: not|n['’]?ts?)|no|not|not now|not yet|not indicated|not approved|declined|rejected",
    re.IGNORECASE,
)
_EMPTY: Final = re.compile(
    r"\W*(?:none|nil|no|n/?a|not applicable|unknown|no known \w+|yes|see above)\b|.*\b(?:is|are) (?:acceptable|fine|safe|ok|okay|allowed)\b",
    re.IGNORECASE,
)


_PERMITS: Final = re.compile(
    r"\bno (?:reason|need|indication|cause|ground|grounds) (?:\w+ )?(?:to|for)\b|\bno \w+(?: \w+)? (?:is |are |was |were )?(?:needed|required|necessary)\b|\bnot a contra-?indication\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=4096)
def permits(text: str) -> bool:
    """Tell whether `text` says that there is no need to avoid something, or no need of it, and forbids nothing."""
    return _PERMITS.search(text) is not None and not prohibits(text)


@lru_cache(maxsize=4096)
def prohibits(text: str) -> bool:
    """Tell whether `text` forbids, holds or stops something for this patient, now or on a stated condition."""
    if text.endswith("?"):
        return False
    return any(_stands(text, row.found_by.search(text)) for row in _ROWS) or _bare_no(text)


def titled(heading: str) -> bool:
    """Tell whether a heading, a key or a label says that what stands under it is not to be given."""
    return len(heading) < 60 and _TITLE.fullmatch(heading.strip(" :")) is not None


def lists_prohibited(heading: str, section: Section, text: str) -> bool:
    """Tell whether `text`, an item under `heading`, names something that is not to be given."""
    if not (titled(heading) or (section is Section.CAUTION and "indicat" in heading.lower())):
        return False
    return (
        not _EMPTY.match(text)
        and bool(re.search(r"[A-Za-z]{4}", text))
        and not statuses_at(text, 0, len(text)) & _OTHER
    )


def _stands(text: str, match: re.Match[str] | None) -> bool:
    if match is None:
        return False
    at = match.start("verb")
    if _UNDONE.search(text[max(0, at - 40) : at]) or _NO_OBJECT.match(match["object"].strip()):
        return False
    if re.match(r"\s*(?:the |a |an )?[\w-]+ levels?\b", match["object"]):
        return False
    named = match["object"].strip()
    if _NOTHING_NAMED.match(named) and not drugs_named(named) and not names_measure(named):
        return False  # what must not be given stands in another sentence
    return not statuses_at(text, at, match.end("verb")) & _OTHER


def _bare_no(text: str) -> bool:
    """Tell whether a "no" stands before a drug: "No NSAIDs, please." Of other words it denies a finding."""
    for match in _NO.finditer(text):
        named = match["object"]
        drug = DRUG.search(named)
        known = (drug is not None and drug.start() <= 14) or bool(drugs_named(named))
        after = text[match.end("object") - len(named) :]
        if (
            known
            and not _LEVEL.search(after[:60])
            and not statuses_at(text, match.start(), match.end()) & _OTHER
        ):
            return True
    return False
