"""Stream a chat model: thinking apart from the response, its cost, and how it ended.

    async with aclosing(stream_call(model, messages, CallOptions(context=TokenContext.AGENT_THOUGHT))) as call:
        async for event in call:
            ...

Leaving the call closes the provider's connection. docs/streaming.md tells the rest.

What asks a model needs LangChain, 40 MB of it: it is loaded when one of these names is first used, so that who
only reads what was observed (the API) does without.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agents.costs import all_together, merged
    from agents.streaming.call import CallEvent, CallOptions, ChatModel, stream_call

__all__ = ["CallEvent", "CallOptions", "ChatModel", "all_together", "merged", "stream_call"]


def __getattr__(name: str) -> Any:
    """Return one of the names above, loading where it is. Raises: AttributeError."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    where = "agents.costs" if name in ("all_together", "merged") else "agents.streaming.call"
    return getattr(import_module(where), name)
