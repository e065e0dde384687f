"""A whole answer of JSON out of a model's stream, which is left where it loops or is longer than anybody reads.

A model that is given to loops writes until its deadline, and a service that answers one request at a time keeps all
others waiting until then. What it thinks on the way is not looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from chat_models.errors import CutShort, Looping, Overlong
from chat_models.jsonout import MOST_CHARS
from chat_models.looping import LoopWatch
from chat_models.stream_closing import closing_stream
from exaim_live.pieces import pieces_of
from exaim_live.stop_reasons import stop_reason_of
from exaim_live.thinking import Splitter

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage
    from langchain_core.runnables import Runnable, RunnableConfig

ANSWER_CHARS: Final = MOST_CHARS  # of which nobody would look at more


async def whole_answer(
    model: Runnable[Any, Any], messages: Sequence[Any], config: RunnableConfig
) -> BaseMessage:
    """Return the answer.

    Raises: Looping or Overlong, with what was written; CutShort: it broke off; what the client raises.
    """
    watch, splitter, chunks = LoopWatch(), Splitter(), list[Any]()
    async with closing_stream(model.astream(list(messages), config=config)) as pieces:
        async for chunk in pieces:
            chunks.append(chunk)
            said = "".join(piece.text for piece in pieces_of(chunk) if not piece.thinking)
            shown = "".join(part.text for part in splitter.take(said) if not part.hidden)
            if watch.sees_loop(shown):
                raise Looping("it said the same again and again", answer=watch.text)
            if watch.chars > ANSWER_CHARS:
                raise Overlong(f"it was longer than {ANSWER_CHARS} characters", answer=watch.text)
    return _joined(chunks)


def _joined(chunks: Sequence[Any]) -> BaseMessage:
    """Return the pieces of a stream as one message. Raises: CutShort."""
    from langchain_core.messages import message_chunk_to_message  # loaded long since, by the model

    reason = next((why for each in reversed(chunks) if (why := stop_reason_of(each.response_metadata))), None)
    if not chunks or (
        reason is None and any(each.response_metadata.get("model_provider") for each in chunks)
    ):
        raise CutShort("the stream ended without saying so")
    first, *others = chunks
    message: BaseMessage = message_chunk_to_message(first + others if others else first)
    if reason is not None:
        message.response_metadata["finish_reason"] = (
            reason  # chunks that say it twice are put together as text
        )
    return message
