"""What must not be given or done: all that forbids, and all allergies, that stand now.

Whole clauses only: a reason may be left out of one, a condition or an object never. `forbidden_list` makes the answer.
"""

# ruff: noqa: E501 - patterns are read more easily on long lines

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from agents.dialogue.forbids import doings, forbids, is_of_a_list, sentences_of, weighs
from agents.dialogue.given import ALLERGY, is_given, known_otherwise, names_given, reacted_to, substances
from agents.dialogue.restraints import counted, refused
from exaim_core.board.shown import BoardView, SaidView
from exaim_core.claims.remarks import VALUES
from exaim_core.lexicon.prohibitions import lists_prohibited, permits, prohibits
from exaim_core.patient.allergies import SEVERE
from exaim_core.patient.treatments import treatments_named
from exaim_core.text.names import Names, is_moderator, with_spoken_names
from exaim_core.text.sections import forbids as is_ban
from exaim_core.text.wording import key_words, upper_first, word_count

_LONG: Final = 14  # words: a longer clause comes after the short ones
_CONDITION: Final = re.compile(
    r"\b(?:if|unless|until|till?|only|while|before|after|once|when|except|beyond|yet|for now|below|above|tonight|today|tomorrow|hours?|days?)\b",
    re.IGNORECASE,
)
_TAIL: Final = re.compile(r"(?:: |; | [–—-] |,? because |, for the sake of |, as |, since |,? so )(?=\S)")
_PARTS: Final = re.compile(r"; |, (?=(?:no|nor|not|nobody|never) )", re.IGNORECASE)
_AWAY: Final = re.compile(r"\b(?:is|are) out\b", re.IGNORECASE)  # of what nobody knows it forbids nothing
_GOES_ON: Final = re.compile(r"(?:\A|: )(?:no|nor|not|never|nobody|nothing)\b", re.IGNORECASE)
# ... but for what somebody looked for: "exam: no rash", "nothing on the scan".
_LOOKED_FOR: Final = re.compile(r"(?:: no|\bnothing (?:on|in|at|from|to))\b(?P<thing>[^,;]*)", re.IGNORECASE)
_BARE: Final = re.compile(r"\b(?:no|not)\s+(?:more |further )?(?P<object>[A-Za-z][\w-]{2,})", re.IGNORECASE)
_DENIES: Final = (
    "was",
    "has",
    "is",
    "given",
    "needed",
    "required",
    "allergy",
    "extravasation",
    "leak",
    "level",
    "enhancement",
    "toxicity",
    "overdose",
    "poisoning",
)
# What a "no" leaves free or reports: "no contraindication to heparin", "no reason to withhold it", "no aspirin was given".
_LEAVES_FREE: Final = re.compile(
    r"\bno (?:\w+ )?(?:contra-?indications? (?:to|for|against)|(?:reason|need) (?:to|for) (?:with)?(?:hold|avoid|stop|omit|delay)\w*|objections? to)\b[^,;.:]*|\bno [\w -]{3,30}? (?:was|were|has been|have been) (?:given|taken|used)\b(?! (?:again|until|till|before|unless))",
    re.IGNORECASE,
)
_EXCEPTS: Final = re.compile(r"\b(?:except|apart from|other than|unless|because)\b", re.IGNORECASE)
_REASON: Final = re.compile(
    r" (?:w/|with|because|beyond|as|for|until|if|while|unless|before|after|below|above) "
)
_FULL_STOP: Final = re.compile(r"\bfull stop\b", re.IGNORECASE)  # of a text: "before the full stop: …"
_LEAD_IN: Final = re.compile(r"\A(?:please(?: note)?|also|and|so|therefore|I repeat that|remember that|OK|[^A-Za-z]+)[,:]?\s+(?:– |- )?", re.IGNORECASE)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Ban:
    """One clause that forbids, or one allergy: its words, where it is from, what it names, the sentence it is of."""

    text: str
    source: str
    names: frozenset[str]
    of: str = ""


def in_force(view: BoardView, recorded: Sequence[Ban]) -> tuple[Ban, ...]:
    """Return what forbids and is not given up: all of the record, allergies, the chair's rulings, the newest first."""
    names = Names(view.names)
    found = [
        ban
        for at, one in enumerate(view.said)
        if not one.past
        for ban in _with_its_thing(view.said, at, names)
    ]
    order = {id(ban): k for k, ban in enumerate(found)}
    allergies = [ban for ban in found if reacted_to(ban.text)]
    chaired = {names(one) for one in view.speakers if is_moderator(one)}
    rest = [ban for ban in found if ban not in allergies]
    rest.sort(
        key=lambda ban: (
            ban.source.split(",")[0] not in chaired,
            word_count(ban.text) > _LONG or ban.text.count(": ") > 1,
            -order[id(ban)],
        )
    )
    said = sorted(allergies, key=lambda ban: -len(ban.names))
    return tuple(_unrepeated((*recorded, *said, *rest), kept=len(recorded)))


def is_told(text: str) -> frozenset[str]:
    """Return what a text names that may be given or done; what nobody here knows counts by its words."""
    return names_given(text) | doings(text) or frozenset(key_words(text))


def _unrepeated(bans: Iterable[Ban], *, kept: int) -> Iterable[Ban]:
    """Give the first `kept` bans, and each that names something new or is harder than what was given of its thing.

    Harder is a severe reaction, and a ban that lasts beside one that sets a condition.
    """
    seen: set[str] = set()
    severe: set[str] = set()  # things that a severe reaction is told of
    lasting: set[str] = set()  # ... and those that are forbidden without a condition
    words: set[str] = set()
    for at, ban in enumerate(bans):
        own = set(key_words(ban.text))
        is_severe, lasts = SEVERE.search(ban.text) is not None, _CONDITION.search(ban.text) is None
        harder = (is_severe and not ban.names <= severe) or (lasts and not ban.names <= lasting)
        if at >= kept and ban.names <= seen and (own <= words or not harder):
            continue
        words |= own
        seen |= ban.names
        severe |= ban.names if is_severe else set()
        lasting |= ban.names if lasts else set()
        yield ban


def bans_of(one: SaidView, names: Names) -> list[Ban]:
    """Return what forbids in one saying; of several sentences each is read for itself."""
    parts = sentences_of(one.text)
    made = [_ban(one if len(parts) == 1 else one.model_copy(update={"text": part}), names) for part in parts]
    whole = len(parts) == 1
    return [ban if whole else replace(ban, of="") for ban in made if ban is not None]


def _with_its_thing(said: Sequence[SaidView], at: int, names: Names) -> list[Ban]:
    """Return what forbids in one saying; what leaves its thing to the sentence before is told behind that one."""
    bans = bans_of(said[at], names)
    thing = counted(said, at) or refused(said, at) if bans else None
    if thing is None:
        return bans
    first = replace(
        bans[0],
        text=upper_first(with_spoken_names(f"{thing.text.strip('> ')} {said[at].text.rstrip('. ')}")),
        names=bans[0].names | names_given(thing.text) | doings(thing.text),
        of=said[at].text,
    )
    return [first]


def _ban(one: SaidView, names: Names) -> Ban | None:
    text = one.text
    head, colon, _ = _FULL_STOP.sub("", text).partition(": ")
    under = (colon != "" and is_ban(head)) or lists_prohibited(one.under.split("; ")[0], one.section, text)
    if text.endswith("?") or permits(text) or one.under == VALUES or weighs(text) or leaves_free(text):
        return None
    if prohibits(text) or under or _drops(text) or forbids(text, one.under):
        short = _without_what_is_asked_for(_parts_that_forbid(_clause(text)))
    elif reacted_to(text, one.under):
        parts = re.split(r"(?<=[a-z0-9]), (?![^(]*\))|; ", text)
        short = next((part for part in parts if ALLERGY.search(part)), text).rstrip(". ")
    else:
        return None
    named = names_given(_REASON.split(short)[0]) or names_given(short)
    named = named or doings(_REASON.split(short)[0]) or doings(short) or _classes(short)
    if not named and not under and (_AWAY.search(short) or not prohibits(short)):
        return None
    spoken = with_spoken_names(_LEAD_IN.sub("", short))
    return Ban(
        upper_first(spoken),
        f"{names(one.agent_id)}, turn {one.at[0]}",
        named or frozenset(key_words(short)),
        one.text,
    )


def leaves_free(text: str) -> bool:
    """Tell whether a sentence says by its "no" that nothing is against a thing, or was given; nothing else in it forbids."""
    if _EXCEPTS.search(text):
        return False
    rest = _LEAVES_FREE.sub(" ", text)
    return rest != text and not (_rules_out(rest) or ALLERGY.search(rest))


def _classes(text: str) -> frozenset[str]:
    """Return the classes of drugs that a clause names, where it names no single one: "no triptan"."""
    return frozenset(mention.word.lower().removesuffix("s") for mention in treatments_named(text))


def _drops(text: str) -> bool:
    """Tell whether "no" or "not" stands before something that is given or done, long or cut short."""
    for match in _BARE.finditer(text):
        after = text[match.end() :].lstrip().lower()
        word = match["object"].lower()
        if is_of_a_list(text[: match.start()], after):
            continue
        if (is_given(word) or treatments_named(match["object"]) or substances(word)) and not after.startswith(
            _DENIES
        ):
            return True
    return False


def _clause(text: str) -> str:
    """Return the part of a sentence that forbids, without a reason that follows it and says no more."""
    whole = text.rstrip(". ")
    for match in _TAIL.finditer(whole):
        head, tail = whole[: match.start()], whole[match.end() :]
        if not (prohibits(head) or forbids(head)) or (is_ban(head) and match.group().startswith(":")):
            continue
        limits = _CONDITION.search(tail) and not _CONDITION.search(head)
        if not (limits or _adds(tail, head) or prohibits(tail) or forbids(tail) or _drops(tail)):
            return head.strip(" ,;")
    return whole


def _parts_that_forbid(clause: str) -> str:
    """Return a clause without the parts of a list that forbid nothing; one that sets a condition stays."""
    kept: list[str] = []
    parts = _PARTS.split(clause)
    # "And no magnesium, no gentamicin": a list of several is one of what is ruled out, from its first word on.
    before = len(parts) > 1 and _GOES_ON.search(parts[1]) is not None and not _is_finding(parts[0])
    for part in parts:
        goes_on = before and _GOES_ON.search(_LEAD_IN.sub("", part)) is not None
        before = goes_on or _rules_out(part) or ALLERGY.search(part) is not None
        if before or _CONDITION.search(part):
            kept.append(part)
    return ", ".join(kept) if any(_rules_out(part) for part in kept) else clause


def _is_finding(part: str) -> bool:
    """Tell whether a "no" behind a colon, or a "nothing", is of what was looked for: all its words are known for that."""
    looked_for = _LOOKED_FOR.search(part)
    if looked_for is None or names_given(looked_for["thing"]) or doings(part):
        return False
    return all(known_otherwise(word) for word in re.findall(r"[A-Za-z-]{3,}", looked_for["thing"]))


_BUT_NOT: Final = re.compile(r", (?:but )?(?=not [A-Za-z])", re.IGNORECASE)


def _without_what_is_asked_for(clause: str) -> str:
    """Return a clause from its "but not" on: what stands before it is an option, and no ban."""
    head, *tail = _BUT_NOT.split(clause, maxsplit=1)
    options = tail and not _rules_out(head) and names_given(tail[0]) and not _CONDITION.search(clause)
    return tail[0] if options else clause


def _rules_out(part: str) -> bool:
    return prohibits(part) or forbids(part) or _drops(part)


def _adds(tail: str, head: str) -> bool:
    return bool(names_given(tail) - names_given(head) or doings(tail) - doings(head))
