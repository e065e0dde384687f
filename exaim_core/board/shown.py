"""What the board holds now, as values that leave the engine. Results only, not how they were found.

Every claim comes with its agent, its turn, the deltas it rests on and its words as written. The JSON
leaves out fields that have their default.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, SerializerFunctionWrapHandler, model_serializer

from exaim_core.board.changes import Vote
from exaim_core.claims.claims import Stance
from exaim_core.text.sections import Section


class _Compact(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_serializer(mode="wrap")
    def _without_defaults(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        fields = type(self).model_fields
        return {
            name: value
            for name, value in handler(self).items()
            if fields[name].is_required() or getattr(self, name) != fields[name].default
        }


class ClaimView(_Compact):
    """One claim: `text` is the sentence as written, `at` the agent's turn from 1, first and last delta.

    `entity` is what it is about, fit to be spoken; "" if that is the whole text. `condition` is what
    a recommendation depends on, as written; "" for one too long to be spoken, None for none. `item` is the
    list item that the sentence stands under, if the text does not name it. `of_view`: a remark made
    for the agent's leading view.
    """

    agent_id: str
    text: str
    at: tuple[int, int, int]
    entity: str = ""
    stance: Stance = Stance.PROPOSES
    tentative: bool = False
    condition: str | None = None
    item: str = ""
    agreed: bool = False
    of_view: bool = False

    @property
    def turn(self) -> int:
        """Return in which of the agent's own turns it was said, from 1."""
        return self.at[0]

    @property
    def first_seq(self) -> int:
        """Return the first delta that it rests on."""
        return self.at[1]

    @property
    def last_seq(self) -> int:
        """Return the last delta that it rests on."""
        return self.at[2]


class LeadView(_Compact):
    """A doctor's leading view now: `former` is the view before it, `why` the reason given for the change.

    `withdrawn`: it was taken back, and no other has replaced it yet.
    """

    claim: ClaimView
    former: ClaimView | None = None
    why: tuple[ClaimView, ...] = ()
    withdrawn: bool = False


class CriticalView(_Compact):
    """A critical finding: `name` is the analyte or emergency, `value` as written, "" for none."""

    claim: ClaimView
    key: str
    name: str
    value: str = ""


class VoteView(_Compact):
    """How the doctors stand: the view with the most holders, who holds it, and who has spoken."""

    entity: str = ""
    holders: tuple[str, ...] = ()
    voters: tuple[str, ...] = ()

    @property
    def vote(self) -> Vote:
        """Return it as the engine's own `Vote`, for grounding."""
        return Vote(self.entity, self.holders, self.voters)


class SaidView(_Compact):
    """One sentence as it was said, behind its heading: `under` is what else it stands under.

    `past`: it was said for a view that its agent has given up since, about an order that was taken back, or
    with a number that was corrected. Somebody held it, and nobody holds it now.
    """

    agent_id: str
    text: str
    at: tuple[int, int, int]
    under: str = ""
    section: Section = Section.OTHER
    past: bool = False

    @property
    def in_turn(self) -> tuple[str, int]:
        """Return the speaker and the number of its turn."""
        return self.agent_id, self.at[0]


class BoardView(_Compact):
    """The claims of one case as they stand after an update; lists are in the order of speaking.

    `differs` names the doctors who hold another view than the vote's. `remarks` are sentences that
    made no claim, `taken_back` those that took an order off. `said` is the discussion itself, sentence by
    sentence, within `SAID_BYTES`: the oldest go first. `names` are spoken names that are not derived
    from the agent's id.
    """

    leads: tuple[LeadView, ...] = ()
    differs: tuple[str, ...] = ()
    vote: VoteView = VoteView()
    ruling: ClaimView | None = None
    first: ClaimView | None = None
    criticals: tuple[CriticalView, ...] = ()
    cautions: tuple[ClaimView, ...] = ()
    actions: tuple[ClaimView, ...] = ()
    tests: tuple[ClaimView, ...] = ()
    differentials: tuple[ClaimView, ...] = ()
    findings: tuple[ClaimView, ...] = ()
    open_points: tuple[ClaimView, ...] = ()
    taken_back: tuple[ClaimView, ...] = ()
    remarks: tuple[ClaimView, ...] = ()
    said: tuple[SaidView, ...] = ()
    speakers: tuple[str, ...] = ()
    names: dict[str, str] = {}
    left_out: int = 0
