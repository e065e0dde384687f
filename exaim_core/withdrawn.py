"""Which values a sentence takes back, and which words only look as if it did.

A value is taken back where the word that does so leads straight to it ("disregard the potassium of 6.9") or is
said of it ("the potassium of 6.9 was a lab error"), and where an artefact is claimed. "Do not disregard …", "the
sample may be haemolysed" and "withdraw the ACE inhibitor, the potassium is 6.9" take nothing back: in doubt the
value stands, since an alarm that is not heard does more harm than one too many.
"""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from exaim_core.quantities import Quantity, quantities

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Standing:
    """What is left of a sentence, each letter at its place.

    `words` is blank where a word takes nothing back, `text` also where a value is taken back; those stood at `gone`.
    """

    words: str
    text: str
    gone: tuple[Span, ...]


_UNSAYS: Final = r"(?:withdraw(?:s|n|ing)?|withdrew|retract(?:s|ed|ing)?|(?:take|takes|took|taken|taking) back|strike|struck|delete|remove|cancel(?:s|led|ed)?|annul(?:s|led)?|void)"
# Said of others in the past these are a reproach: "he ignored a potassium of 6.9".
_PASSES_OVER: Final = r"(?:disregard|ignore|discount|dismiss|reject|set aside)"
_MISTAKES: Final = r"(?:misread|misquoted|mistyped|misstated|misreported|miscopied|misheard|mixed up)"
_ARTEFACT_WORD: Final = r"(?:ha?emoly\w+|spurious|pseudo\w*|arte?i?facts?|artefactual|artifactual|contaminat\w*|unreliable|mislabel\w*|clump\w*|diluted|drip arm|EDTA)"
_WRONG_WORD: Final = r"(?:(?:lab(?:oratory)?|typing|clerical|transcription|reading|reporting|sampling|measurement) )?(?:errors?|mistakes?|slip|typo|misread(?:ing)?|wrong|mistaken|erroneous|incorrect|invalid|false)"

_AGO: Final = r"(?:last (?:week|month|year)|(?:an?|one|two|three|four|five|six|\d+) (?:days?|weeks?|months?|years?) ago)"

# What denies or supposes that something is taken back, with the word itself: it is blanked, and the value stands.
_ON: Final = r"(?:\s+(?!(?:and|but|so|then|I|we|please|not|it)\b)[\w'’-]+)"
_LOOK_ALIKE: Final = re.compile(
    rf"\A(?:no|not so|yes)(?=[,:;]|\s[-–—])"
    rf"|\b(?:if|when|whoever|should|because|since|that|why) (?:we|you|they|he|she|anyone|anybody|somebody)\s+(?:\w+ )?{_PASSES_OVER}s?\b"
    rf"|\b(?:(?:it|this|that) )?(?:would|will|is|was)? ?(?:be )?(?:an? )?(?:\w+ )?(?:errors?|mistake|wrong|wrongly|folly|negligen\w+|dangerous|unsafe|unwise|reckless|impossible|hard|too early|too soon|no reason|no ground|no cause|refuse[sd]?|nobody|no one|none of us|nothing|never|not|n['’]t|cannot|could|may|might|without|rather than|instead of|before)"
    rf"(?:\s+(?:to|for us to|in))?{_ON}{{0,4}}?\s+(?:{_UNSAYS}|{_PASSES_OVER}(?:s|ed|ing)?|{_MISTAKES}|doubt(?:s|ed|ing)?|question(?:ed|ing)?|distrust)\b(?:\s+(?:it|that|this)\b)?"
    r"|\bnot (?:only|just|merely)(?= (?:is|was|has|at|the|\d))"
    r"|\bno longer (?:doubt|question|distrust|suspect)\w*"
    rf"|(?:\b(?:no|not|never|nor|neither|without|hardly)|n['’]t)\s+(?:(?:be|been|an?|any|the|signs? of|evidence of|simply|just|merely|mere|due to|from|by|free of|visibly|taken|drawn|in|sample|specimen) )*(?:(?:non-?|un)?{_ARTEFACT_WORD}|{_WRONG_WORD})\b|\b(?:un|non-?)\s?ha?emolys\w*|\bfree (?:of|from) (?:any |visible )?{_ARTEFACT_WORD}"
    r"|\bha?emolysis(?: index)?(?: is| was|:)? (?:zero|nil|none|negative|normal|low|absent|minimal|excluded|ruled out)\b"
    r"|(?<=\bis )(?:really|actually|indeed|truly|definitely|certainly)\b"
    rf"|[,;(]\s*(?:and )?(?:(?:the|his|her|its|up|down|from|was) )*(?:previous(?:ly)?|prior|formerly|{_AGO})(?: (?:one|value|result|reading|level|sample|was|is|of|at|it))*(?: \d[\d.]*(?:\s?[A-Za-z]+/\w+|\s?%)?|(?= (?:{_WRONG_WORD}|{_ARTEFACT_WORD})))"
    rf"|[,;(]\s*(?:and )?(?:(?:up|down|from|it|was) )*\d[\d.]*(?:\s?[A-Za-z]+/\w+|\s?%)? (?:previously|{_AGO})"
    rf"|\b(?:until|unless|even if|even though|although|though|if|whether(?: or not)?)\b[^,;:.\d]{{0,60}}\b(?:{_ARTEFACT_WORD}|{_WRONG_WORD})\b[^,;:.\d]{{0,30}}(?=[,;:])"
    rf"|\b(?:possibly|perhaps|maybe|conceivably|may|might|could|can|if|unless|until|whether|suspect\w*|exclude|rule out)\b[^,;:.\d]{{0,40}}?\b(?:{_ARTEFACT_WORD}|{_WRONG_WORD})\b"
    r"|\b(?:would|could|may|might|can) (?:also |well |partly )*(?:fit|explain|account for|go with)(?= (?:the|this|that|his|her|their)\b)",
    re.IGNORECASE,
)
# "We cannot dismiss it as an artefact."
_AS: Final = re.compile(
    rf"\bas (?:(?:an?|the|mere|just|due to|from) )*(?:{_ARTEFACT_WORD}|{_WRONG_WORD})\b", re.IGNORECASE
)
# "…, could it be a lab error?": what stands before is stated all the same.
_ASKED: Final = re.compile(
    r"(?:[,;:]|\s[-–—])\s+(?:and |so |but )?(?:could|can|may|might|is|are|was|were|should|do|does|did|shall|will|would|what|why|how|who|when|where|which)\b[^,;:.?]*\?\s*\Z",
    re.IGNORECASE,
)
_ASKS: Final = re.compile(
    r"\A(?:and |so |but )?(?:could|can|may|might|is|are|was|were|should|do|does|did|shall|will|would|what|why|how|who|when|where|which|has|have|had)\b",
    re.IGNORECASE,
)

_LEAD: Final = r"(?:\A|[,;:.] |\b(?:please|so|then|and|therefore|but|to|safely)\s|\b(?:I|we)(?:['’](?:d|ll))? (?:(?:can|should|must|will|would|have to|need to|had better|now|therefore|hereby|safely) )*|\bbe )"
_SAID_OF: Final = r"(?:(?:my|the|that|this|our|his|her|their|its|an?|any|both|earlier|previous|initial|first|last|latest|former|old|own|wrong|false|spurious|high|low|critical|reported|recorded|quoted|stated|charted|supposed|alleged|serum|plasma|blood|arterial|venous|capillary|adjusted|total|doctor|[\w-]+['’]s|value|figure|reading|result|number|level|statement|claim|remark|report|of|that|about|for|on) )*"
_TAKES: Final = re.compile(
    rf"(?:\b{_UNSAYS}|{_LEAD}{_PASSES_OVER}|\b{_MISTAKES}|\b(?:was|were|am|is) (?:wrong|mistaken) (?:about|on|with)|\bno longer (?:stand by|hold to|believe in|rely on|accept|hold)"
    rf"|\b(?:quoted|gave|read|used|took|reported) the wrong (?:patient|man|woman|child|person)['’]s) {_SAID_OF}\Z",
    re.IGNORECASE,
)

_IS: Final = r"(?:is|was|were|are|has been|have been|had been|(?:turned|turns) out(?: to be| to have been)?|proved(?: to be)?|came(?: back)?|comes|(?:should|must|can|is to|has to|have to|needs to)(?: now| safely)? be)"
_HOW: Final = r"(?:(?:clearly|simply|just|plainly|obviously|grossly|only|also|therefore|probably|certainly|evidently|now|both|all|in fact|since) )*"
_OWN: Final = r"(?:an? |the |my |our |his |her |their |due to an? |the result of an? )?(?:(?:simple|plain|mere|obvious|clear) )*"
_WHERE: Final = r"(?:(?:lab|laboratory|typing|clerical|transcription|copying|reporting|reading|recording|measurement|measuring|sampling|analytical|analy[sz]er|dictation|data|entry|charting|labelling|labeling|machine|device|probe|sensor|computer|technical|human|handling|collection|pre-?analytic\w*) )"
# An error of the measurement, or no value of this patient: plain of whatever it is said.
_SURELY: Final = (
    rf"(?:{_OWN}(?:{_WHERE}+(?:errors?|mistake|slip)|misprint|misreading|arte?ifact|arte?fact|(?:poor|bad|false) (?:trace|sample|reading|contact|signal)|(?:faulty|broken|loose|displaced|slipped) (?:\w+ )?(?:probe|sensor|cuff|electrode|machine|monitor|meter|thermometer|analy[sz]er|transducer|clip|strip|trace))"
    r"|erroneous|invalid|spurious|bogus|misread|misquoted|misreported|mistyped|miscopied|misheard|mislabel\w+"
    r"|not (?:valid|real|true|hers|his|theirs|to be (?:believed|trusted|relied))|no longer valid"
    r"|(?:reported|entered|recorded|written|quoted|charted|typed|sent|filed) (?:in error|by mistake|wrongly|erroneously|(?:for|under|on|from) (?:another|the wrong|a different) \w+)"
    r"|(?:from|of|for) (?:another|a different|the wrong|some other) (?:patient|man|woman|child|person|case|sample|tube)|(?:(?:another|a different) (?:patient|man|woman|child|person)|(?:somebody|someone) else)['’]s(?: (?:blood|sample|result|value|reading|figure|number|level))?"
    r"|never (?:measured|reported)|(?:taken|measured|recorded|drawn|read|made) (?:with|from|above|in|on|by) (?:the|an?) (?:wrong|drip|faulty|broken)(?: \w+)?)"
)
# Of a value it takes that back; "it was a mistake" may be said of anything.
_OF_VALUES: Final = (
    rf"(?:{_OWN}(?:errors?|mistake|slip|typo|mix-up|misunderstanding)(?: of the (?:pen|tongue|lab\w*|machine|probe))?"
    r"|wrong|mistaken|incorrect|void|false(?:ly (?:high|low|raised|elevated|reported|recorded))?|untrue|inaccurate|withdrawn|retracted|cancell?ed|annulled|struck out|not correct|not right|no longer (?:true|correct)|in error"
    r"|never (?:taken|sent|done|real))"
)
_PASSED: Final = r"(?:should|must|can|is to|are to|has to|have to|needs to)(?: now| safely| therefore)? be (?:disregarded|ignored|discounted|dismissed|rejected|set aside|struck|removed|deleted|withdrawn|taken back)"
_BELONGS: Final = r"(?:(?:turned out to )?belong(?:s|ed)? to (?:another|a different|the wrong|somebody|someone)(?: (?:patient|man|woman|child|person|else))?|(?:does|did|do) not (?:hold(?: up)?\b|exist|stand)|(?:do|does) not belong)"
# What may follow, so that "a mistake to wait", "false comfort" and "withdrawn from discussion" say nothing of the value.
_END: Final = r"(?!['’\w])(?=\W*\Z|\s*[.,;:!?)]|\s[-–—]|\s(?:and|but|as|because|since|so|for|on|by|due|caused|after|with|while|when|then|now|anyway|which|who|than|I|we|at (?!\w+ peril))\b|\sof (?!(?:dos|treat|prescri|judg|giv|me\b|us\b))|\sfrom the (?:chart|list|record|summary|problem|lab)|\sin (?!(?:giving|thinking|treat)))"
_SAYS: Final = rf"(?:{_PASSED}|{_BELONGS}|{_IS} {_HOW}(?:{_SURELY}|{_OF_VALUES}))"
_ASIDE: Final = r"(?:,? (?:reported|quoted|given|recorded|measured|mentioned|that|which|I|you|he|she|we|they|the lab|the laboratory|the ward|the nurse|doctor \w+|gave|have|had|is|was|has been|just|earlier|before|yesterday|above|in (?:my|the|his|her) \w+|on (?:my|the|his|her) \w+))*"
_THEN: Final = r"(?:[,;:]|\s[-–—]|\s(?=(?:and|but|since|because|as|though)\b))\s*(?:(?:and|but|since|because|as|though|no) )?"
_OF_IT: Final = re.compile(
    rf"\A\)?(?:{_ASIDE},? {_SAYS}{_END}"
    rf"|{_ASIDE}{_THEN}(?:it|that|this|which)(?: {_IS}|['’]s) {_HOW}{_SURELY}{_END}"
    rf"|[^.\d]{{0,60}}?{_THEN}(?:that|this|the) (?:figure|value|number|result|reading|level) {_SAYS}{_END}"
    rf"|[^.\d]{{0,60}}?{_THEN}(?:I|we) (?:\w+ )?(?:withdraw|retract|take back|withdrew|took back|take|took) (?:it|that|this|that (?:figure|value|number|result|reading|level))(?: back)?(?=\s*(?:[.,;!?)]|\Z)))",
    re.IGNORECASE,
)
_VALUE: Final = r"(?:figure|value|number|result|reading|level)"
# A sentence that follows the one with the value: it points back, and says so at once.
_OF_THE_LAST: Final = re.compile(
    rf"(?:(?:no|sorry|apologies|correction|wait|actually|please)\b[,:.]? )*"
    rf"(?:(?:it|that|this)(?: {_IS}|['’]s) {_HOW}{_SURELY}{_END}"
    rf"|(?:it|that|this) {_BELONGS}{_END}"
    rf"|(?:that|this|the) {_VALUE} {_SAYS}{_END}"
    rf"|(?:that|this|the) (?:blood )?(?:sample|specimen|tube) {_IS} {_HOW}(?:ha?emolysed|contaminated|clotted|mislabell?ed|mixed up|swapped|unusable|{_SURELY}){_END}"
    rf"|(?:(?:I|we) (?:(?:now|hereby|therefore|must|should|can) )*)?(?:{_PASSES_OVER}|strike|delete|retract|take back) (?:it|that|this|(?:that|this|the) {_VALUE})(?=\s*(?:[.;:!]|,(?! (?:and|or)\b)|\Z))"
    rf"|I (?:(?:now|hereby|therefore) )*(?:withdraw|withdrew) (?:that|this|(?:that|this|the) {_VALUE})(?=\s*(?:[.,;!]|\Z))"
    rf"|(?:I|we) (?:(?:had|have|must have|clearly|simply) )*{_MISTAKES} (?:it|that|this|(?:that|this|the) {_VALUE})(?=\s*(?:[.,;!]|\Z)))",
    re.IGNORECASE,
)
# … with what takes back the taking back, or speaks of more than one value.
_AND_YET: Final = re.compile(
    r"\?\s*\Z|\b(?:but|yet|however|although|though|still|nevertheless|nonetheless|even so|until|unless|if|real|genuine|true|treat\w*|thought)\b",
    re.IGNORECASE,
)
# … and yet it is real.
_REAL: Final = re.compile(
    r"\A[^\d.]{0,70}?(?:\b(?:it|that|this|which|the (?:value|figure|number|result)|but|and|yet) (?:is|was|has been|proved)|[’']s) (?:(?!not\b|never\b)\w+ ){0,2}?(?:real|genuine|true|confirmed|reproducible|verified|hers|his own)\b",
    re.IGNORECASE,
)
_DENIED: Final = re.compile(r"\bnot (?:at |of )?\Z", re.IGNORECASE)
_BUT: Final = re.compile(r"\A,? ?(?:but|(?:it|that)(?: is|['’]s| was)|rather)\b", re.IGNORECASE)

ARTEFACT: Final = re.compile(
    r"\bha?emolys\w*|spurious|\bpseudo-?(?:hyper|hypo|thrombo)\w*|artefact|artifact|contaminat\w*(?! (?:wound|water|food|field|needle))|cannot be relied|unreliable|mislabel|\bclump|\bEDTA\b|diluted|drip arm",
    re.IGNORECASE,
)
# Here the breaking of red cells is a disease, unless it is the sample's.
LYSIS_IS_ILLNESS: Final = frozenset({"haemoglobin", "bilirubin"})
_SAMPLE_LYSED: Final = re.compile(r"ha?emolysed", re.IGNORECASE)
# An artefact of what: "the history is unreliable" says nothing of the values beside it.
_OF_SAMPLES: Final = re.compile(
    r"\b(?:samples?|specimens?|tubes?|blood(?! cultures?)|lab\w*|readings?|values?|results?|figures?|levels?|counts?|numbers?|measure\w*|it|that|this|which|trace|probe|machine|cuff|potassium|sodium|glucose|lactate)\b|ha?emolys|pseudo|EDTA|drip arm|clump",
    re.IGNORECASE,
)
_FROM_FRESH: Final = re.compile(
    r"\A,? (?:is|was|comes|came|taken) (?:\w+ )?(?:from|on|in|of) (?:the|an?) (?:second|fresh|clean|new|repeat)",
    re.IGNORECASE,
)
_FRESH: Final = re.compile(
    r"\b(?:repeat\w*|second|fresh|clean|new|another|rechecked|confirm\w*|true|real|proper|actual)\b",
    re.IGNORECASE,
)
_CLAUSE: Final = re.compile(r"[;:]\s|\s[-–—]\s|,\s+(?:and|but|so)\b|\b(?:but|while|whereas)\b", re.IGNORECASE)


def blank(text: str, spans: Sequence[Span]) -> str:
    """Return `text` with spaces in `spans`, each letter else where it was."""
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


@lru_cache(maxsize=512)
def standing(sentence: str, names: tuple[Span, ...]) -> Standing:
    """Return what of `sentence` stands; `names` is where it names what is measured, in order."""
    asked = None if _ASKS.match(sentence) else _ASKED.search(sentence)
    text = blank(sentence, [asked.span()] if asked else [])
    alike = [match.span() for match in _LOOK_ALIKE.finditer(text)]
    text = blank(text, [*alike, *(match.span() for match in _AS.finditer(text) if alike)])
    found = quantities(text)
    denied = {
        (each.start, each.end): (match.start(), each.end + but.end())
        for each in found
        if (match := _DENIED.search(text, 0, each.start)) and (but := _BUT.match(text[each.end :]))
    }
    gone = {
        (each.start, each.end)
        for place, each in enumerate(found)
        if _is_gone(text, each, found[place - 1] if place else None, names)
    }
    return Standing(text, blank(text, [*gone, *denied.values()]), tuple(sorted(gone | denied.keys())))


def takes_back_the_last(sentence: str) -> bool:
    """Tell whether `sentence` takes back the one value that the sentence before it gave."""
    said = _OF_THE_LAST.match(sentence)
    return said is not None and _AND_YET.search(sentence, said.end()) is None


def _is_gone(text: str, value: Quantity, before: Quantity | None, names: tuple[Span, ...]) -> bool:
    after = text[value.end :]
    if _REAL.match(after):
        return False
    if _OF_IT.match(after):
        return True
    since = before.end if before else 0
    named = [start for start, end in names if since <= start and end <= value.start]
    if not named or re.search(r"[;:.,]", text[named[-1] : value.start]):
        return False
    return _TAKES.search(text[: named[-1]]) is not None


def is_artefact(text: str, value: Span, name: str) -> bool:
    """Tell whether `text`, the `words` of `standing`, calls the value `name` at `value` an artefact.

    With a value before it in its clause an artefact is of what stands there, else of the other values too, unless
    a fresh sample is named in between.
    """
    for match in ARTEFACT.finditer(text):
        if (
            name in LYSIS_IS_ILLNESS
            and "emolys" in match.group().lower()
            and not _SAMPLE_LYSED.match(match.group())
        ):
            continue
        start = max((stop.end() for stop in _CLAUSE.finditer(text, 0, match.start())), default=0)
        after = _CLAUSE.search(text, match.end())
        end = after.start() if after else len(text)
        if any(start <= each.start < match.start() for each in quantities(text)):
            if start <= value[0] < match.start():
                return True
            continue
        beside = start <= value[0] < end
        fresh = _FRESH.search(text[match.end() : value[0]]) or _FROM_FRESH.match(text[value[1] :])
        if not fresh and (beside or _OF_SAMPLES.search(text, start, end)):
            return True
    return False
