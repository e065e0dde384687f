"""What grounding may check a sentence against."""

from __future__ import annotations

from exaim_core.board.board import Board
from exaim_core.grounding.grounding import Grounds
from exaim_core.words import care_sentences as care
from exaim_core.words.templates import Wording


def grounds_of(made: Wording, board: Board) -> Grounds:
    """Return what a sentence is checked against: the places it rests on, who said it, and the terms it may use."""
    terms = [lead.claim.entity for lead in board.views.leads.values()] + [
        lead.former for lead in board.views.leads.values()
    ]
    terms += [claim.critical.names for claim in made.claims if claim.critical]
    terms += [claim.entity for claim in made.claims]
    terms += [f"last answer {care.WITHDRAWN}"] if care.WITHDRAWN in made.text else []
    terms += [care.REPORTED for claim in made.claims if claim.reported]
    if made.vote is not None:
        terms.append(made.vote.entity)
    return Grounds(
        sources=tuple(dict.fromkeys(claim.cited for claim in (*made.claims, *made.said))),
        agents=made.agents,
        terms=tuple(term for term in terms if term),
        vote=made.vote,
        free=made.quoted and any(claim.worded for claim in made.claims),
        behind=made.behind,
        names=board.names,
    )
