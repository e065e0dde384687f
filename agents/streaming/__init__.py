"""One way to hear a chat model as it writes: thinking apart from response, what it cost, and how it ended.

    async with aclosing(stream_call(model, messages, CallOptions(context=TokenContext.AGENT_THOUGHT))) as call:
        async for event in call:
            ...

Leaving the call closes the provider's connection. docs/streaming.md tells the rest.
"""

from agents.costs import all_together, merged
from agents.streaming.call import CallEvent, CallOptions, ChatModel, stream_call

__all__ = ["CallEvent", "CallOptions", "ChatModel", "all_together", "merged", "stream_call"]
