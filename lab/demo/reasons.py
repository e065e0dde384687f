"""What the report of the demonstration says of each rule that decides a turn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from realtime.interruption import Why

REASONS: Final[Mapping[Why, str]] = {
    Why.NO_WORDS: "No words were made out: speech goes on.",
    Why.ECHO: "These were our own words, heard back: speech goes on.",
    Why.NOISY: "The room is noisy: only stop, wait, next, repeat and go on count now.",
    Why.SIDE_TALK: "Nothing in it was for us: no command, no question, nothing of the case.",
    Why.UNSURE: "Too short to be sure of: speech goes on.",
    Why.UNSURE_TWICE: "A second short turn that we could not make out: we ask.",
    Why.ACK_WORDS: "Only a sign of listening: speech goes on.",
    Why.CRITICAL_ACKNOWLEDGED: "The critical finding was acknowledged.",
    Why.ANSWER_YES: "Yes, to our question.",
    Why.ANSWER_NO: "No, to our question.",
    Why.GO_ON_WORDS: "Asked to go on.",
    Why.STOP_WORDS: "Asked to be quiet.",
    Why.WAIT_WORDS: "Asked to wait.",
    Why.SKIP_WORDS: "Asked for the next item.",
    Why.COMMAND_WITH_REASON: "A command to us, and a reason that is not about the case.",
    Why.COMMAND_FIRST: "It begins with a command to us; the rest was not made out.",
    Why.REPEAT_WORDS: "Asked to hear it again.",
    Why.DIAL_WORDS: "Asked for another pace or loudness.",
    Why.PREVIOUS_WORDS: "Asked for the item before this one.",
    Why.DETAIL_WORDS: "Asked to be told less, or more, of everything.",
    Why.MORE_WORDS: "Asked for more of this.",
    Why.HERE_WORDS: "Asked whether we hear.",
    Why.HOW_LONG_WORDS: "Asked how much is left to tell.",
    Why.SPELL_WORDS: "Asked for a word to be spelled.",
    Why.NOT_WANTED: "Asked not to do something that we were not doing: speech goes on.",
    Why.TO_PEOPLE: "Said to somebody in the room: nothing of ours was meant.",
    Why.WRONG_CASE: "This may be the wrong case: silence, and we ask.",
    Why.CONFIRMED: "Confirmed to be the wrong case: nothing more is said.",
    Why.RIGHT_CASE: "The case is the right one after all: speech goes on.",
    Why.CASE_IN_DOUBT: "The case was called the wrong one: nothing is said until it is known to be right.",
    Why.BARE_QUESTION: "A short question about what was just said.",
    Why.QUESTION: "A question.",
    Why.TOPIC: "The name of something in the case: taken as a question about it.",
    Why.OBJECTION: "An objection to what was just said: answered with where it comes from.",
    Why.ADDRESSED: "Said to us.",
    Why.NAME_ALONE: "We were called by name and nothing more: we ask.",
    Why.ORDER_TO_PEOPLE: "An order spoken to people: not acted on, not passed on.",
    Why.ORDER_TO_US: "An order spoken to us: we give none, and have passed nothing on.",
    Why.ONE_WORD_ORDER: "One word orders or approves nothing: not acted on.",
    Why.REMARK: "A remark on the case, not a question: noted here, speech goes on.",
    Why.APPROVAL_NAMED: "An approval of something named: read back, and told to the team after a confirm.",
    Why.FOR_TEAM: "For the team: read back, and sent after a yes.",
}
