"""What a question wants, by the words it is asked with."""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import re
from typing import Final

from agents.dialogue.values import Intent
from agents.dialogue.words import MOST_CHARS

_NAME: Final = re.compile(
    r"^(?:(?:hey|hi|ok|okay|so|um|uh|er|well|and|but|please|now|right|sorry) )*(?:exaim|exam|x aim|ex aim)\b ?"
)
_FILLER: Final = (
    r"hey|hi|ok|okay|so|um|uh|er|well|now|then|right|yes|no|good|great|fine|thanks|thank you|just|let us|lets"
)
_POLITE: Final = re.compile(
    rf"^(?:(?:{_FILLER}|can you|could you|would you|will you|can we|could we|please|go ahead and|"
    r"i want you to|i would like you to|i need you to|you should|you can|you must|make sure (?:to|you|they)|tell them to|tell the (?:nurse|team|nurses|ward) to|ask the (?:nurse|team|nurses|ward) to|ask them to|get them to|someone|somebody|everyone|nurse|have them|have someone|have the nurse) )+"
)
# What bids nobody: "so give it?" asks, "please give it?" does not.
_FILLED: Final = re.compile(rf"^(?:(?:{_FILLER}) )+")
_ORDER: Final = re.compile(
    r"^(?:give|start|stop|hold|withhold|order|prescribe|administer|book|arrange|call|page|phone|bleep|send|repeat|push|run|increase|decrease|reduce|double|halve|switch|change|put|insert|remove|transfuse|intubate|infuse|inject|draw|take|recheck|check|request|refer|admit|transfer|move|discharge|cancel|discontinue|chart|sign|approve|schedule|set up|hang|bolus|load|dialyse|dialyze|pace|catheterise|begin|commence|get)\b(?! (?:(?:me|us|what)\b|that again|it again|(?:please|that|with)$))"
)
_AUX_WE: Final = re.compile(
    r"^(?:(?:so|and|but|ok|okay|well|then|now|right|um|uh|er|please|hey|exaim) )*(?:can|could|should|may|shall|must|do|are|is|would) (?:we|i|they|she|he)\b"
)
_NO_ORDER: Final = re.compile(
    r"^(?:(?:give|get|read|take|run|send|check|call) (?:me|us|you|it)\b|take (?:her|his) (?:temperature|age)$|get back to|(?:take|run) (?:me|us) through|run through (?:what|which|all)\b|repeat (?:that|it|yourself|the (?:last|question|answer|sentence)|please|what)\b|repeat$|check (?:if|whether|(?!with\b)(?:\w+ ){1,4}?(?:can|may|should|(?:is|are) (?:not )?(?:ok|okay|fine|safe|all right|alright|allowed|suitable)))\b|run that by\b|(?:change|increase|decrease|order) (?:in|of)\b|take home\b|\w+ (?:criteria|plan|destination)$|(?:give|get) (?:a|an|the) (?:summary|overview|list|update|recap|answer|value|reason)|call it\b|stop$|hold$|hold on|hold it|start (?:again|over|from)|stop (?:talking|speaking|there|it|reading)|change of|take away|move on|cancel (?:that|this)$|put (?:it|that) (?:another|differently|simply))"
)
# Whether somebody did something to the patient: who is asked of is no one by name, or it is asked whether it is so yet.
_DID: Final = re.compile(
    r"^(?:(?:and|so|but|ok|okay|well) )*(?:(?:has|have|had|did) (?:anyone|anybody|someone|somebody|any of (?:them|us|you))\b|(?:has|have|had|did)\b.* yet$)"
)
# ... but what was said, thought or looked at stands in the discussion and on record.
_SAID: Final = re.compile(
    r"^(?:\w+ ){1,4}?(?:said?|sa(?:y|id)|mention\w*|suggest\w*|agreed?|disagreed?|th(?:ink|ought)|argued?|consider\w*|raised?|noticed?|notice|see|seen|f(?:ind|ound)|look(?:ed)?|check(?:ed)?|measured?|object\w*|propos\w*|warn\w*|recommend\w*|doubt\w*|chang\w*|explain\w*|note[ds]?|ask(?:ed)?)\b"
)
# What only points at another thing than the one that was told: "no, the other one". Nobody knows at which.
_OTHER_ONE: Final = re.compile(
    r"^(?:(?:no|not|yes|i|meant?|want(?:ed)?|but|and|so|sorry|the|that|this|those|it|one|ones|first|second|third|last|next|please) )*(?:other|another|different)(?: (?:one|ones|thing|please))*$"
)
_RULES: Final = tuple(
    (intent, re.compile(pattern))
    for intent, pattern in (
        (Intent.REPEAT, r"^(?:(?:i am |im )?sorry|pardon(?: me)?|what|huh|eh|come again|repeat(?: that| it| please| the last\b.*)?|what did you(?: just)? say|what was that|say (?:that|it) again|say again|once more|once again|again|excuse me|i (?:did not|didnt|could not) (?:catch|hear|get) that|can you repeat\b.*|(?:could|would|please) (?:you )?repeat\b.*|one more time|run that by me again|missed that|i missed that)(?: please| again| one)*$"),
        (Intent.WHY, r"\b(?:why|what is wrong with (?!(?:him|her|them|it|this|that|mrs?|ms|miss|the patient|my|our)\b)|how come|what makes|what made|reason(?:s|ing)?|rationale|evidence|grounds?|justif\w+|what supports|based on what|on what basis|because of what|what is behind|explain|what for|how do (?:they|we|you) know|what points)\b"),
        (Intent.DONE, r"\b(?:has|have|had|was|were|did|is|are)\b.*\b(?:given|ordered|started|administered|prescribed|requested|been sent|been done|been called|been told|been informed|been taken|been booked|been stopped|been held|called|informed|already had|had (?:the|her|his) (?:dose|calcium|insulin|salbutamol)|stopped|done)\b(?! (?:to|by|with) (?:cause|me))|\bdid (?:we|they|you|anyone|anybody|someone|she get|he get)\b.*\b(?:give|order|start|call|send|stop|hold|get|book|do|tell|inform)\b|\bhave (?:we|they|you) (?:given|ordered|started|called|sent|stopped|held)\b|\bhas (?:she|he) (?:had|got|received)\b.*\b(?:dose|calcium|insulin|salbutamol|fluids?|antibiotics?|heparin|dialysis)\b"),
        (Intent.TIME, r"\b(?:since when|until when|till when|what time|how long ago|what year|which year|how old is (?:that|the|this)|how recent|when (?:was|were|did))\b|^(?:and )?when$"),
        (Intent.HISTORY, r"\b(?:ever (?:had|been|have)|history of|in the past|past (?!few|hour)|used to have|(?:any|had|have) (?:\w+ )?(?:previous|prior|earlier)|known (?:to have|for)|already (?:has|have) (?:a|an)?)\b"),
        (Intent.TREND, r"\b(?:better|worse|improv\w*|trends?|trending|going (?:up|down)|rising|falling|risen|fallen|than (?:before|last|earlier)|^and before(?: that)?$|compared|comparison|previous|previously|last time|up or down)\b"),
        (Intent.CERTAINTY, r"\bhow (?:sure|certain|confident|convinced|firm\w*|strong\w*)\b|\b(?:certainty|confidence|confident|is (?:he|she) sure|are they sure)\b"),
        (Intent.CHANGED, r"\b(?:chang(?:e|ed|ing|es)|switched|withdr[ae]wn?|withdraw|revised|moved? (?:his|her|their) (?:mind|view)|different (?:now|from before)|new since|what is new|anything new|used to think|originally|earlier view|before that)\b"),
        (Intent.COUNT, r"\bhow many\b|\bnumber of\b|\bwhat is the (?:vote|count|score|tally)\b"),
        (Intent.HOW_MUCH, r"\b(?:how much|what dose|which dose|dos(?:e|es|age|ing)|how often|how frequently|what rate|how fast|how quickly|over how long|how long (?:over|for)|what strength|how large|how big a|what volume|milligrams|what route|how is it given|how do (?:we|you|i) give|how should (?:we|it|i)|how to give)\b"),
        (Intent.CONDITION, r"\b(?:when (?:should|would|do|does|can|could|is|are|will|to|must|might)|under what|in what case|in which case|on what condition|at what (?:point|level|potassium|stage|threshold)|what (?:would|should|will|could) (?:trigger|make|prompt|need)|what (?:would|do|does|should) [\w ]{1,30}? want (?:a (?:call|ring|bleep)|to (?:know|hear|be (?:called|rung|told|woken|bleeped|phoned))) (?:about|for)|what (?:conditions?|criteria|indications?)|threshold|trigger|unless|only if|what if|if\b.*\bthen|indication|indicated)\b|^(?:and )?(?:if|when)\b(?! (?:was|were|did))"),
        (Intent.OPEN, r"\b(?:disagree\w*|disagreements?|differ(?:s|ence|ences|ing|ently)?|unresolved|dispute\w*|argu(?:e|ing|ment)|open (?:points?|questions?|issues?)|still open|left open|unsure|uncertain\w*|settled|consensus|unanimous|dissent\w*|split|(?:do|are|does|have|did) (?:they|the doctors|all|everyone|everybody|the team)\b.*\bagree\w*|(?:all|everyone|everybody) (?:agree|on board)|agreed|agreement|in agreement|on the same page|anyone against|outstanding questions?|what is open|not agreed|doubts?)\b"),
        (Intent.VIEW, r"\bwho (?:is |was )?(?:right|leads?|leading|favou?rs?|is in favou?r)\b"),
        (Intent.WHO, r"\b(?:who|whose|which (?:doctor|agent|one of them|of the doctors|of them))\b"),
        (Intent.CAUTIONS, r"\b(?:caution\w*|avoid\w*|contra ?indicat\w*|careful|interact\w*|warnings?|warn|safe(?:ly|ty)?|danger\w*|risk\w*|not (?:be )?(?:given|give)|should (?:not|we (?:stop|hold|avoid))|must not|(?:can|could|may|should|is it ok\w* to|are we ok to|okay if) (?:we |she |he |i |you )?(?:still )?(?:have|give|use|take|start|restart|continue|get|be given|go on)|stop(?:ping|ped)?|hold(?:ing)?|on hold|held|off limits|concerns? (?:about|with)|watch (?:out|for)|worried about)\b"),
        (Intent.FIRST, r"\b(?:first|next|priorit\w+|most urgent|what now|right now|immediate(?:ly)?|most important|start with|urgent(?:ly)?|straight away|at once|next steps?|top of the list)\b"),
        (Intent.CRITICAL, r"\b(?:critical|alarm\w*|emergenc\w+|life threatening|dangerous|red flags?)\b"),
        (Intent.OTHERS, r"\b(?:differentials?|what else|else could|other (?:diagnos\w+|causes?|possibilit\w+|options?|considerations?|ideas?)|alternatives?|rule[sd]? out|excluded?|also consider\w*|any other)\b"),
        (Intent.TESTS, r"\b(?:tests?|investigat\w+|work ?up|what (?:scans?|imaging|bloods) (?:do|should|would|are|did)|further imaging|diagnostics|asking for|(?:want|need) to check|what (?:do|should|must) (?:they|we) (?:want to )?(?:check|test|measure|send|monitor|repeat))\b"),
        (Intent.ACTIONS, r"^(?:and )?which (?:drugs?|medicines?|antibiotics?|fluids?|one)\b|\b(?:treat\w*|therap\w+|manage\w*|plan|plans|what (?:should|do|must|can) (?:we|they|i) (?:do|give|want|start)|recommend\w*|suggest\w*|advi[cs]e\w*|what to (?:do|give)|actions?|intervention\w*|propos\w+|what is needed|instead|aim\w*|targets?|goals?|how (?:do|should|would|can|to) (?:we |they |i |you )?(?:treat|manage|lower|bring|protect|correct|fix))\b"),
        (Intent.SUMMARY, r"\b(?:summar\w+|recap|overview|where are we|catch me up|what is going on|what is happening|bring me up|up to (?:date|speed)|in a nutshell|bottom line|the gist|fill me in|what have i missed|what did i miss)\b"),
        (Intent.VIEW, r"\b(?:think|thinks|thinking|thought|diagnos\w+|leading|most likely|likel(?:y|iest)|what is wrong|what has (?:she|he) (?:\w+ )?got|view|views|opinions?|believ\w+|cause|causes|caused|causing|what is it\b|favou?r\w*|conclu\w+|impression|stand|stands|position|what do they say|working diagnosis|explains?|sides?|due to|lead|leads)\b"),
    )
)  # fmt: skip
# What is asked of the case as a whole, whatever else stands in the question: the first that fits. They come
# before the others, and count only where no drug, test or condition is named.
_OF_ALL: Final = tuple(
    (intent, re.compile(pattern))
    for intent, pattern in (
        (Intent.PLAN, r"^(?:(?:and|so|ok|okay|now|then|exaim) )*(?:(?:(?:what|where|how|run|tell|give|remind|read|go)(?: (?:is|me|us|through|over|of|back|with))* )?(?:the |our |your |their )?(?:(?:current|new|latest|overall|whole|final|treatment|management) )?plan\b(?! (?:[ab]|was|changed?)\b)|what (?:are|is)?(?: ?(?:we|you|they|the team))(?: all)? (?:doing|going to do)\b(?! (?:about|with|for|if)\b))(?!.*\b(?:if|when|unless|once|why|include\w*)\b)"),
        (Intent.MORE, r"^(?:tell me more|more|go on|say more|and(?: what)? else|what else is there|(?:is there )?anything (?:else|more)(?: on (?:that|it))?|more (?:on|about) (?:that|it|this)|more detail|continue|keep going|the rest|and the rest|what more)(?: please| about (?:that|it))?$"),
        (Intent.FORBIDDEN, r"\b(?:what|which)\b(?: \w+){0,4} not (?:to )?(?:be given|be getting|get|have|take|give|receive|eat|drink)\b|\b(?:what|which|everything|anything|all|list|things?|drugs?|tablets?|medicines?|meds)\b.*\b(?:must|should|can|may|could|ca|do|to|i|we)\b.*\b(?:not|never|avoid|stop|hold|off|away)\b|\b(?:what|which|everything|anything|all|list|things?|drugs?|tablets?|medicines?|meds)\b.*\b(?:are|is)\b.*\b(?:not (?:to|for|ok|okay|allowed|safe|permitted|an option)|off|never|to be (?:avoided|stopped|held|withheld))\b|\b(?:off limits|no ?gos?|contra ?indicat\w+|forbidden|prohibited|not allowed|do not give|stay away from|steer clear)\b|\b(?:what|which|list|run through|everything)\b.*\b(?:cannot|nobody|no one)\b.*\b(?:be given|get|have|take|give|gives|receive|eat|drink|do)\b|\b(?:drugs?|tablets?|medicines?|medications?|meds|things?|treatments?)\b(?: \w+){0,2} (?:are|is|would be|could be|might be)(?: \w+)? (?:dangerous|harmful|unsafe|risky|out(?! of)|a no|poison|not safe|barred|banned)\b|\b(?:dangerous|harmful|unsafe) (?:drugs?|tablets?|medicines?|medications?|meds)\b|\b(?:what|which|everything|anything|all)\b.*\b(?:struck off|ruled out of bounds|banned|barred|vetoed|off the table)\b.*\b(?:all|full|everything|list)\b|\b(?:what|which|everything|anything)\b.*\b(?:rul(?:e|ed|ing) out (?:giving|using)|leav(?:e|ing) out|(?:keep|keeping|kept) (?:away|off)|hold(?:ing)? back|with(?:hold|holding|held)|not (?:giving|using))\b"),
        (Intent.ALLERGIC, r"\b(?:react(?:ed|s|ing)?|reactions?)\b(?! (?:protein|time))"),
        (Intent.CRITICAL, r"\b(?:most dangerous|how (?:sick|ill|unwell|bad is (?:she|he|it)|serious|unstable)|gone wrong|going wrong|worst (?:of it|thing)|the worst|worries? (?:them|you|us) most|biggest (?:worry|danger|threat|risk|problem)|about to (?:die|arrest|crash)|life threatening|any alarms?|red flags?|anything critical|crash(?:ed|ing))\b"),
        (Intent.DECIDED, r"\b(?:(?:final|agreed|common|joint|working|last) (?:diagnosis|view|answer|decision|position|verdict|word|conclusion)|settle[ds]? on|land(?:ed)? on|conclu(?:de|ded|sion|sions)|what (?:was|is|has been|did (?:they|we|you all)|(?:have|has) (?:they|we|the team)) (?:decided?|agreed?)|come down to|on (?:one|the same) page|hold(?:ing)? out|unanimous|all agree|everybody agree|everyone agree|consensus|bottom line)\b"),
        (Intent.DROPPED, r"\b(?:which|what|any)\b.*\b(?:withdr[ae]wn?|pull(?:ed)? back|t(?:aken|ook) (?:out of|back|off)|cancel\w*|scrapp?\w*|dropped|revoked|retracted|abandoned|struck)\b"),
        (Intent.PLACE, r"^(?:(?:and|so|ok|okay|now|then) )*(?:where (?:is|are|does|do|will|should|would|to)\b(?:(?= (?:he|she|they|we|the (?:patient|child|baby|boy|girl|man|woman|lady))\b)|.*\b(?:go|going|sent|transferr?|transferred|mov(?:e|ed|ing)|admit|admitted|bed)\b|$).*|which (?:bed|ward|unit|hospital)\b.*)|\bwhich (?:bed|ward|unit)\b"),
        (Intent.PENDING, r"\bwait(?:ing)? (?:on|for)\b|\b(?:still (?:open|to (?:come|do|be done)|out|up in the air|pending|outstanding|missing|unclear|unknown)|not (?:come|back|in|arrived|been reported) (?:yet|back)|(?:come|back|in) yet|outstanding|pending|unresolved|left over|left open|is not sorted|not settled|up in the air|awaited|awaiting|loose ends?)\b"),
    )
)  # fmt: skip
_SMALL_TALK: Final = re.compile(
    r"^(?:(?:thanks?|thank you|cheers|great|good|perfect|lovely|nice|brilliant|ok|okay|hello|hi|hey|good (?:morning|afternoon|evening)|how are you|bye|goodbye|who are you|what are you|are you (?:there|a robot|human|real)|what can (?:you do|i ask)|can you hear me|testing|hello hello|very much|so much|exaim|all right|alright|got it|i see|fine|sure|no|yes|yeah|yep|no thanks|help)\s*)+$"
)
# How or when something is given asks what was said of it, not whether it was done.
_NOT_YET: Final = re.compile(
    r"^(?:(?:and|so|but|ok|okay|well) )*(?:how|when|why|where|at what \w+|on what \w+) (?:is|are|do|does|should|would|can|will)\b"
)
# "Give plasma, yes or no" asks for leave, as "give plasma?" does; "could you give plasma?" bids.
_LEAVE: Final = re.compile(
    r"\b(?:yes or no|or not|or (?:leave|hold|wait|skip|stop)(?: (?:it|them|off|out|on))?)$"
)
_FOLLOWS: Final = re.compile(r"^(?:and|what about|how about|also|and what about|then)\b")
_REFERS: Final = re.compile(r"\b(?:it|that|this|them|those|these|one)\b")


_DIFFERS: Final = re.compile(
    r"\b(?:disagree\w*|differ\w*|dissent\w*|anyone against|object\w*|argu(?:e|es|ing)|dispute\w*)\b",
    re.IGNORECASE,
)
_WHAT_ELSE: Final = re.compile(r"(?:(?:so|and|is there) )*anything (?:else|more)$")
# Whether a thing stands or lies where it is to be: "is the tube in yet". What was reported is another question.
_IS_IN: Final = re.compile(
    r"^(?:(?:and|so|but|ok|okay|well) )*(?:is|are) (?:the|his|her|their|an?|that) [\w -]{2,40}? (?:in|out|up|on|off|down|through) yet$"
)


def _bare(words: str) -> str:
    """Return the beginning of `words` without our name; patterns take the cube of its length, so more is not read."""
    return _NAME.sub("", words[:MOST_CHARS])


def asks_if_in(words: str) -> bool:
    """Tell whether `words` ask if something was put in, taken out or hung up so far."""
    return _IS_IN.match(_bare(words)) is not None


# "What should make me stop it" asks for a condition, and for no list of what is stopped.
_WHAT_MAKES: Final = re.compile(
    r"\bwhat (?:would|should|will|could) make (?:me|us|you|them|him|her) \w+ (?:the |this |that |her |his )?\w"
)


def of_all(words: str) -> Intent | None:
    """Return what `words` ask of the case as a whole; None if they ask for one thing."""
    bare = _bare(words)
    if _WHAT_MAKES.search(bare):
        return None
    return next((intent for intent, pattern in _OF_ALL if pattern.search(bare)), None)


def wanted(words: str, *, asks: bool = False) -> Intent | None:
    """Return what `words` (small letters, single blanks) ask for; None if they only name something.

    `asks`: they end in a question mark.
    """
    if not words:
        return Intent.UNCLEAR
    bare = _bare(words)
    if _SMALL_TALK.match(bare or "exaim"):
        return Intent.SMALL_TALK
    bids = _POLITE.match(_FILLED.sub("", bare)) is not None
    if is_order(bare) and not (_LEAVE.search(bare) or (asks and not bids)):
        return Intent.ORDER
    if _OTHER_ONE.match(bare):
        return Intent.UNCLEAR
    if _DID.match(bare) and not _SAID.match(bare):
        return Intent.DONE
    for intent, pattern in _RULES:
        if pattern.search(bare) and not (intent is Intent.DONE and _NOT_YET.match(bare)):
            return intent
    return None


def asks_who_differs(words: str) -> bool:
    """Tell whether `words` ask if somebody holds another view: what was decided is no answer to that."""
    return _DIFFERS.search(words) is not None


def asks_what_else(words: str) -> bool:
    """Tell whether `words` ask for whatever is left, of all of the case."""
    return _WHAT_ELSE.match(_bare(words)) is not None


def is_order(words: str) -> bool:
    """Tell whether `words` bid somebody to do something to the patient."""
    core = _POLITE.sub("", words)
    if _NO_ORDER.match(core):
        return False
    if _ORDER.match(core):
        asks = _AUX_WE.match(words) is not None  # "can we give …" asks whether it may be done
        return not asks
    return False


def follows(words: str) -> bool:
    """Tell whether `words` go on from the question before ("and the dose?")."""
    return _FOLLOWS.match(words) is not None


def refers(words: str) -> bool:
    """Tell whether `words` speak of something that they do not name."""
    return _REFERS.search(words) is not None
