"""The words that take a value back, and those that only look as if they did.

A table has a pattern to a row, each with an example (`test_withdrawn_words.py` looks that it is found).
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple


class Row(NamedTuple):
    """A pattern and a text in which it finds something."""

    example: str
    pattern: str


Rows = tuple[Row, ...]


def either(*patterns: str) -> str:
    """Return a pattern that fits where one of `patterns` does; the first that fits counts."""
    return f"(?:{'|'.join(patterns)})"


def any_row(rows: Rows) -> str:
    """Return a pattern that fits where a row of a table does."""
    return either(*(row.pattern for row in rows))


# -- words ---------------------------------------------------------------------------------------

UNSAYS: Final = either(
    "withdraw(?:s|n|ing)?|withdrew|retract(?:s|ed|ing)?|(?:take|takes|took|taken|taking) back",
    "strike|struck|delete|remove|cancel(?:s|led|ed)?|annul(?:s|led)?|void",
)
# Said of others in the past these are a reproach: "he ignored a potassium of 6.9".
PASSES_OVER: Final = "(?:disregard|ignore|discount|dismiss|reject|set aside)"
_PASSED_OVER: Final = either(
    "disregarded|ignored|discounted|dismissed|rejected|set aside",
    "struck|removed|deleted|withdrawn|taken back",
)
MISTAKES: Final = either(
    "misread|misquoted|mistyped|misstated|misreported|miscopied|misheard|mixed up",
)
ARTEFACT_WORD: Final = either(
    r"ha?emoly\w+|spurious|pseudo\w*|arte?i?facts?|artefactual|artifactual",
    r"contaminat\w*|unreliable|mislabel\w*|clump\w*|diluted|drip arm|EDTA",
)
_OF_MEASURING: Final = either(
    "lab(?:oratory)?|typing|clerical|transcription|reading|reporting|sampling|measurement",
)
WRONG_WORD: Final = rf"(?:{_OF_MEASURING} )?" + either(
    "errors?|mistakes?|slip|typo|misread(?:ing)?",
    "wrong|mistaken|erroneous|incorrect|invalid|false",
)
VALUE: Final = "(?:figure|value|number|result|reading|level)"
PERSON: Final = "(?:patient|man|woman|child|person)"
_AMOUNT: Final = r"\d[\d.]*(?:\s?[A-Za-z]+/\w+|\s?%)?"  # "4.1 mmol/L"
_AGO: Final = either(
    "last (?:week|month|year)", r"(?:an?|one|two|three|four|five|six|\d+) (?:days?|weeks?|months?|years?) ago"
)

# -- look-alikes: what denies or supposes that something is taken back, with the word itself -----

_DENIES: Final = either(
    r"errors?|mistake|wrong|wrongly|folly|negligen\w+|dangerous|unsafe|unwise|reckless",
    "impossible|hard|too early|too soon|no reason|no ground|no cause|refuse[sd]?",
    "nobody|no one|none of us|nothing|never|not|n['’]t|cannot",
    "could|may|might|without|rather than|instead of|before",
)
_ON: Final = r"(?:\s+(?!(?:and|but|so|then|I|we|please|not|it)\b)[\w'’-]+)"  # a word further on in the clause
_BETWEEN_NO_AND_ARTEFACT: Final = either(
    "be|been|an?|any|the|signs? of|evidence of|simply|just|merely|mere",
    "due to|from|by|free of|visibly|taken|drawn|in|sample|specimen",
)
_WRONG: Final = either(ARTEFACT_WORD, WRONG_WORD)

LOOK_ALIKES: Final[Rows] = (
    Row("No, the potassium is 6.9.", r"\A(?:no|not so|yes)(?=[,:;]|\s[-–—])"),
    Row(
        "He dies if we ignore it.",
        r"\b(?:if|when|whoever|should|because|since|that|why) "
        rf"(?:we|you|they|he|she|anyone|anybody|somebody)\s+(?:\w+ )?{PASSES_OVER}s?\b",
    ),
    Row(
        "It would be an error to ignore the lactate.",
        r"\b(?:(?:it|this|that) )?(?:would|will|is|was)? ?(?:be )?(?:an? )?(?:\w+ )?"
        rf"{_DENIES}(?:\s+(?:to|for us to|in))?{_ON}{{0,4}}?\s+"
        rf"(?:{UNSAYS}|{PASSES_OVER}(?:s|ed|ing)?|{MISTAKES}|doubt(?:s|ed|ing)?|question(?:ed|ing)?|distrust)\b"
        r"(?:\s+(?:it|that|this)\b)?",
    ),
    Row("It is not only the potassium.", r"\bnot (?:only|just|merely)(?= (?:is|was|has|at|the|\d))"),
    Row("I no longer doubt the potassium.", r"\bno longer (?:doubt|question|distrust|suspect)\w*"),
    Row(
        "There was no evidence of haemolysis.",
        rf"(?:\b(?:no|not|never|nor|neither|without|hardly)|n['’]t)\s+(?:{_BETWEEN_NO_AND_ARTEFACT} )*"
        rf"(?:(?:non-?|un)?{ARTEFACT_WORD}|{WRONG_WORD})\b",
    ),
    Row("It is from a non-haemolysed sample.", r"\b(?:un|non-?)\s?ha?emolys\w*"),
    Row(
        "The sample is free of visible haemolysis.", rf"\bfree (?:of|from) (?:any |visible )?{ARTEFACT_WORD}"
    ),
    Row(
        "The haemolysis index is zero.",
        r"\bha?emolysis(?: index)?(?: is| was|:)? "
        r"(?:zero|nil|none|negative|normal|low|absent|minimal|excluded|ruled out)\b",
    ),
    Row("It is really 6.9.", r"(?<=\bis )(?:really|actually|indeed|truly|definitely|certainly)\b"),
    Row(
        "The potassium is 6.9, previously 4.1 mmol/L.",
        r"[,;(]\s*(?:and )?(?:(?:the|his|her|its|up|down|from|was) )*"
        rf"(?:previous(?:ly)?|prior|formerly|{_AGO})"
        r"(?: (?:one|value|result|reading|level|sample|was|is|of|at|it))*"
        rf"(?: {_AMOUNT}|(?= (?:{WRONG_WORD}|{ARTEFACT_WORD})))",
    ),
    Row(
        "The potassium is 6.9, up from 4.1 last week.",
        rf"[,;(]\s*(?:and )?(?:(?:up|down|from|it|was) )*{_AMOUNT} (?:previously|{_AGO})",
    ),
    Row(
        "Even if it is an artefact of the tube, treat it.",
        r"\b(?:until|unless|even if|even though|although|though|if|whether(?: or not)?)\b"
        rf"[^,;:.\d]{{0,60}}\b{_WRONG}\b[^,;:.\d]{{0,30}}(?=[,;:])",
    ),
    Row(
        "The sample may be haemolysed.",
        r"\b(?:possibly|perhaps|maybe|conceivably|may|might|could|can|if|unless|until|whether"
        r"|suspect\w*|exclude|rule out)"
        rf"\b[^,;:.\d]{{0,40}}?\b{_WRONG}\b",
    ),
    Row(
        "An error of metabolism would fit the pH.",
        r"\b(?:would|could|may|might|can) (?:also |well |partly )*(?:fit|explain|account for|go with)"
        r"(?= (?:the|this|that|his|her|their)\b)",
    ),
    Row(
        "The sodium of 112 replaces the wrong one of 132 mmol/L.",
        rf"\b(?:replaces|supersedes) (?:the|that|an?) (?:(?!of\b)[\w-]+ ){{1,3}}(?:of )?{_AMOUNT}",
    ),
)
LOOK_ALIKE: Final = re.compile("|".join(row.pattern for row in LOOK_ALIKES), re.IGNORECASE)
# "We cannot dismiss it as an artefact."
AS_ARTEFACT: Final = re.compile(rf"\bas (?:(?:an?|the|mere|just|due to|from) )*{_WRONG}\b", re.IGNORECASE)

_ASKING: Final = either(
    "could|can|may|might|is|are|was|were|should|do|does|did|shall|will|would",
    "what|why|how|who|when|where|which",
)
# "…, could it be a lab error?": what stands before is stated all the same.
ASKED: Final = re.compile(
    rf"(?:[,;:]|\s[-–—])\s+(?:and |so |but )?{_ASKING}\b[^,;:.?]*\?\s*\Z", re.IGNORECASE
)
ASKS: Final = re.compile(rf"\A(?:and |so |but )?(?:{_ASKING}|has|have|had)\b", re.IGNORECASE)

# -- before the value: "disregard the potassium of 6.9" ------------------------------------------

_LEADS_IN: Final = either(
    r"\A|[,;:.] |\b(?:please|so|then|and|therefore|but|to|safely)\s",
    r"\b(?:I|we)(?:['’](?:d|ll))? "
    "(?:(?:can|should|must|will|would|have to|need to|had better|now|therefore|hereby|safely) )*",
    r"\bbe ",
)
_SAID_OF: Final = either(
    "my|the|that|this|our|his|her|their|its|an?|any|both",
    "earlier|previous|initial|first|last|latest|former|old|own",
    "wrong|false|spurious|high|low|critical",
    "reported|recorded|quoted|stated|charted|supposed|alleged",
    r"serum|plasma|blood|arterial|venous|capillary|adjusted|total|doctor|[\w-]+['’]s",
    "value|figure|reading|result|number|level|statement|claim|remark|report",
    "of|that|about|for|on",
)
BEFORE_VALUE: Final[Rows] = (
    Row("I withdraw the ", rf"\b{UNSAYS}"),
    Row("Please disregard the ", _LEADS_IN + PASSES_OVER),
    Row("I misread his ", rf"\b{MISTAKES}"),
    Row("I was wrong about the ", r"\b(?:was|were|am|is) (?:wrong|mistaken) (?:about|on|with)"),
    Row(
        "I no longer stand by my earlier value of ",
        r"\bno longer (?:stand by|hold to|believe in|rely on|accept|hold)",
    ),
    Row(
        "I quoted the wrong patient's serum ",
        rf"\b(?:quoted|gave|read|used|took|reported) the wrong {PERSON}['’]s",
    ),
    Row("Nobody measured a ", r"\b(?:nobody|no one) (?:ever )?measured"),
)
LEADS_TO: Final = rf" (?:{_SAID_OF} )*\Z"
TAKES: Final = re.compile(any_row(BEFORE_VALUE) + LEADS_TO, re.IGNORECASE)

# -- after the value: "the potassium of 6.9 was a lab error" -------------------------------------

_IS: Final = either(
    "is|was|were|are|has been|have been|had been",
    "(?:turned|turns) out(?: to be| to have been)?",
    "proved(?: to be)?|came(?: back)?|comes",
    "(?:should|must|can|is to|has to|have to|needs to)(?: now| safely)? be",
)
_HOW: Final = (
    "(?:"
    + either(
        "clearly|simply|just|plainly|obviously|grossly|only|also|therefore",
        "probably|certainly|evidently|now|both|all|in fact|since",
    )
    + " )*"
)
_OWN: Final = (
    "(?:an? |the |my |our |his |her |their |due to an? |the result of an? )?"
    "(?:(?:simple|plain|mere|obvious|clear) )*"
)
_WHERE: Final = either(
    "lab|laboratory|typing|clerical|transcription|copying|reporting|reading|recording",
    "measurement|measuring|sampling|analytical|analy[sz]er|dictation|data|entry|charting",
    "labelling|labeling|machine|device|probe|sensor|computer|technical|human|handling",
    r"collection|pre-?analytic\w*",
)
_DEVICE: Final = either(
    "probe|sensor|cuff|electrode|machine|monitor|meter|thermometer|analy[sz]er",
    "transducer|clip|strip|trace",
)
_FAULT: Final = either(
    rf"(?:{_WHERE} )+(?:errors?|mistake|slip)",
    "misprint|misreading|arte?ifact|arte?fact",
    "(?:poor|bad|false) (?:trace|sample|reading|contact|signal)",
    rf"(?:faulty|broken|loose|displaced|slipped) (?:\w+ )?{_DEVICE}",
)
_ANOTHERS: Final = rf"(?:(?:another|a different) {PERSON}|(?:somebody|someone) else)['’]s"
# An error of the measurement, or no value of this patient: plain of whatever it is said.
SURELY: Final[Rows] = (
    Row("a simple typing error", _OWN + _FAULT),
    Row("spurious", "erroneous|invalid|spurious|bogus"),
    Row("mislabelled", r"misread|misquoted|misreported|mistyped|miscopied|misheard|mislabel\w+"),
    Row(
        "not to be believed",
        "not (?:valid|real|true|hers|his|theirs|to be (?:believed|trusted|relied))|no longer valid",
    ),
    Row(
        "reported in error",
        "(?:reported|entered|recorded|written|quoted|charted|typed|sent|filed) "
        "(?:in error|by mistake|wrongly|erroneously"
        r"|(?:for|under|on|from) (?:another|the wrong|a different) \w+)",
    ),
    Row(
        "from another patient",
        "(?:from|of|for) (?:another|a different|the wrong|some other) "
        "(?:patient|man|woman|child|person|case|sample|tube)",
    ),
    Row(
        "someone else's blood", rf"{_ANOTHERS}(?: (?:blood|sample|result|value|reading|figure|number|level))?"
    ),
    Row("never measured", "never (?:measured|reported)"),
    Row(
        "taken from the drip arm",
        "(?:taken|measured|recorded|drawn|read|made) (?:with|from|above|in|on|by) "
        r"(?:the|an?) (?:wrong|drip|faulty|broken)(?: \w+)?",
    ),
)
# Of a value it takes that back; "it was a mistake" may be said of anything.
OF_VALUES: Final[Rows] = (
    Row(
        "a slip of the pen",
        rf"{_OWN}(?:errors?|mistake|slip|typo|mix-up|misunderstanding)"
        r"(?: of the (?:pen|tongue|lab\w*|machine|probe))?",
    ),
    Row("wrong", "wrong|mistaken|incorrect|void|untrue|inaccurate|in error|not correct|not right"),
    Row("falsely high", "false(?:ly (?:high|low|raised|elevated|reported|recorded))?"),
    Row("retracted", "withdrawn|retracted|cancell?ed|annulled|struck out"),
    Row("never sent", "no longer (?:true|correct)|never (?:taken|sent|done|real)"),
)
_PASSED: Final = (
    "(?:should|must|can|is to|are to|has to|have to|needs to)(?: now| safely| therefore)? be " + _PASSED_OVER
)
_BELONGS: Final = either(
    "(?:turned out to )?belong(?:s|ed)? to (?:another|a different|the wrong|somebody|someone)"
    rf"(?: (?:{PERSON}|else))?",
    r"(?:does|did|do) not (?:hold(?: up)?\b|exist|stand)|(?:do|does) not belong",
)
# What may follow, so that "a mistake to wait", "false comfort" and "withdrawn from discussion" say nothing of
# the value.
_FOLLOWS: Final = either(
    r"\W*\Z|\s*[.,;:!?)]|\s[-–—]",
    r"\s(?:and|but|as|because|since|so|for|on|by|due|caused|after|with|while|when|then|now|anyway)\b",
    r"\s(?:which|who|than|I|we|at (?!\w+ peril))\b",
    r"\sof (?!(?:dos|treat|prescri|judg|giv|me\b|us\b))",
    r"\sfrom the (?:chart|list|record|summary|problem|lab)",
    r"\sin (?!(?:giving|thinking|treat))",
)
_END: Final = rf"(?!['’\w])(?={_FOLLOWS})"
_IS_SURELY: Final = any_row(SURELY) + _END
_SAYS: Final = either(_PASSED, _BELONGS, f"{_IS} {_HOW}" + either(any_row(SURELY), any_row(OF_VALUES))) + _END
_ASIDE: Final = (
    "(?:,? "
    + either(
        "reported|quoted|given|recorded|measured|mentioned|that|which",
        r"I|you|he|she|we|they|the lab|the laboratory|the ward|the nurse|doctor \w+",
        "gave|have|had|is|was|has been|just|earlier|before|yesterday|above",
        r"in (?:my|the|his|her) \w+|on (?:my|the|his|her) \w+",
    )
    + ")*"
)
_THEN: Final = (
    r"(?:[,;:]|\s[-–—]|\s(?=(?:and|but|since|because|as|though)\b))\s*"
    "(?:(?:and|but|since|because|as|though|no) )?"
)
_LATER: Final = r"[^.\d]{0,60}?" + _THEN
AFTER_VALUE: Final[Rows] = (
    Row(" that I gave was a lab error.", rf"{_ASIDE},? {_SAYS}"),
    Row(
        ", but that was a lab error.",
        rf"{_ASIDE}{_THEN}(?:it|that|this|which)(?: {_IS}|['’]s) {_HOW}{_IS_SURELY}",
    ),
    Row(" was quoted earlier, but that figure is mistaken.", rf"{_LATER}(?:that|this|the) {VALUE} {_SAYS}"),
    Row(
        " on arrival; I hereby withdraw it.",
        rf"{_LATER}(?:I|we) (?:\w+ )?(?:withdraw|retract|take back|withdrew|took back|take|took) "
        rf"(?:it|that|this|that {VALUE})(?: back)?(?=\s*(?:[.,;!?)]|\Z))",
    ),
)
OF_IT: Final = re.compile(r"\A\)?" + any_row(AFTER_VALUE), re.IGNORECASE)
# … and yet it is real.
REAL: Final = re.compile(
    r"\A[^\d.]{0,70}?"
    r"(?:\b(?:it|that|this|which|the (?:value|figure|number|result)|but|and|yet) "
    r"(?:is|was|has been|proved)|[’']s) "
    r"(?:(?!not\b|never\b)\w+ ){0,2}?(?:real|genuine|true|confirmed|reproducible|verified|hers|his own)\b",
    re.IGNORECASE,
)

# -- in the next sentence: "That was a lab error." ------------------------------------------------

_OPENS: Final = r"(?:(?:no|sorry|apologies|correction|wait|actually|please)\b[,:.]? )*"
_POINTED_AT: Final = rf"(?:that|this|(?:that|this|the) {VALUE})"
_STOP: Final = r"(?=\s*(?:[.,;!]|\Z))"
NEXT_SENTENCE: Final[Rows] = (
    Row("That was a lab error.", rf"(?:it|that|this)(?: {_IS}|['’]s) {_HOW}{_IS_SURELY}"),
    Row("It belongs to somebody else.", rf"(?:it|that|this) {_BELONGS}{_END}"),
    Row("The value was wrong.", rf"(?:that|this|the) {VALUE} {_SAYS}"),
    Row(
        "The sample was grossly haemolysed.",
        rf"(?:that|this|the) (?:blood )?(?:sample|specimen|tube) {_IS} {_HOW}"
        r"(?:ha?emolysed|contaminated|clotted|mislabell?ed|mixed up|swapped|unusable"
        rf"|{any_row(SURELY)}){_END}",
    ),
    Row(
        "Disregard that value.",
        r"(?:(?:I|we) (?:(?:now|hereby|therefore|must|should|can) )*)?"
        rf"(?:{PASSES_OVER}|strike|delete|retract|take back) (?:it|{_POINTED_AT})"
        r"(?=\s*(?:[.;:!]|,(?! (?:and|or)\b)|\Z))",
    ),
    Row("I withdraw that.", rf"I (?:(?:now|hereby|therefore) )*(?:withdraw|withdrew) {_POINTED_AT}{_STOP}"),
    Row(
        "I must have misread it; it is 4.9.",
        rf"(?:I|we) (?:(?:had|have|must have|clearly|simply) )*{MISTAKES} (?:it|{_POINTED_AT}){_STOP}",
    ),
)
OF_THE_LAST: Final = re.compile(rf"{_OPENS}(?P<said>{any_row(NEXT_SENTENCE)})", re.IGNORECASE)
UNSURE: Final = re.compile(r"\b(?:probably|presumably|likely)\b", re.IGNORECASE)
# … with what takes back the taking back.
AND_YET: Final = re.compile(
    r"\?\s*\Z|\b(?:but|yet|however|although|though|still|nevertheless|nonetheless|even so|until|unless|if"
    r"|real|genuine|true|treat\w*|thought)\b",
    re.IGNORECASE,
)
