"""The rules that ours replace: words by substring and duration, three intents. Kept as a measure."""

from __future__ import annotations

from typing import Final

ACK: Final = (
    "okay", "ok", "alright", "sure", "go ahead", "yes", "yeah", "yep", "uh huh", "mm hmm", "mhm", "got it",
    "sounds good", "please", "go on", "continue", "thats fine", "fine", "cool", "great",
)  # fmt: skip
CANCEL: Final = (
    "stop", "wait", "hold on", "never mind", "nevermind", "cancel", "forget it", "nope", "dont",
    "actually no", "skip", "pause", "hang on",
)  # fmt: skip
EFFECT_OF: Final = {"acknowledgment": "go_on", "cancel": "quiet", "new_input": "answer", "ignore": "go_on"}


def kind_by_the_old_rules(text: str, duration_ms: int, *, resumed: bool) -> str:
    """Return the intent: a text without a word is ignored."""
    said = "".join(each for each in text.lower().strip() if each.isalnum() or each == " ")
    words = said.split()
    if not words:
        return "ignore"
    whole_ack = said in ACK
    cancel_word = any(word in CANCEL or word == "no" for word in words)
    if duration_ms < 1500 and (whole_ack or cancel_word):
        return "acknowledgment" if whole_ack else "cancel"
    if 1500 <= duration_ms < 3000 and whole_ack and not resumed:
        return "acknowledgment"
    if duration_ms >= 3000 or (resumed and len(words) > 3):
        return "new_input"
    return _by_keywords(said, words)


def _by_keywords(said: str, words: list[str]) -> str:
    if said in ACK:
        return "acknowledgment"
    if said in CANCEL or said == "no":
        return "cancel"
    if len(said) < 20 and any(each in said for each in ACK):
        return "acknowledgment"
    if any(word in CANCEL for word in words) or any(" " in each and each in said for each in CANCEL):
        return "cancel"
    return "new_input"
