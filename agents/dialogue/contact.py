"""Whether somebody was told, asked, called or seen by: answered by who says so of that person or team, or by nobody.

What such a question names is whom it is about, no organ and no drug: "has anyone told the renal team?" is not about the
kidney. So one form is looked for in the question, and the same form, about the same people, in what was said.
"""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from agents.dialogue.facts import Fact
from agents.dialogue.given import names_given
from agents.dialogue.paper_facts import DONE
from agents.dialogue.passages import Passages
from agents.dialogue.people import beginnings
from agents.dialogue.segments import Passage

_TELLS: Final = r"(?:t[eo]ll?d?|ask(?:ed)?|call(?:ed)?|r[aiu]ng|phoned?|paged?|bleep(?:ed)?|inform(?:ed)?|notif(?:y|ied)|contact(?:ed)?|alert(?:ed)?|updated?|consult(?:ed)?|warn(?:ed)?|(?:spoken|spoke|speak|talk(?:ed)?) (?:to|with)|let|(?:discuss(?:ed)?|checked|check) (?:\w+ ){0,2}with|refer(?:red)? (?:\w+ ){0,2}to)"
_TOLD: Final = r"(?:told|asked|called|rung|phoned|paged|bleeped|informed|notified|contacted|alerted|updated|consulted|warned|spoken to|involved|aware)"
_SEES: Final = r"(?:seen|reviewed|assessed|accepted|examined|taken over)"
_WORD: Final = r"(?!(?:about|that|to|if|whether|for|of|on|in|at|by|with|yet|already|so|and|or|know|been|is|are|was|were|has|have|what|how|why|when|again|now|today|tonight|any\w*|some\w*|every\w*|nobody|i|we|they|he|she|there|me|you|us|it|him|her(?= )|them|this|these|those)\b)[\w'’-]+"
_WHO: Final = rf"(?:the |his |her |their |our |my |an? |dr\.? )?(?P<who>{_WORD}(?: {_WORD}){{0,2}})"
_ASKS: Final = re.compile(r"\A(?:(?:and|so|but|ok|okay|well|do we know(?: if| whether)?|can you tell me(?: if| whether)?) )*(?:has|have|had|did|does|do|was|were|is|are|who)\b", re.IGNORECASE)  # fmt: skip
_ACTIVE: Final = re.compile(rf"\b(?:any(?:one|body)|some(?:one|body)|we|they|you|he|she|who(?: has)?|team) (?:\w+ ){{0,1}}?{_TELLS} {_WHO}", re.IGNORECASE)  # fmt: skip
_PASSIVE: Final = re.compile(rf"\b(?:has|have|was|were|is|are|did) {_WHO} (?:(?:been|being|get|got|already|yet|even) )*(?:{_TOLD})\b", re.IGNORECASE)  # fmt: skip
_KNOWS: Final = re.compile(rf"\b(?:do|does) {_WHO} know\b", re.IGNORECASE)
_SEEN_BY: Final = re.compile(rf"\b{_SEES} by {_WHO}", re.IGNORECASE)
# What only says that it is people, or how many.
_PEOPLE: Final = frozenset("team teams doctor doctors dr people guys lot registrar reg registrars consultant consultants on-call oncall".split())  # fmt: skip
# Who can be told: by role, place or kinship. "Was the CT called", "are the kidneys involved" ask of no people.
_IS_PEOPLE: Final = re.compile(
    r"\b(?:\w*(?:olog(?:y|ists?)|iatr(?:y|ics|ists?)|icians?|surge(?:ons?|ry)|surgical|nurs\w*|sisters?|midwi\w+|pharmac(?:y|ists?)|an(?:a?)esth\w+|intensiv\w+|radiographers?|physio\w*|paramedics?)|doctors?|dr|teams?|regs?|registrars?|consultants?|on-?call|renal|icu|itu|hdu|picu|nicu|theatres?|lab|laboratory|blood bank|obstetrics|obs|gynae|ortho\w*|medics|retrieval|transplant|poisons?|gp|police|coroner|family|relatives|next of kin|wife|husband|partner|parents?|mother|father|mum|dad|son|daughter|brother|carers?|switchboard|site|bed manager|social services|interpreter|chaplain|people|guys)\b"
)
# What may stand behind whom is told in a sentence: an end, or a word of the closed classes. A noun makes it a thing of his.
_ENDS: Final = r"(?:['’]s\b|(?= ?[.,;:?!)–—-]|\Z| (?:about|that|to|if|whether|for|of|on|in|at|by|with|yet|already|so|and|or|before|after|when|while|again|now|this|last|today|tonight|back|who|twice|once|\d)))"
MOST_TOLD: Final = 4  # sentences


@dataclass(frozen=True, slots=True)
class Contact:
    """Whom a question is about, in its own words, and how he is called where he is spoken of."""

    label: str
    named: str  # a pattern


def contact_asked(text: str) -> Contact | None:
    """Return of whom a question asks whether he was told, asked, called or has seen the patient; None: of nobody."""
    line = " ".join(text.lower().replace("?", " ").split())
    if not _ASKS.match(line):
        return None
    for form in (_SEEN_BY, _KNOWS, _PASSIVE, _ACTIVE):
        match = form.search(line)
        if match is not None and _IS_PEOPLE.search(match["who"]) is not None:
            words = match["who"].split()
            called = [word for word in words if word not in _PEOPLE] or words
            return Contact(" ".join(words), _named(called))
    return None


def _named(words: Sequence[str]) -> str:
    """Return a pattern of people who are called so; a speciality by all its names."""
    stems = beginnings(words[0]) if len(words) == 1 else ()
    first = (
        rf"(?:{'|'.join(map(re.escape, stems))})\w*"
        if stems
        else rf"{re.escape(words[0].removesuffix('s'))}s?"
    )
    rest = "".join(rf" {re.escape(word.removesuffix('s'))}s?" for word in words[1:])
    return rf"(?:the |his |her |their |our |my |an? |dr\.? )?\b{first}{'' if stems else rest}(?: (?:{'|'.join(sorted(_PEOPLE))}))*"


def contact_said(contact: Contact, passages: Passages) -> tuple[Fact, ...]:
    """Return the sentences that say that he was told, asked or called, or has seen the patient, or bid it; newest first."""
    who = contact.named
    forms = re.compile(
        rf"\b{_TELLS} (?:\w+ )?{who}{_ENDS}|{who} (?:(?:has|have|had|is|are|was|were|been|already|not|yet|now) )*(?:{_TOLD}|on (?:the|their|his|her) way|coming|knows?)\b"
        rf"|\b{_SEES} by {who}{_ENDS}|{who} (?:(?:has|have|had|already) )*(?:{_SEES}|saw) (?:him|her|them|the patient|this)\b",
        re.IGNORECASE,
    )
    found = [
        one
        for one in passages.said
        if not one.past
        and not one.text.endswith("?")
        and forms.search(one.text)
        and not _says_given(one.text)
    ]
    # Of people nothing clinical is said as a rule: no passage need begin there.
    return tuple(passages.fact_of(Passage(one.text, (), (), said=(one,))) for one in found[::-1][:MOST_TOLD])


def _says_given(text: str) -> bool:
    """Tell whether a sentence also says that something was given or ordered: nobody here can know that."""
    return DONE.search(text) is not None and bool(names_given(text))
