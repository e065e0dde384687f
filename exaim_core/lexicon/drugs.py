"""Drug names and their classes, and the words that stop or forbid one.

Names come from `data/drug_names.txt`. The stems are those that the WHO gives to classes of substances (The
use of stems in the selection of INN, 2018), for names that no list has yet; a few words end like one by chance.
"""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Any, Final

from exaim_core.text.datafiles import data_text
from exaim_core.text.rows import lexicon


def alternation(words: Iterable[str]) -> str:
    """Return a pattern for exactly these words, branching by letter: not tried one after another."""
    tree: dict[str, Any] = {}
    for word in words:
        node = tree
        for char in word:
            node = node.setdefault(char, {})
        node[""] = {}
    return _branches(tree)


def _branches(node: dict[str, Any]) -> str:
    ends = "" in node
    parts = [re.escape(char) + _branches(below) for char, below in sorted(node.items()) if char]
    if not parts:
        return ""
    inside = parts[0] if len(parts) == 1 and not ends else f"(?:{'|'.join(parts)})"
    return f"{inside}?" if ends else inside


@cache
def names() -> frozenset[str]:
    """Return the generic names of `data/drug_names.txt`, in small letters."""
    lines = data_text("drug_names.txt").splitlines()
    return frozenset(line for line in lines if line and not line.startswith("#"))


_NO_DRUG: Final = (
    r"(?!(?:april|cholesterol|aldosterone|testosterone level|progesterone level|(?:my|cy)statin|intercept|ounces?|cortisone level|dipines?|caverns?|alone|cyclone|"
    r"someone|pamper\w*|spam|nadir|reservoir|elixir|fakir|souvenir|choir|weir|memoir|abattoir|terrazzo)\b)"
)  # words that end like a stem
_STEMS: Final = (
    r"[a-z]{2,}(?:cillin|pril|sartan|[^h]olol|[bt]alol|dilol|statin|conazole|prazole|mycin|micin|floxacin|cycline|xaban|gatran|parin|profen|formin|gliptin|gliflozin|"
    r"glitazone|glutide|teplase|peridol|semide|thiazide|lactone|caine|azepam|azolam|dipine|terol|sone|solone|setron|triptan|vir|mab|tinib|platin|coxib|fibrate|tidine|oxetine|pam|barbital|penem|sulfam?|"
    r"grel|grelor|afil|curium|zosin|dron(?:ate|ic acid)|fenac|rubicin|taxel|zolid|tocin|fungin|parinux|tibant|terone|gabatrin|clopramide|planin|kinra|ercept|limus|parib|ciclib|zomib|prost|gepant|pitant|citabine|mustine|bactam|relin|actide|fylline|tropium|nidazole)"
)
DRUG: Final = re.compile(
    rf"\b{_NO_DRUG}(?:{alternation(names())}|{_STEMS}|cef[a-z]+|sulfa[a-z]*|sul(?:f|ph)onamides?|penicillins?|aspirin|paracetamol|acetaminophen|trimethoprim|co-trimoxazole|valpro(?:ate|ic acid)|co-amoxiclav|piperacillin-tazobactam|"
    r"[a-z]*fentan(?:il|yl)|adenosine|magnesium sul(?:ph|f)ate|levetiracetam|nitrofurantoin|tramadol|levothyroxine|tranexamic acid|flucloxacillin|digoxin|warfarin|heparin|insulin|metronidazole|vancomycin|aztreonam|lithium|methotrexate|phenytoin|morphine|codeine|opioids?|nsaids?|ace inhibitors?|"
    r"beta-?blockers?|diuretics?|steroids?|corticosteroids?|potassium supplements?|contrast|colchicine|allopurinol|levodopa|metformin|bisoprolol|diclofenac|"
    r"naproxen|clopidogrel|amiodarone|verapamil|theophylline|(?:nor)?epinephrine|(?:nor)?adrenaline|salbutamol|carbamazepine|clozapine|tacrolimus|ciclosporin|cyclosporine|azathioprine|spironolactone|octreotide|dobutamine|dopamine|vasopressin|mannitol|acetylcysteine|nitrates?|glyceryl trinitrate|nitroglycerine?|isosorbide|hydralazine|propofol|etomidate|ketamine|(?:hydroxychloro|chloro)quine|protamine|vitamin K|anticoagula\w+|anti-?platelets?|thrombolytics?|fibrinolytics?|thrombolysis)\b"
    r"(?![-–](?:specific|binding)\b|\s+(?:immune\s+)?(?:fab|antibod(?:y|ies))\b)",  # its antidote, which is another substance
    re.IGNORECASE,
)
_FORMS: Final = lexicon("lexicon/drugs")
ORDER: Final = _FORMS["order"]
# What a class that is forbidden takes with it: the class's own words, and the names within it.
_CLASSES: Final = tuple(
    (name, re.compile(rf"\b(?:{own})\b", re.IGNORECASE), re.compile(rf"\b{_NO_DRUG}(?:{members})\b", re.IGNORECASE))
    for name, own, members in (
        ("anticoagulants", r"anticoagula\w+|blood thinners?", r"[a-z]*parin|[a-z]+parinux|[a-z]+xaban|[a-z]+gatran|warfarin|argatroban|bivalirudin"),
        ("antiplatelets", r"anti-?platelets?", r"aspirin|[a-z]+grel(?:or)?|tirofiban|eptifibatide|dipyridamole"),
        ("thrombolysis", r"(?:thrombo|fibrino)ly(?:sis|tics?)", r"[a-z]+teplase|streptokinase"),
        ("nitrates", r"nitrates?", r"glyceryl trinitrate|nitroglycerine?|GTN|isosorbide"),
        ("nsaids", r"NSAIDs?|non-?steroidals?", r"[a-z]+profen|[a-z]+fenac|naproxen|[a-z]+coxib|indometh?acin|ketorolac"),
        ("beta-blockers", r"beta-?blockers?", r"[a-z]+(?:[^h]olol|[bt]alol|dilol)"),
        ("opioids", r"opioids?|opiates?", r"morphine|codeine|[a-z]*fentan(?:il|yl)|tramadol|oxycodone|pethidine"),
        ("steroids", r"(?:cortico)?steroids?", r"[a-z]+(?:solone|sone)"),
        ("diuretics", r"diuretics?", r"[a-z]+(?:semide|thiazide|lactone)"),
        ("ace inhibitors", r"ACE inhibitors?", r"[a-z]+pril"),
        ("penicillins", r"penicillins?", r"[a-z]+cillin|co-amoxiclav"),
        ("benzodiazepines", r"benzodiazepines?", r"[a-z]+(?:azepam|azolam)"),
        ("statins", r"statins?", r"(?!ny)[a-z]+statin"),
        ("saline", r"saline", r"sodium chloride"),
        ("macrolides", r"macrolides?", r"[a-z]+thromycin"),
        ("gliflozins", r"SGLT-?2 inhibitors?|gliflozins?", r"[a-z]+gliflozin"),
    )
)  # fmt: skip


@lru_cache(maxsize=2048)
def drugs_named(text: str) -> frozenset[str]:
    """Return the drugs and classes that `text` names, in small letters; a class by its plural."""
    found = {match.group().lower() for match in DRUG.finditer(text)}
    found |= {name for name, own, _ in _CLASSES if own.search(text)}
    return frozenset(found)


@lru_cache(maxsize=2048)
def drugs_meant(text: str) -> frozenset[str]:
    """Return the drugs that `text` names, with the classes that they belong to."""
    return drugs_named(text) | {name for name, _, members in _CLASSES if members.search(text)}
