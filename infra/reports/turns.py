"""Report what the clinician said, asked and pressed, and its outcome."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from infra.errors import CorruptSession
from infra.ledger import LedgerEntry
from infra.reports.material import Material
from infra.reports.model import DecisionReport, QuestionReport, SourcedSentence
from infra.reports.speech import Speech, heard_of
from infra.streams import LoggedCommand

NOT_ANSWERED: Final = "it was not answered"
NOTHING_FOUND: Final = "nothing was found"
NOT_IN_TIME: Final = "not answered in time"
GONE_ON: Final = "it was let go of before it was answered"
NOT_HEARD: Final = "the answer was not heard whole"


class _Read(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class _Turn(_Read):
    """As the voice notes a decided turn."""

    turn_id: str
    via: str = "voice"
    text: str = ""
    kind: str = ""
    effect: str = ""
    why: str = ""
    confidence: float = 1.0


class _Answer(_Read):
    """As the voice notes an answer."""

    turn_id: str
    utterance_id: str
    found: bool
    sentences: tuple[SourcedSentence, ...] = ()
    on_page: tuple[SourcedSentence, ...] = ()
    outcome: str = ""


def decisions(material: Material) -> tuple[DecisionReport, ...]:
    """Return every decided turn, in order."""
    return tuple(
        DecisionReport(at_ms=at_ms, **turn.model_dump()) for at_ms, turn in _turns(material.commands)
    )


def questions(material: Material, speech: Speech) -> tuple[QuestionReport, ...]:
    """Return every question, in order, with its answer and where that is from."""
    answers = {answer.turn_id: answer for answer in _answers(material.commands)}
    session_id = material.record.session_id
    found = []
    for at_ms, turn in _turns(material.commands):
        if turn.effect != "answer":
            continue
        answer = answers.get(turn.turn_id)
        said_as = answer.utterance_id if answer else f"{session_id}.answer.{turn.turn_id}"
        found.append(_question(at_ms, turn, answer, speech.offered_as.get(said_as, ())))
    return tuple(found)


def _question(
    at_ms: int, turn: _Turn, answer: _Answer | None, entries: tuple[LedgerEntry, ...]
) -> QuestionReport:
    heard, _ = heard_of(entries)
    text = entries[0].utterance.text if entries else None
    if answer is not None and text is None:
        text = " ".join(sentence.text for sentence in answer.sentences) or None
    if answer is not None and answer.outcome:
        why_open = NOT_IN_TIME if answer.outcome == "not_in_time" else GONE_ON
    elif text is None:
        why_open = NOT_ANSWERED
    elif answer is not None and not answer.found:
        why_open = NOTHING_FOUND
    else:
        why_open = "" if heard == "heard" else NOT_HEARD
    return QuestionReport(
        turn_id=turn.turn_id,
        at_ms=at_ms,
        via=turn.via,
        text=turn.text,
        answer=text,
        sentences=answer.sentences if answer else (),
        found=answer.found if answer else None,
        heard=heard,
        open=bool(why_open),
        why_open=why_open,
        on_page=answer.on_page if answer else (),
    )


def _turns(commands: Iterable[LoggedCommand]) -> Iterator[tuple[int, _Turn]]:
    for logged in commands:
        if logged.command.kind == "turn":
            yield logged.at_ms, _valid(_Turn, logged)


def _answers(commands: Iterable[LoggedCommand]) -> Iterator[_Answer]:
    return (_valid(_Answer, logged) for logged in commands if logged.command.kind == "answer")


_Model = TypeVar("_Model", bound=_Read)


def _valid(model: type[_Model], logged: LoggedCommand) -> _Model:
    try:
        return model.model_validate(logged.command.args)
    except ValidationError as error:  # its text may quote the clinician
        raise CorruptSession(f"a {logged.command.kind} of the clinician", type(error).__name__) from None
