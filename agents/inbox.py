"""The clinician's messages to a team that runs elsewhere, as `exaim_live.inbox` has them.

The session's store keeps the messages (`infra.inbox`), the team fetches them over HTTP (`exaim_live.mailbox`).
"""

from exaim_live.inbox import ASKED_MAX, ID_MAX, NAME_MAX, STOPS, MessageKind, Numbered, TeamMessage

__all__ = ["ASKED_MAX", "ID_MAX", "NAME_MAX", "STOPS", "MessageKind", "Numbered", "TeamMessage"]
