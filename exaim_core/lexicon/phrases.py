"""Phrases of clinical prose: courtesies, conditions, statements of a leading view."""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from exaim_core.lexicon.drugs import DRUG
from exaim_core.text.wording import key_words, word_count

_COURTESY: Final = re.compile(
    r"^(?:thank(?:s| you)|i (?:really )?(?:appreciate|welcome|look forward|value|invite|encourage|hope|am confident|commend)|your (?:\w+ ){0,4}(?:is|are|has|have|offers?|provides?)|"
    r"great|excellent|well done|please (?:share|let me|feel free|provide|confirm|indicate)|let(?:'|’)?s|let us|shall|should (?:i|we)|if (?:all|everyone|there are no|no further|you|we|any)|"
    r"here(?:'|’)?s|here is|this (?:comprehensive|collaborative|approach|discussion)|overall,? (?:i|we|our|the (?:inter|multi))|in (?:summary|conclusion),? (?:i|we|our)|together|with these|"
    r"given (?:the|our) (?:consensus|strong|established|progress|collaborative|current|robust|alignment)|i (?:believe|feel|think) (?:that )?(?:we|our|incorporating|the collaborative|this)|we (?:have|should|can|are|will)|once we)\b",
    re.IGNORECASE,
)
_PLACEHOLDER: Final = re.compile(
    r"^\W*(?:none|n/?a|not applicable|tbd|to be determined|unknown|\.\.\.|…|\[[^\]]*\])\b", re.IGNORECASE
)
_TERMINATE: Final = re.compile(r"\bTERMINATE\w*\b", re.IGNORECASE)
NOTHING: Final = re.compile(
    r"^\W*(?:none|no (?:\w+ ){0,3}(?:disagreements?|areas?|issues?|concerns?|points?|significant|remaining|major)|n/?a|there (?:is|are) no|all (?:specialists|doctors)|consensus|minimal|not applicable|resolved)\b"
    r"|\b(?:consensus (?:appears|is|has)|no (?:significant |major |remaining )?disagree)",
    re.IGNORECASE,
)
_DEFINITION: Final = re.compile(
    r"^(?:this|it) (?:is an? |(?:\w+ ){0,3}(?:condition|disorder|syndrome|disease|dysplasia|infection) (?:is|are|can|often|typically|commonly|involves|presents))|\b(?:typically|commonly|often|usually|frequently) (?:presents?|associated|seen|characteri[sz]ed|occurs?)|\bcharacteri[sz]ed by\b|\bknown (?:for|to)\b",
    re.IGNORECASE,
)

PRONOUN: Final = re.compile(
    r"\b(?:it|this|these|those|that|they|we|you|your|our|i|my|us|them|other|others|above|such|doctor\d*|etc|both|each|various|certain|specific|potential|possible|any|considerations?|diagnos[ei]s|consensus|differentials?|importance|need)\b",
    re.IGNORECASE,
)
_COND_PAREN: Final = re.compile(
    r"\((?P<c>(?:[^()]*\b)?(?:if|unless|conditional|conditioned|once|depending|based on|as needed|pending|only)\b[^()]*)\)",
    re.IGNORECASE,
)
_COND_START: Final = re.compile(
    r"^(?:only )?(?:if|once|when|unless|in case|as needed|pending|depending on|conditional|should (?:the|she|he|there|this))\b(?:[^,.;:]|\.(?=\d))*",
    re.IGNORECASE,
)
_COND_ANY: Final = re.compile(
    r"\b(?:only (?:if|after|when|once)|if (?:clinically )?(?:indicated|available|feasible|applicable|needed|necessary|possible|warranted|not already \w+)|as needed|if (?:[^,.;:]|\.(?=\d))*?(?:yield|inconclusive|suspected|confirmed|negative|positive|remain|show|reveal)(?:[^,.;:]|\.(?=\d))*)",
    re.IGNORECASE,
)
_NO_COND: Final = re.compile(
    r"\b(?:determine|assess|evaluate|see|check|know|ascertain|ask|decide|confirm|verify|clarify|understand|repeat(?: it)?)\s+if\b",
    re.IGNORECASE,
)

_MOST: Final = r"(?:likeliest|most (?:likely|probable|plausible|compatible|compelling|prominent|appropriate|fitting)|leading|primary|working|principal)"
_AS_THE_MOST: Final = re.compile(
    rf"\b(?:consensus|emphasis|proposition|agree(?:ment|s|d)?|focus|concurrence|support|diagnosis) (?:on|of|around|regarding|about|for) (?:the )?(?P<e>[^.;:,]{{3,90}}?) as (?:the|our|a) (?:\w+ ){{0,2}}?{_MOST}",
    re.IGNORECASE,
)
_DIAGNOSIS_IS: Final = re.compile(
    rf"(?<!as the )(?<!as our )(?<!regarding the )(?<!of the )(?<!about the )(?<!another patient, the )\b{_MOST}(?: primary| final| working)? (?:diagnosis|explanation)\b[^.;:]{{0,60}}?\b(?:is|remains|would be|continues to be)\s+(?:indeed |likely |still |now )?(?P<e>[^.;:]+)",
    re.IGNORECASE,
)
_IS_THE_MOST: Final = re.compile(
    rf"^(?:.*; |.*?(?:ruled out|excluded|discarded),? and )?(?:while [^,]+, |however, |on balance,? |to my mind,? |in my view,? |overall,? |i (?:fully |now |completely |also )?(?:agree|concur|believe|think|maintain|conclude) (?:with (?:[^,]{{0,40}}? )?)?that )?(?P<e>[A-Za-z][^.;:,]{{3,90}}?(?:, [^,.;:]{{3,60}},)?)\s+(?:is|are|remains|continues to be|appears to be|stands as)\s+(?:\w+ ){{0,3}}?(?:{_MOST}|main|unanimous(?:ly)?|best (?:explanation|fit|diagnosis|supported))\b",
    re.IGNORECASE,
)
_FRAME: Final = r"^(?:.*; |[^:]{3,60}\b(?:settled|resolved|agreed)[^:]{0,20}: |.*?(?:ruled out|excluded|discarded),? and |(?:on balance|overall|therefore|so|thus|hence|in (?:my|our) view|to my mind|everything considered|now|taken together|having heard both|all things considered),? )?"
_FAVOURS: Final = re.compile(
    _FRAME
    + r"(?:I|we|the (?:team|group|panel|board|doctors)|both doctors|all (?:(?:three|four|five|of us|of you) ?)?(?:doctors|specialists|experts|colleagues)?|everyone) (?:(?:now|would|still|therefore|all|both|strongly|also|have|has) )*"
    r"(?:favou?rs?(?: a diagnosis of)?|leans? (?:more )?(?:towards?|to)|settled? on|opt(?:s|ed)? for|rules? (?:for|in favou?r of)|leads? with|agrees? on|(?:are )?agreed on|decided (?:on|for)|conclude[sd]? that (?:this|it) is|(?:believe|think|suspect|conclude|maintain)s? (?:that )?(?:this|it) (?:is|represents))\s+(?P<e>[^.;:]+)",
    re.IGNORECASE,
)
_UNITED_ON: Final = re.compile(
    _FRAME
    + r"(?:I|we|all (?:doctors|specialists|of us|three|experts)?) ?(?:are|am|have been|stand|remain) (?:all |now |fully )?(?:unified|united|unanimous|aligned|agreed|in (?:full |complete )?(?:agreement|accord)) (?:in|on|about|around|behind|regarding|as to) (?:(?:our|the|my) )?(?:(?:identification|diagnosis|assessment|view|choice|selection|recognition|consideration) (?:of|that it is) )?(?P<e>[^.;:]+)",
    re.IGNORECASE,
)
_AGREED_UPON: Final = re.compile(
    r"^(?P<e>[A-Za-z][^.;:]{3,90}?),? (?:is|are|has been|was) (?:(?:now|clearly|unanimously|jointly|widely|consistently) )*(?:agreed(?: up)? ?on|accepted|endorsed|settled(?: up)? ?on|established|confirmed by all|supported by all) (?:by (?:all|everyone|the (?:team|group|doctors)) )?as (?:the|our) (?:\w+ ){0,2}(?:focus|diagnosis|explanation|concern|consideration|condition)\b",
    re.IGNORECASE,
)
_CONSENSUS_IS: Final = re.compile(
    _FRAME
    + r"(?:the |our |my )?(?:shared |team |group |final (?!diagnosis))?(?:consensus|verdict|(?:final|definitive|agreed) diagnosis|conclusion|ruling|judgement|judgment|decision) (?:is|remains|falls on|favou?rs|points to) (?:(?:now|clearly|still) )?(?P<e>[^.;:]+)",
    re.IGNORECASE,
)
_DIAGNOSES: Final = re.compile(
    r"\b(?:I|we) (?:think|believe|conclude|am convinced|are convinced|suspect) (?:that )?(?:the|her|his) diagnosis (?:is|remains) (?P<e>[^.;:]+)",
    re.IGNORECASE,
)
_IS_DIAGNOSIS: Final = re.compile(
    r"(?:^|: |, )(?P<e>[A-Za-z][^.;:,]{3,80}?) is (?:therefore |thus |clearly |indeed )?the (?:diagnosis|answer)(?=[.,;]|\Z)",
    re.IGNORECASE,
)
_X_LEADS: Final = re.compile(
    _FRAME
    + r"(?:I (?:fully |now |also )?(?:agree|concur) (?:with \w+(?: \d+)?(?: and \w+)? )?that )?(?P<e>[A-Za-z][^.;:,]{3,80}?) (?:(?:still|now|clearly) )?leads(?=[.,;]|\Z| (?:for|by|over|at|as|and|with the strongest)\b)",
    re.IGNORECASE,
)
_PUTS_FIRST: Final = re.compile(
    _FRAME
    + r"(?:[^.;:]{3,160}, (?:and )?(?:so|hence|therefore) )?I(?:['’]d| would| now| still)? (?:(?:have changed my mind and|would|now|still|do|therefore) )*(?:put|place|rank|think|believe)(?: that)? (?P<e>[^.;:,]{4,60}?) (?:comes |is |as )?first(?=[.,;]|\Z| (?:with|because|and|since|given|on)\b)",
    re.IGNORECASE,
)
_CARE: Final = re.compile(
    r"\b(?:\w+(?:scopy|graphy|graphies|ectomy|otomy|ostomy|plasty|centesis)|angiogram|ultrasound|echo\w*|biopsy|test\w*|screen\w*|panel|culture|puncture|operation|repair|bypass|transfusion|dialysis|ventilation|admission|discharge|transfer|monotherapy|\w*therapy|drug|dose|agent|regimen|infusion|vaccine)\b",
    re.IGNORECASE,
)
_NO_DISEASE: Final = re.compile(
    rf"{DRUG.pattern}\Z|\b(?:what|who|whom|where|how|whatever|whichever|tell|sure|decision|question|problem|situation|puzzle|choice|challenge|story|mistake|day|guess|matter|moment|mess)\b",
    re.IGNORECASE,
)
_FIRST_TO_DO: Final = re.compile(
    r"\b(?:safety|airway|breathing|circulation|potassium|sodium|surgery|scan|CT|MRI|fluids?|antibiotics?|oxygen|insulin|patient|family|it|this|that|these|drain\w*|stent\w*|antidote|resuscitation|the)\b",
    re.IGNORECASE,
)
_FIRST_CHOICE: Final = re.compile(
    _FRAME
    + r"(?P<e>[A-Za-z][^.;:,]{3,80}?) (?:is|remains|stays|would be|continues to be)(?: still| clearly| now)? (?:my|our) (?:first|top|preferred|favou?red|favou?rite|number[- ]one|leading|lead) (?:choice|pick|candidate|bet|suspicion|thought|guess|diagnosis|explanation|contender|answer)\b",
    re.IGNORECASE,
)
_UNTIL_PROVEN: Final = re.compile(
    r"\b(?:(?:this|it|that|she|he) (?:has to be|must be|should be|is to be|will be|is|has|remains)(?: (?:treated|regarded|taken|handled|considered)(?: as)?)?(?: having| suffering from)?|(?:treat|regard|take|handle|consider|manage) (?:this|it|that|her|him) as|we are (?:dealing|looking) (?:with|at)) (?P<e>[^.;:,]{4,60}?),? until (?:proven|proved|shown) otherwise\b",
    re.IGNORECASE,
)
_IT_IS: Final = re.compile(
    r"^(?:(?:so|then|right|well|all right|very well),? )?(?P<e>[A-Za-z][^.;:,]{3,60}?),? it is(?: then)?(?=[.;,]|\Z)",
    re.IGNORECASE,
)
_MY_BET: Final = re.compile(
    _FRAME
    + r"(?:my money (?:is|stays|remains) on|I(?:['’]d| would| will)? (?:still )?(?:bet|put my money) on|I(?:['’]d| would)? (?:still )?call (?:this|it)|(?:for|to) me,? (?:this|it) (?:is|remains|looks like)|(?:at the )?top of my list (?:is|remains|stays)(?: still)?|(?:my|our) (?:first|leading|working|best|main|strongest) (?:guess|bet|thought|suspicion|impression|hypothesis|contender|candidate) (?:is|remains|would be)(?: still)?)\s+(?P<e>[^.;:]+)",
    re.IGNORECASE,
)
_FITS_BEST: Final = re.compile(
    r"\b(?:picture|presentation|findings|features|course|constellation|everything|evidence) (?:is|are) (?:the )?(?:most|best) (?:consistent|compatible|in keeping) with (?P<e>[^.;:]+)",
    re.IGNORECASE,
)
_NO_DIAGNOSIS: Final = re.compile(
    r"\b(?:approach|plan|step|strategy|steps|point|points|idea|way|case|reason|question|need|finding|sign|test|tests|time|matter|reasonable|concern|priority|management|therapy|treatment|imaging|workup|work-up|next|list|following|caution|option)\b|^(?:not|too|very|more|less|quite|worth|best|good|also|only|why|what|how|where|when|which|our|his|her|their|(?:ruling|getting|doing|starting|keeping|including|adding)\b)",
    re.IGNORECASE,
)
_ELSEWHERE: Final = re.compile(
    r"\b(?:another|other|different) (?:patients?|case)\b|\bin general\b", re.IGNORECASE
)
_DIAGNOSIS_OF: Final = re.compile(
    r"\b(?:agree|concur|support|suggests?|favou?rs?|confirms?|aligned|endorse|propose)\b[^.;:]{0,80}?\b(?:diagnosis|assessment|identification|likelihood|suspicion) of\s+(?P<e>[^.;:,]+)",
    re.IGNORECASE,
)
_THAT: Final = re.compile(
    r"^.*\b(?:agree(?:ment|s|d)?|concur|consensus|remains strong|noted|clear|confident) (?:\w+ )?that\s+",
    re.IGNORECASE,
)
_NO_ENTITY: Final = re.compile(
    r"(?:there|what|further|to|not|we|one|well|well-\w+|indeed|compelling|prudent|established|supported|clear|valid|consistent|sound|reasonable|appropriate|justified|strong|correct|crucial|important|essential|while|as|if|although|evident|"
    r"unanimous|agreed|likely|still|now|also|both|all|maintaining|ensuring|certainly|firmly|accurate|solid|robust|in|on|of|at|with|therefore|thus|whether|how|why|when|where|yet|so|then|proposition|consensus|agreement|emphasis)\b",
    re.IGNORECASE,
)
_ENTITY_END: Final = re.compile(
    r"\s*(?:,|;|\(also|\b(?:given|based on|considering|because|as (?:it|this|the|well|indicated|evidenced)|which|supported|particularly|specifically|especially|in (?:this|the|our)|due to (?:the|its|his|her)|that|while|although|but|and (?:the|its|our|associated)|is|are|has|for (?:this|the)|rather|at this|should|could|may|most|as most|as the|along ?with|alongside|together with|as well as)\b)",
    re.IGNORECASE,
)
_WITHDRAW: Final = re.compile(
    r"\b(?:i|we) (?:now |therefore |hereby )?(?:withdraw|retract|abandon|drop|no longer (?:favou?r|support|lead with|think|believe)|step back from|give up)\s+(?:my |the )?(?:diagnosis of |view of |support for )?(?P<e>[^.;:,]+?)(?:\s+(?:as|since|because)\b|\s+and (?:now |therefore |I |we |also )*(?:agree|side|join|support|accept|lead|align)|[.;:,]|$)",
    re.IGNORECASE,
)
_CHANGED: Final = re.compile(
    r"\bI (?:have |['’]ve )?changed? my (?:mind|view|opinion|answer|vote)\b", re.IGNORECASE
)
_AGREES: Final = re.compile(
    r"\b(?:I|we)(?:'m|’m| am)? (?:(?!not\b|cannot\b)\w+ ){0,2}?(?:agree|concur|side|align(?:ed)?|join(?= (?:doctor|dr)))\b(?! (?:that )?(?:we should|the need|additional|further))"
    r"|\b(?:I|we) withdraw [^.;]{3,80} and (?:now |therefore )?(?:agree|concur|side|join)(?: with)? (?:doctor|dr)",
    re.IGNORECASE,
)
_TENTATIVE: Final = re.compile(
    r"\b(?:(?:one|another) possible diagnosis|could be|may be|might be|a possible)\b", re.IGNORECASE
)
_ASIDE: Final = re.compile(
    r"\b(?:inclusion|include[sd]?|relevant addition|addition to|along with other|could be (?:a|considered)|less likely|unlikely|cannot be ruled out)\b",
    re.IGNORECASE,
)
_DOUBT: Final = re.compile(
    r"\b(?:less likely|unlikely|doubt|improbable|low(?:er)?[- ]probability|does(?:n[’']t| not) (?:fit|align|match|explain|strongly support)|not (?:strongly )?(?:align|support|fit)|lower (?:probability|priority|likelihood)|inconsistent with|(?:reduces?|lessens?|lowers?) (?:its|the|their) (?:likelihood|probability)|(?:does(?:n[’']t| not)|do not|don[’']t) (?:\w+ ){0,2}(?:account for|present with|match|correspond)|not (?:be )?(?:as|a) (?:prominent|significant|major)(?:ly)?\b|less (?:probable|plausible|convincing))",
    re.IGNORECASE,
)
_ITS_OWN: Final = re.compile(
    r"(?:(?:and|but|so|yet|though|although|while|however|therefore|thus|overall|still|also|nor|remains?|it|this|that|these|which|they|he|she|i|we|would|could|should|may|might|can|is|are|was|were|be|been|being|seems?|appears?|considered|thought|deemed|felt|regarded|as|the|a|an|its|of|very|much|far|rather|somewhat|quite|now|given|only|note[ds]?|"
    r"believe|agree|concur|think|find|put|place|placed|positioned|retain(?:ed)?|keep|kept|diagnosis|condition|disease|disorder|syndrome|possibility|consideration|likelihood|probability|option|alternative|to|in|on|with|for|category)(?:\W+|\Z))*\Z",
    re.IGNORECASE,
)
_REJECT: Final = re.compile(
    r"\b(?:ruled out|excluded(?! from)|can be dismissed|rejects?|eliminat(?:e|ed|ing)|no longer (?:considered|needed|on the list))\b",
    re.IGNORECASE,
)


def is_noise(text: str) -> bool:
    """Tell whether `text` is a courtesy, a question, a placeholder or a stop word for the machinery."""
    return bool(
        not text
        or text.endswith("?")
        or _COURTESY.match(text)
        or _PLACEHOLDER.match(text)
        or _TERMINATE.search(text)
    )


def is_question(text: str) -> bool:
    """Tell whether `text` asks, or is a placeholder or a stop word for the machinery."""
    return bool(not text or text.endswith("?") or _PLACEHOLDER.match(text) or _TERMINATE.search(text))


_REQUEST: Final = re.compile(
    r"^(?:and )?(?:(?:doctor|dr\.?) ?\w+|supervisor|colleagues?|everyone|team)(?: and (?:doctor|dr\.?) ?\w+)?, (?:could|can|would|will|please|what|which|how|do|are|is|tell|check|review|confirm|let|may I|I (?:would|want|ask))\b"
    r"|\b(?:I|we) (?:(?:would|now|also|like to|want to) )*(?:ask|invite|want|like|request) (?:doctor ?\d+|the (?:doctors|others|colleagues)|you|everyone)\b[^.]{0,20}\bto\b",
    re.IGNORECASE,
)
_BACK: Final = re.compile(
    r"\b(?:it|its|them|both of them|this one|that one|the (?:former|latter))\b", re.IGNORECASE
)


_SETTLED: Final = re.compile(
    r"\b(?:settled|resolved|no longer (?:any )?disagree\w*|unanim\w+|all (?:three|four|five|doctors|of (?:you|us)|specialists|experts|colleagues|agree)\b[^.;]{0,30}?\b(?:agree|lead|hold|share|support|favou?r)s?)\b",
    re.IGNORECASE,
)


def says_settled(text: str) -> bool:
    """Tell whether the moderator says that all are of one mind now."""
    return _SETTLED.search(text) is not None and not re.search(
        r"\bnot (?:yet )?(?:settled|resolved|unanim)", text, re.IGNORECASE
    )


def says_changed(text: str) -> bool:
    """Tell whether a speaker says in so many words that it has changed its mind."""
    return _SAYS_CHANGED.search(text) is not None


_SAYS_CHANGED: Final = re.compile(
    r"\b(?:I|we)(?:['’]ve| have)? (?:\w+ ){0,2}?(?:changed? (?:my|our) (?:mind|view|opinion|answer|vote|position)|"
    r"revised? (?:my|our) (?:view|opinion|answer|assessment|position|diagnosis)|withdraw|withdrew|retract|"
    r"no longer (?:favou?r|support|hold|think|believe)|stand corrected|concede|was wrong|were wrong|come round|"
    r"switch(?:ed)?|am (?:now )?persuaded|am (?:now )?convinced)\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=512)
def agrees_with(text: str, agent_id: str) -> bool:
    """Tell whether the speaker agrees with the named agent as a whole, and not "on" something."""
    name = (
        re.escape(agent_id)
        if not agent_id[-1:].isdigit()
        else re.sub(r"[\s_-]*(\d+)\Z", r"[\\s_-]?\1", agent_id)
    )
    listed = r"(?:(?:the )?\w+(?:[\s_-]?\d+)?(?:,? and |, ))*"
    return (
        re.search(
            rf"\b(?:agree|concur|side|align(?:ed)?|join)s? (?:now |fully )?(?:with )?{listed}{name}(?!\w)(?:(?:,? and |, )(?:the )?\w+(?:[\s_-]?\d+)?)*(?=\s*(?:[.;:]|,|\Z| on the (?:leading |most likely )?diagnosis| and (?:lead|support|favou?r)| that))",
            text,
            re.IGNORECASE,
        )
        is not None
    )


def is_request(text: str) -> bool:
    """Tell whether `text` asks something of another agent, and not of who looks after the patient."""
    return _REQUEST.search(text) is not None


def supposes(text: str) -> bool:
    """Tell whether `text` is a supposition with what would follow from it, such as "if he bleeds, it would kill"."""
    return re.match(r"(?:if|should)\b[^,;.]+, \w+ ", text, re.IGNORECASE) is not None


def points_back(text: str) -> bool:
    """Tell whether `text` says "it" or "them" of something that is named before it, and not in it."""
    found = _BACK.search(text)
    return found is not None and not re.match(r"\s+(?:is|was|seems|would be)\b", text[found.end() :])


def is_definition(text: str) -> bool:
    """Tell whether `text` says what a disease is like in general, not what this patient has."""
    return _DEFINITION.search(text) is not None


@lru_cache(maxsize=2048)
def condition_in(term: str, text: str) -> str | None:
    """Return the condition that a recommendation hangs on, as written; "" if it has one that is too long."""
    if (found := _COND_PAREN.search(term)) is not None:
        return _short(found["c"])
    if _NO_COND.search(text):
        return None
    found = _COND_START.match(text) or _COND_ANY.search(text)
    return _short(found.group()) if found else None


def _short(condition: str) -> str:
    condition = condition.strip(" ,.;:")
    return condition[:1].lower() + condition[1:] if word_count(condition) <= 9 else ""


_CHOICES: Final = (_FIRST_CHOICE, _UNTIL_PROVEN, _IT_IS, _MY_BET)  # said of drugs and tests too
_TOGETHER: Final = (_UNITED_ON, _AGREED_UPON)
_OWN: Final = re.compile(
    r"\b(?:my|our|me|otherwise|call|bet|it is)\b", re.IGNORECASE
)  # in each of `_CHOICES`
_UNITED: Final = re.compile(
    r"uni[ft]|unanim|align|agree|accord|accepted|endorsed|settled|established|by all", re.IGNORECASE
)  # in each of `_TOGETHER`
_PLAIN_LEADS: Final = (
    _FAVOURS,
    _DIAGNOSES,
    _IS_DIAGNOSIS,
    _CONSENSUS_IS,
    _X_LEADS,
    _FITS_BEST,
    _PUTS_FIRST,
    _UNITED_ON,
    _AGREED_UPON,
    *_CHOICES,
)


@lru_cache(maxsize=2048)
def stated_lead(text: str) -> str | None:
    """Return the diagnosis that `text` states to be the leading one, as written; None if it states none."""
    if _TENTATIVE.search(text) and not re.search(_MOST, text, re.IGNORECASE):
        return None
    if _ELSEWHERE.search(text) or text.endswith("?"):
        return None
    own, united = _OWN.search(text), _UNITED.search(text)
    for pattern in (_AS_THE_MOST, _DIAGNOSIS_IS, _DIAGNOSIS_OF, _IS_THE_MOST, *_PLAIN_LEADS):
        if (pattern in _CHOICES and own is None) or (pattern in _TOGETHER and united is None):
            continue
        if (match := pattern.search(text)) is not None:
            entity = _THAT.sub("", match["e"])
            if pattern is not _IS_THE_MOST:
                end = _ENTITY_END.search(entity)
                entity = entity[: end.start()] if end else entity
            entity = entity.strip(" ,.*")
            if (
                entity
                and not (pattern in {_PUTS_FIRST, *_CHOICES} and _FIRST_TO_DO.search(entity))
                and not (pattern in _CHOICES and (DRUG.search(entity) or _CARE.search(entity)))
                and not _NO_DISEASE.search(entity)
                and word_count(entity) <= 12
                and not PRONOUN.search(entity)
                and not _NO_ENTITY.match(entity)
                and not (pattern in _PLAIN_LEADS and (word_count(entity) > 7 or _NO_DIAGNOSIS.search(entity)))
            ):
                return entity
    return None


def states_plainly(text: str) -> bool:
    """Tell whether a sentence that opens like a courtesy states a leading diagnosis all the same."""
    opens = _FAVOURS.match(text) is not None or _is_united(text)
    return opens and not is_question(text) and stated_lead(text) is not None


def _is_united(text: str) -> bool:
    if _UNITED.search(text) is None:
        return False
    return _UNITED_ON.match(text) is not None or _AGREED_UPON.match(text) is not None


def withdrawn(text: str) -> str | None:
    """Return what `text` withdraws, as written; "" if it says only that a mind has changed; else None."""
    if (match := _WITHDRAW.search(text)) is not None:
        return match["e"].strip()
    return "" if _CHANGED.search(text) else None


_JOINS: Final = re.compile(
    r"\b(?:I|we) (?:(?!not\b|cannot\b|only\b)\w+ ){0,2}?(?:agree|concur|align|side|join|go along)\b[^.;:]{0,20}? the (?:\w+ )?(?:consensus|majority|others|group|common view)(?: view)? (?:around|on|about|regarding|over|of|for|in favou?r of|that (?:this|it) is) (?P<e>[^.;:,]+)",
    re.IGNORECASE,
)


def joins_in(text: str) -> str:
    """Return on what the speaker says to join the consensus, as written; "" if it says no such thing."""
    found = _JOINS.search(text)
    return found["e"] if found is not None and not is_aside(text) else ""


def agrees(text: str) -> bool:
    """Tell whether the speaker says to agree."""
    return _AGREES.search(text) is not None


def is_tentative(text: str) -> bool:
    """Tell whether `text` offers its diagnosis as a possibility only."""
    return _TENTATIVE.search(text) is not None


def is_aside(text: str) -> bool:
    """Tell whether `text` speaks of adding or ranking diagnoses, rather than of leading with one."""
    return _ASIDE.search(text) is not None and not _is_united(text)


def stance_words(text: str) -> str:
    """Return "rejects", "doubts" or "proposes": how `text` stands to the diagnosis that it explains."""
    if _REJECT.search(text) and not re.search(
        r"\b(?:need|needs|to|must|should|cannot|can't) be (?:ruled out|excluded)|not (?:be )?(?:ruled out|excluded)|(?:cannot|not) (?:entirely |completely )?(?:rule|exclude|dismiss|eliminat)",
        text,
        re.IGNORECASE,
    ):
        return "rejects"
    return "doubts" if _DOUBT.search(text) else "proposes"


def doubt_in(text: str) -> str:
    """Return the words of a doubt, as written: "a very low-probability", "less likely"; "" for none."""
    found = re.search(
        rf"(?:\b(?:a|very|much|far|rather|somewhat|clearly|considerably)\s+)*{_DOUBT.pattern}",
        text,
        re.IGNORECASE,
    )
    return re.sub(r"^an? ", "", found.group()) if found else ""


def doubts(text: str, entity: str) -> bool:
    """Tell whether `text`, which explains `entity`, holds just that for less likely, and not something beside it."""
    for match in _DOUBT.finditer(text):
        clause = re.split(r"[.;:]\s|,\s", text[: match.start()])[-1]
        named = set(key_words(entity))
        said = " ".join(
            word for word in clause.split() if not set(key_words(word)) <= named or not key_words(word)
        )
        if _ITS_OWN.match(said.strip()) and not re.search(r"\b(?:not|never|hardly)\s+\Z", clause):
            return True
    return False
