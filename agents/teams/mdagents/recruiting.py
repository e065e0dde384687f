"""Recruit the experts of a debate: by a schema, by prose, or from the roster."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from agents.teams.mdagents.cleaning import cleaned
from agents.teams.mdagents.roster import ROSTER
from agents.teams.mdagents.shapes import Recruit, Recruits
from exaim_core.text.names import is_moderator

OWN_ROLES: Final = frozenset({"assessor", "recruiter", "assistant"})
ROLE_MOST: Final = 60  # characters of a role
TOLD_MOST: Final = 400  # of a description
_ITEM: Final = re.compile(r"^\s*(?:\d{1,2}[.)]|[-*•])\s+(.+)$")
_PARTS: Final = re.compile(r"\s+[-–—]\s+")
_BRACKETS: Final = re.compile(r"\s*[(\[][^)\]]*[)\]]")
_HIERARCHY: Final = re.compile(r"^hierarchy\s*:\s*", re.IGNORECASE)
_ARTICLE: Final = re.compile(r"^(?:an?|the)\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Expert:
    """One expert: its name (numbered if a role is there twice), its focus, its place as written."""

    name: str
    description: str
    hierarchy: str = "Independent"


def recruits_in(text: str) -> Recruits:
    """Return the experts that prose lists, "1. Role - what - Hierarchy: …"; none if it lists none.

    A hyphen within a role parts nothing: only one with blanks around it does.
    """
    found = []
    for line in cleaned(text).splitlines():
        item = _ITEM.match(line)
        if item is None:
            continue
        role, *rest = _PARTS.split(item[1].replace("**", ""))
        if not rest and ":" in role:  # "Cardiologist: looks at the heart"
            role, _, told = role.partition(":")
            rest = [told.strip()]
        places = [_HIERARCHY.sub("", part) for part in rest if _HIERARCHY.match(part)]
        told = " - ".join(part for part in rest if not _HIERARCHY.match(part))
        if _is_role(role):
            found.append(
                Recruit(role=role, description=told, hierarchy=places[0] if places else "Independent")
            )
    return Recruits(experts=found)


def team_of(recruits: Iterable[Recruit], size: int) -> tuple[list[Expert], list[str]]:
    """Return exactly `size` experts, and what had to be done for that.

    Those above `size` are left out; what is missing is filled from the roster by specialties that are not there.
    Two of one role are both kept, with numbers; one that is listed twice, word for word, is one.
    """
    warnings: list[str] = []
    kept: dict[tuple[str, str], Recruit] = {}
    for each in recruits:
        role = role_of(each.role)
        if role:
            kept.setdefault((role, each.description.strip().casefold()), each)
    wanted = list(kept.items())
    if len(wanted) > size:
        warnings.append(f"{len(wanted)} experts were recruited; the first {size} were taken")
    chosen = [(role, each.description, each.hierarchy) for (role, _), each in wanted[:size]]
    if len(chosen) < size:
        warnings.append(f"{len(chosen)} of {size} experts were recruited; the roster gave the others")
        there = {role for role, _, _ in chosen}
        spare = [(role, told, "Independent") for role, told in ROSTER if role not in there]
        chosen += spare[: size - len(chosen)]
    names = numbered([role for role, _, _ in chosen])
    experts = [
        Expert(name, told.strip()[:TOLD_MOST], place)
        for name, (_, told, place) in zip(names, chosen, strict=True)
    ]
    return experts, warnings


def numbered(roles: Sequence[str]) -> list[str]:
    """Return a name for each role: the second cardiologist is "cardiologist 2"."""
    names: list[str] = []
    for role in roles:
        name, number = role, 1
        while name in names:
            number += 1
            name = f"{role} {number}"
        names.append(name)
    return names


def role_of(written: str) -> str:
    """Return a role as it is spoken: small letters, no brackets, no article; empty if nothing is left.

    One that would be taken for whoever chairs, or for another of a team's own agents, is called an expert.
    """
    role = _ARTICLE.sub("", _BRACKETS.sub("", cleaned(written)).strip(" .:*#\"'"))
    role = re.sub(r"\s+", " ", role).casefold()[:ROLE_MOST].strip() if _is_role(role) else ""
    return f"{role} expert" if role in OWN_ROLES or is_moderator(role) else role


def _is_role(written: str) -> bool:
    return bool(re.search(r"[^\W\d_]{3}", written)) and len(written) <= 2 * ROLE_MOST
