"""One way to hear a chat model as it writes: thinking apart from response, what it cost, and how it ended.

    async with aclosing(stream_call(model, messages, CallOptions(context=TokenContext.AGENT_THOUGHT))) as call:
        async for event in call:
            ...

Leaving the call closes the provider's connection. docs/streaming.md tells the rest.
"""

from agents.streaming.call import CallEvent, CallOptions, ChatModel, stream_call
from agents.streaming.usage import Usage, merged

__all__ = ["CallEvent", "CallOptions", "ChatModel", "Usage", "merged", "stream_call"]
