"""Say in words why a call brought nothing. Loads no client of a model."""

from __future__ import annotations

from typing import Final

from chat_models.errors import CallFailed, LLMError

SPENT: Final = "the budget is spent"


class BudgetSpent(CallFailed):
    """Nothing was sent, or the end of the time cut it short: only the reserve for the conclusion is left."""

    reason = "budget"

    def __init__(self) -> None:
        super().__init__(SPENT)


def why(error: LLMError) -> str:
    """Return a reason in words, without what a client wrote, which may quote the prompt."""
    if not isinstance(error, CallFailed):
        return str(error)
    because = getattr(error, "because", "")
    return {
        "deadline": "it did not answer in time",
        "rate_limited": "its provider asks to wait for too long",
        "unavailable": f"its model can't be reached ({because})" if because else "its model can't be reached",
        "cut_short": "its answer broke off",
        "refused": "its model would not answer",
        "unparsable": "its answer has not the form that was asked for",
        "too_long": "the case with what was said is longer than its model takes: it wants a larger context",
        "token_limit": "a limit of tokens ended its answer: it wants a larger one, or a model that writes less",
        "looping": "it said the same again and again",
        "overlong": "it wrote more than is read here",
        "empty": "it answered nothing",
        "wrong_request": "its provider does not take the request: check the model's name, key and address",
        "breaker_open": "its model has failed too often, and is let alone for a while",
        BudgetSpent.reason: SPENT,
    }.get(error.reason, error.reason)
