"""What plain prose says beside the lists: cautions, orders with a dose, measured and denied findings.

Each function looks at one sentence and at nothing else. What is said of a relative, in the past, as a
question or as a supposition is none of these.
"""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from exaim_core.lexicon.drugs import DRUG
from exaim_core.lexicon.statements import clauses, is_family, is_general, measured, supposes
from exaim_core.lexicon.terms import NEGATIVE_FINDING, sentence_like
from exaim_core.text.context import context_of
from exaim_core.text.quantities import Quantity, quantities

THERAPY: Final = re.compile(
    r"\b(?:oxygen|fluids?|crystalloids?|saline|ringer\w*|albumin|calcium (?:gluconate|chloride)|magnesium(?: sulfate| sulphate)?|potassium|sodium|glucose|dextrose|bicarbonate|"
    r"platelets?|plasma|red cells|blood|dose|infusion|combination|iron|naloxone|flumazenil|antibiotics?|immunoglobulins?)\b",
    re.IGNORECASE,
)
_PROCEDURE: Final = re.compile(
    r"\b(?:lumbar puncture|(?:liver |renal |kidney |lung |brain )?biopsy|surgery|operation|intubation|transfusion|central line|catheteri[sz]ation|colonoscopy|endoscopy|thoracentesis|paracentesis|"
    r"thrombectomy|(?:live )?vaccin\w+|MRI|gadolinium|contrast|exercise test\w*|dialysis|ventilation|sedation|an(?:a?)esthesia|NSAIDs?)\b",
    re.IGNORECASE,
)
_ALLERGIC: Final = re.compile(
    r"\ballergic to (?!be\b)[a-z]+|\banaphyla\w+ (?:to|after|with) [a-z]+|\b(?!food|seasonal|environmental|no|any|drug|medication)[a-z]{3,}[- ]allergy\b(?! (?:test|panel|screen|label|clinic|work))|\ballergy to [a-z]+|"
    r"\b(?:rash|hives|urticaria|angio-?o?edema|reactions?|intolerance|hypersensitiv\w+|wheez\w+|bronchospasm|facial swelling|collapsed?(?= (?:after|with|when))|reacted|reacts)(?: (?!relat|due\b|clear|improv|resol|settl|subsid|bett|treat|respon|went|is\b|are\b|was\b|were\b|has\b|had\b|then\b|but\b)[\w-]+){0,3}? (?:with|to|after|on|from|(?:with)?in (?:minutes|hours) of|when (?:\w+ ){1,3}?(?:gave|given|had|took|taken|received|started)) (?:[a-z]+ ){0,2}?(?P<what>[a-z-]+)",
    re.IGNORECASE,
)
_BLAMED_END: Final = re.compile(
    r"[.,;:]|\b(?:and|but|rather|responds?|improv\w*|is|are|was|were|has|had)\b", re.IGNORECASE
)
_REACTION: Final = (
    r"(?:rash\w*|hives|urticaria|angio-?o?edema|anaphyla\w+|bronchospasm|wheez\w*|swell\w*|swollen|blister\w*|itch\w*|collapse\w*|nephritis|hepatitis|jaundice|agranulocytosis|"
    r"Stevens\w*|epidermal necrolysis|dystonia|oculogyric|rigid\w*|malignant hyperthermia|haemolysis|hemolysis|torsades|throat|reaction)"
)
_CAUSED: Final = re.compile(
    r"\b(?:gave|given|caused|made|brought|left|produced|provoked|triggered|took|put|sent|closed)\b[^.;]{0,30}?\b(?:him|her|them|his (?=throat|tongue|lips)|(?:this|the) (?:patient|boy|girl|child|baby|man|woman))\b[^.;]{0,60}?\b"
    + _REACTION,
    re.IGNORECASE,
)
_ITS_REACTION: Final = re.compile(
    r"\b(?:his|her|their|the) (?:\w+ )?([\w-]+) reactions?\b(?! (?:chain|time))", re.IGNORECASE
)
_ALLERGEN: Final = re.compile(
    r"\b(?:latex|contrast|dye|chlorhexidine|iodine|plasters?|adhesives?|peanuts?|nuts?|eggs?|shellfish|gelatine?|soya|(?:bee|wasp) stings?)\b",
    re.IGNORECASE,
)
_UNDECIDED: Final = re.compile(
    r"\b(?:never had an? (?:\w+ )?reaction|nothing (?:suggests?|indicates?|points|speaks|argues)|whether|unclear|unknown|uncertain|not known|denies|denied|no (?:known |documented |history of )?(?:drug |medication )?(?:allerg|intoleran|anaphyl|contraindication)\w*|was removed|de-?labelled|another patient|other patients|"
    r"would have been|had (?:he|she|they) )",
    re.IGNORECASE,
)
_NOT_DONE: Final = (
    r"(?!(?:\w+ ){0,2}?(?:be )?(?:delay|overlook|miss|forg[eo]t|dismiss|ignor|exclud|rul|underestimat|neglect|defer|wait|hesitat|rel(?:y|ied)|confus|discount|assum|preclud|wors|"
    r"limit(?:ed)? to|detract|lose|lost|tak(?:e|en) lightly|consider\w*|solely|only|interpret\w*|attribut\w*))"
)
_FORBIDS: Final = re.compile(
    rf"\b(?:must|should|shall|ought)(?: not|n['’]t)(?: to)? {_NOT_DONE}\w+|\bcan(?:not| not|['’]t) (?:safely )?(?:be (?:safely )?)?(?:given|used|give|use|have|receive|tolerate|started|start|combined)\b|\b(?:do not|don['’]t) {_NOT_DONE}[a-z]+|\bnever (?:be )?(?:give|given|use|used|combine|combined|start|started|prescribe|prescribed|administer|administered|mix|take|taken|restart|exceed)\b|"
    r"\b(?:is|are|be|seems?|remains?|being|therefore|considered) (?:(?!not\b)\w+ ){0,2}?(?:contra-?indicated|unsafe|dangerous|hazardous|harmful|inadvisable|ill-advised|not (?:an option|options|recommended|advisable|advised|safe|suitable))\b|"
    r"\b(?:should|must|to|has to|have to|needs? to|ought to) be (?:\w+ly )?(?:avoided|stopped|held|withheld|discontinued|suspended|paused|omitted|reduced|halved|lowered|limited|capped|adjusted|restricted)\b|"
    r"\b(?:is|are) (?:best|better|to be) (?:avoided|stopped|held|withheld|withdrawn|discontinued|omitted)\b|\bout of the question\b|\boff limits\b|\b(?:nobody|no[ -]one) (?:should|must|may|ought to)\b|\bstays? off\b|\bkeep [\w-]+ (?:\w+ )?away from (?:him|her|them|this)\b|\b(?:poor|unacceptable|bad|dangerous|wrong) (?:choice|option|idea)\b|\b(?:steer|stay) (?:clear|away) (?:of|from)\b|\bruled out (?:by|because of) (?:her|his|the|their) (?:\w+ )?(?:allergy|anaphylaxis)\b|\b(?:precludes?|prohibits?|forbids?|advise against|recommend against)\b|"
    r"\b(?:with|needs?|requires?|extreme|great|particular) (?:\w+ )?caution\b|\bcautiously\b|\binteracts? with\b|\bprolongs? the QT",
    re.IGNORECASE,
)
_LIMITS: Final = re.compile(
    r"\b(?:maximum (?:\w+ )?dose|not exceed|no more than|not \w+(?: \w+)?(?: by)? (?:more|faster|quicker|longer) than|at most|limited to|capped at|reduced to|halved|dose (?:\w+ )?(?:reduction|adjustment|limit|cap)|"
    r"(?:doses?|dosed|dosing) (?:\w+ ){0,3}?(?:given|because|for|according|by) (?:\w+ ){0,4}?(?:age|weight|renal|eGFR|creatinine|clearance|pregnan\w*))\b",
    re.IGNORECASE,
)
_DOSE_UNITS: Final = frozenset(
    "mg g microgram ng unit ml l mg/kg mg/kg/day mg/kg/min mg/kg/h mcg/kg mcg/kg/min ml/h ml/kg/h l/min".split()
)
_AMOUNTS: Final = frozenset(("mg", "g", "microgram", "mcg", "ng", "unit", "ml", "l"))
_RATES: Final = frozenset(("kg", "h", "hour", "min", "day", "m2"))
_TAKEN: Final = re.compile(
    r"\b(?:takes?|took|taking|taken|given|gave|went|received|had|has|have|was|were|been|(?:is|are|still) on|running|in place|weighs?|levels?|"
    r"ingest\w*|swallow\w*|overdos\w*|inject\w*|drank|regular(?:ly)?|usual|home|current(?:ly)?|since|ago|yesterday|already|loss|lost|drain\w*)\b",
    re.IGNORECASE,
)
_DOSE: Final = re.compile(
    r"\d\s?(?:micrograms?|mcg|µg|mg|g|units?|m[Ll]|mmol|L)/(?:kg|h|min|day)", re.IGNORECASE
)
_ORDERS: Final = re.compile(
    r"\b(?:should|must|needs? to|has to|ought to|is to|are to)\b|\b(?:is|are) (?:needed|indicated|required|recommended|advised|warranted)\b|\bneeds? (?!to\b)|\bwould (?:be (?:my|our) |(?:give|start|choose|use|add|recommend|suggest|begin)\b)|\bought to\b|\b(?:my|our) (?:choice|preference|first choice)\b|"
    r"^(?:(?:next|first|then|now|therefore|in addition|also),? )?(?:(?:I|we)(?:['’]d)? (?:(?:would|will|also|now|strongly|therefore) )*(?:start|give|recommend|propose|suggest|advise|begin|administer|favou?r|hold|stop|continue|add|switch|titrate|use|treat)|let(?: us|['’]?s)|my (?:advice|suggestion|recommendation|proposal) (?:is|would be)|(?:please )?(?:start|give|hold|stop|begin|administer|infuse|load|titrate|continue|increase|reduce))\b",
    re.IGNORECASE,
)
_INTENDS: Final = re.compile(
    r"\b(?:I|we)(?:['’](?:d|ll)| would| will| shall| (?:am|are) going to| plan to| intend to| want to| prefer to)(?: (?:also|now|still|rather|therefore|strongly|just|simply|first|then|only|like to|want to|prefer to))*"
    r" (?!have|not|never|be|hold|withhold|wait|avoid|stop|hesitate|like|say|agree|argue|worry|expect|ask|know|hear|see|think|question|oppose|note|stress|remind)[a-z]+"
    r"|\b(?:I|we) (?:\w+ )?(?:accept|recommend|propose|suggest|advise|favou?r|prefer|choose)\b|\b(?:makes? sense|(?:be|is|seems?) (?:reasonable|sensible|wise|prudent|best|time)) to (?:begin|start|give|add|use|try|load)\b|\bworth (?:giving|starting|adding|trying)\b|^(?:one|we|you) (?:could|might) (?:\w+ly |also )?(?!be\b|have\b|not\b|argue|ask|say|expect|think|wonder|consider|discuss)[a-z]+"
    r"|\bis what (?:I|we)\b|\b(?:priority|next step|first step|plan|treatment|advice|suggestion|proposal|choice|recommendation|answer) (?:is|would be|remains)\b"
    r"|\b(?:is|would be|seems?|sounds|looks) (?:the |an? |my |our )?(?:\w+ )?(?:right|reasonable|sensible|appropriate|safer|enough|best|beginning|start|choice|option|alternative|answer)\b|\bwould be (?:a |the )?(?:more \w+|better|kinder|gentler|quicker|wiser|simpler)\b|\b(?:is|are) (?:still |now )?(?:outstanding|due|overdue)\b",
    re.IGNORECASE,
)
_ROUTE: Final = re.compile(
    r"\b(?:by mouth|oral(?:ly)?|intravenous(?:ly)?|i\.?v\.?|subcutaneous(?:ly)?|intramuscular(?:ly)?|sublingual(?:ly)?|rectal(?:ly)?|nebuli[sz]ed|inhaled|topical(?:ly)?|into (?:an?|the|his|her) (?:\w+ )?(?:vein|muscle|joint|cheek|thigh|nostril|eye)|under the (?:skin|tongue)|"
    r"once|twice|(?:three|four) times|daily|nightly|a day|per day|each (?:morning|evening|night|day)|every (?:\w+ ){1,2}(?:hours?|days?|weeks?|months?)|at night|with (?:food|meals|the \w+ meal)|bolus|infusion|by (?:\w+ )?tube|(?:an|per) hour|over \w+ (?:minutes?|hours?))\b",
    re.IGNORECASE,
)
_HANDLES: Final = re.compile(
    r"\b(?:hold(?:ing)?|stop(?:ping)?|withhold(?:ing)?|paus(?:e|ing)|suspend(?:ing)?|discontinu(?:e|ing))\b",
    re.IGNORECASE,
)
_SUPPOSED: Final = re.compile(
    r"\b(?:could|may|might|consider(?:ed|ing)?|would have|had (?:he|she|they|it)|were to|in theory)\b|\bif (?:the|there|she|he|they|it|this|any|not)\b.*\bwould\b",
    re.IGNORECASE,
)
_GRAVE: Final = (
    r"sepsis|septic shock|shock|infarction|embol\w+|ha?emorrhages?|bleed(?:ing)?|ST[- ](?:segment )?(?:elevation|depression)|stroke|meningitis|meningism|dissection|obstruction|perforation|isch[ae]+mia|"
    r"heart failure|raised intracranial pressure|cord compression|thrombos[ei]s|pneumothorax|hydronephrosis|free air|mass effect|midline shift|fracture|tamponade|pericardial effusion|abscess|metasta\w+|malignancy|neck stiffness|papillo?edema"
)
_NONE_OF: Final = re.compile(
    rf"\b(?:there (?:is|are|was|were)|shows?|showed|found|finds?|reveal(?:s|ed)?|demonstrate[sd]?|has|confirms?) no (?P<of>(?:(?!no\b)[\w-]+ ){{0,3}}?(?:{_GRAVE}))\b",
    re.IGNORECASE,
)
_NEGATIVE: Final = re.compile(
    r"^(?:(?:the|her|his|serial|repeat(?:ed)?|initial|both|all) )*(?:blood |urine |sputum |CSF |high-sensitivity |viral |HIV )*(?:troponins?|cultures?|D-dimers?|CT(?: [a-z]+){0,4}|MRI(?: [a-z]+){0,4}|ECGs?|PCR|lumbar puncture|pregnancy test|toxicology(?: screen)?|swabs?|gram stain|(?:CT )?angiogra\w+)\s+"
    r"(?:(?:was|were|is|are|remains?|came back|has been|have been|has remained|have remained)\s+)(?:\w+ )?(?P<of>negative|normal|unremarkable|sterile)\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=2048)
def is_warning(text: str) -> bool:
    """Tell whether `text` gives an allergy, forbids or limits something, or asks for caution with it."""
    if text.endswith("?") or _UNDECIDED.search(text):
        return False
    for match in _ALLERGIC.finditer(text):
        what = match["what"]
        blamed = _BLAMED_END.split(text[match.start("what") :])[0] if what is not None else ""
        if what is not None and not (DRUG.search(blamed) or _ALLERGEN.search(blamed)):
            continue
        context = context_of(text, match.start(), match.end())
        if not (context.negated or context.family):
            return True
    if any(DRUG.search(named[1]) or _ALLERGEN.search(named[1]) for named in _ITS_REACTION.finditer(text)):
        return not is_family(text)
    if (harm := _CAUSED.search(text)) is not None:
        blamed = DRUG.search(text, 0, harm.start()) or _ALLERGEN.search(text, 0, harm.start())
        context = context_of(text, harm.start(), harm.end())
        if blamed and not (context.negated or context.hypothetical or is_family(text)):
            return True
    for pattern in (_FORBIDS, _LIMITS):
        for match in pattern.finditer(text):
            context = context_of(text[: match.end()], match.start(), match.end())
            if context.negated or is_family(text):
                continue
            if not (DRUG.search(text) or _PROCEDURE.search(text) or (_LIMITS.search(text) and _doses(text))):
                continue
            if re.search(r"\bif\b", text, re.IGNORECASE) and _SUPPOSED.search(text):
                continue
            return True
    return False


def is_undecided(text: str) -> bool:
    """Tell whether `text` leaves open, denies or lifts what it warns of, or speaks of a relative."""
    return _UNDECIDED.search(text) is not None


def _doses(text: str) -> bool:
    return THERAPY.search(text) is not None and any(character.isdigit() for character in text)


def gives_doses(text: str) -> bool:
    """Tell whether the values in `text` are doses of a treatment, and it does not say that it is taken or was given."""
    values = measured(text)
    named = DRUG.search(text) is not None or THERAPY.search(text) is not None
    return bool(values) and named and _are_doses(values) and not _TAKEN.search(text)


def _are_doses(values: tuple[Quantity, ...]) -> bool:
    """Tell whether all are amounts to be given, or strengths in per cent beside one; oxygen's flow is none."""
    units = [q.unit for q in values if q.unit != "%"]
    return bool(units) and all(_is_dose_unit(unit) for unit in units)


def _is_dose_unit(unit: str) -> bool:
    amount, *per = unit.split("/")
    return amount in _AMOUNTS and set(per) <= _RATES and unit != "l/min"


@lru_cache(maxsize=2048)
def is_order(text: str) -> bool:
    """Tell whether `text` asks for a treatment with its dose, or to stop a drug."""
    if text.endswith("?") or _UNDECIDED.search(text):
        return False
    if any(_intends(text, each.start, each.end) for each in clauses(text)):
        return True
    if is_family(text) or _SUPPOSED.search(text) or is_general(text) or not _ORDERS.search(text):
        return False
    drug = DRUG.search(text) or THERAPY.search(text)
    if drug is None:
        return False
    dosed = any(q.unit in _DOSE_UNITS or q.unit == "%" for q in quantities(text)) or _DOSE.search(text)
    return bool(dosed) or (DRUG.search(text) is not None and _HANDLES.search(text) is not None)


def _intends(text: str, start: int, end: int) -> bool:
    """Tell whether the clause at [start, end) means a drug with its dose to be given, other than on a supposition.

    A condition may follow ("unless …") and is told with it. A drug of an unknown name is known by dose and route.
    """
    asks = _INTENDS.search(text, start, end)
    if asks is None or supposes(text[: asks.start()]):
        return False
    clause = text[start:end]
    if is_family(clause) or is_general(clause):
        return False
    dosed = any(q.unit in _DOSE_UNITS for q in quantities(clause)) or _DOSE.search(clause)
    return bool(dosed) and any(pattern.search(clause) for pattern in (DRUG, THERAPY, _ROUTE))


_AIM: Final = re.compile(
    r"\b(?:the|our|my|her|his)? ?(?:\w+ )?(?:targets?|goals?|aims?) (?:is|are|for|should be|of)\b|(?:^|: |; )(?:aim|target) (?:for|at)\b",
    re.IGNORECASE,
)
_CHART: Final = re.compile(
    r"\b(?:chart|history|current|home|regular|usual|past|background|hand-?over|interactions?|allerg\w+|avoid|stop\w*|hold|withheld|not|contra\w*|withdrawn|given|received|taken|before|overview|summary|case|presentation|toxic\w*|overdose|exposures?)\b",
    re.IGNORECASE,
)
_DONE: Final = re.compile(
    r"\b(?:was|were|has|have|had|took|takes|taken|given|gave|received|yesterday|already|ago|done|on arrival|allerg\w*|stopped|at \d{1,2}[:.]\d\d)\b",
    re.IGNORECASE,
)
_NAMELESS: Final = re.compile(
    r"^(?:(?:the|its|this|that|a|an|our) )?(?:laboratory|lab|result|value|level|number|figure|reading|report|it|this|that|they|these)\b(?: (?:has|have|had|now|then|also|just|in fact|itself))*"
    r" (?:reported|measured|gave|found|shows?|showed|is|was|were|came|stands?|stood|says?|said|read|reads|lies|rose|fell|remains?)\b(?:[^:;]|:(?=\d))*\Z",
    re.IGNORECASE,
)


def is_aim(text: str) -> bool:
    """Tell whether `text` gives a measured value to aim for."""
    found = _AIM.search(text) if any(map(str.isdigit, text)) else None
    return (
        found is not None
        and not text.endswith("?")
        and not is_family(text)
        and not re.search(r"\b(?:if|could|might|whether)\b", text, re.IGNORECASE)
        and any(q.unit and q.start > found.start() for q in quantities(text))
    )


def is_reading(text: str) -> bool:
    """Tell whether `text` gives measured values as they are now, and not as an aim or an order."""
    return bool(measured(text)) and not (
        is_aim(text) or is_order(text) or re.search(r"\b(?:until|to an?|aim\w*|no higher|no lower)\b", text)
    )


_TASK: Final = re.compile(
    r"^(?:(?:then|and|please|also),? )?(?:repeat|recheck|check|measure|monitor|transfuse|maintain|keep|record|draw|send)\b",
    re.IGNORECASE,
)


def is_task(text: str) -> bool:
    """Tell whether `text` asks for something to be measured or kept, with a number that says how often or how far."""
    return _TASK.match(text) is not None and not text.endswith("?") and any(q.unit for q in quantities(text))


_MOVES: Final = re.compile(
    r"\b(?:should|must|needs? to|has to|have to|is to|are to|ought to) (?:now |then |also )?(?:be )?(?:move|moved|go|transfer|transferred|admitted|taken|brought|stay|remain|kept|nursed|managed)\b[^.;]*?"
    r"\b(?:intensive care|critical care|high[- ]dependency|HDU|ICU|ITU|coronary care|CCU|stroke unit|burns unit|labour ward|resuscitation (?:bay|room|area)|(?:operating )?theatre|operating room|catheter(?:i[sz]ation)? lab\w*|cath lab|isolation(?: room)?|side room)\b",
    re.IGNORECASE,
)
_CALLS: Final = re.compile(
    r"\b(?:team|surgeons?|\w+ologists?|\w+ology|an(?:a?)esthetist|obstetrician|intensivist|consultant|registrar|surgery|intensive care|poisons (?:service|centre)|toxbase)\b[^.;]{0,20}\b(?:should|must|needs? to|has to|have to|is to|are to|ought to) (?:be )?(?:hear|know|told|informed|called|paged|alerted|notified|involved|contacted|asked|come|review|see)\b",
    re.IGNORECASE,
)
_AT_ONCE: Final = re.compile(
    r"\b(?:now|today|tonight|immediately|urgently|at once|straight away|without delay|this (?:hour|morning|evening))\b",
    re.IGNORECASE,
)


_OUGHT: Final = re.compile(r"\b(?:should|must|needs? to|ha(?:s|ve) to|(?:is|are|ought) to)\b", re.IGNORECASE)


def is_disposition(text: str) -> bool:
    """Tell whether `text` says where the patient is to go, or who is to be called at once."""
    if text.endswith("?") or not _OUGHT.search(text):
        return False
    if is_family(text) or _SUPPOSED.search(text) or _UNDECIDED.search(text):
        return False
    if re.search(r"\b(?:if|unless|(?<!at )once|not|never|whether)\b", text, re.IGNORECASE):
        return False
    return _MOVES.search(text) is not None or (
        _CALLS.search(text) is not None and _AT_ONCE.search(text) is not None
    )


_ONLY_IF: Final = re.compile(
    r"^(?:(?:an?|the) )?(?P<what>[A-Za-z][^.;:,]{2,80}?) (?:(?:is|are) (?:needed|indicated|required|justified|to be done|reserved) )?only (?:if|when|once|after)\b",
    re.IGNORECASE,
)
_IMAGING: Final = re.compile(
    r"\b(?:CT|MRI|MRA|PET|X-?ray|ultrasound|echocardiogra\w+|angiogra\w+|scan|imaging|\w+scopy|\w*ectomy|\w+ostomy|\w+otomy|\w+plasty|\w+centesis|stent\w*|drain(?:age)?|bypass|\w*dialysis|pacing|intubation|puncture)\b",
    re.IGNORECASE,
)


def only_if(text: str) -> str | None:
    """Return the study or treatment that `text` asks for only on a condition, as written; None for none."""
    found = _ONLY_IF.match(text)
    if found is None or text.endswith("?") or is_family(text) or sentence_like(found["what"]):
        return None
    what = found["what"]
    asked = any(pattern.search(what) for pattern in (_IMAGING, _PROCEDURE, THERAPY, DRUG))
    return what if asked and not re.match(r"(?:no|not)\b", what, re.IGNORECASE) else None


def is_chart(heading: str) -> bool:
    """Tell whether what stands under `heading` is taken or avoided, and not asked for."""
    return _CHART.search(heading) is not None


@lru_cache(maxsize=2048)
def is_dose(name: str) -> bool:
    """Tell whether `name` is a treatment with its dose and no more, such as "heparin 5,000 units"."""
    drug = DRUG.search(name) or THERAPY.search(name)
    if drug is None or len(name[: drug.start()].split()) > 2 or _DONE.search(name):
        return False
    return any(q.unit in _DOSE_UNITS for q in quantities(name)) or _DOSE.search(name) is not None


def names_nothing(text: str) -> bool:
    """Tell whether a number of `text` stands with no more than "the laboratory" or "it"."""
    return _NAMELESS.match(text) is not None and len(quantities(text)) <= 3 and DRUG.search(text) is None


@lru_cache(maxsize=2048)
def denied(text: str) -> str | None:
    """Return what grave finding `text` denies, or "" if it tells a negative result; None for neither."""
    own = [text[clause.start : clause.end] for clause in clauses(text) if clause.own]
    for pattern in (NEGATIVE_FINDING, _NONE_OF):
        for clause in own:
            if (match := pattern.search(clause)) is not None:
                return match["of"].lower()
    return "" if any(_NEGATIVE.search(clause) for clause in own) else None
