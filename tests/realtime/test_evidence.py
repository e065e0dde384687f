"""What the page is told of the words that an update rests on, and how little it weighs."""

from __future__ import annotations

from exaim_core import FieldSentence, LeftOut, Span, SpokenItem, SpokenKind, Update
from realtime.protocol import EvidenceBody, Trace
from realtime.room.evidence import MOST_SPANS, evidence_body, within_reach
from realtime.room.feed import in_batches
from realtime.room.view import View
from realtime.room.words import KEPT_CHARS, PIECE_CHARS
from tests.realtime.making import SUMMARY, trace_item, update_body
from tests.realtime.pages import told_by


def span(start: int, agent: str = "doctor0") -> Span:
    return Span(agent_id=agent, start=start, end=start + 9)


def item(*evidence: Span) -> SpokenItem:
    return SpokenItem(item_id="0001.1", kind=SpokenKind.FINDING, text="One.", evidence=evidence)


def made(items: tuple[SpokenItem, ...] = (), key_findings: str = "One. Two.", **more: object) -> Update:
    summary = {**SUMMARY, "key_findings": key_findings}
    return Update.model_validate(
        {"number": 1, "path": "A", "reason": "x", "summary": summary, "last_delta_at_s": 1.0}
        | {"items": [each.model_dump() for each in items], **more}
    )


def sentence(start: int, end: int, *evidence: Span) -> FieldSentence:
    return FieldSentence(field="key_findings", start=start, end=end, evidence=evidence)


def test_a_place_is_told_once_and_named_by_its_number() -> None:
    body = evidence_body(
        made(
            (item(span(5), span(40, "doctor1")), item(), item(span(40, "doctor1"))),
            sentences=(sentence(0, 4, span(5)), sentence(5, 9, span(70), span(70))),
            left_out=(LeftOut(reason="question", count=2),),
        )
    )
    assert body == EvidenceBody(
        agents=("doctor0", "doctor1"),
        spans=((0, 5, 14), (1, 40, 49), (0, 70, 79)),
        items=((0, 1), (), (1,)),
        fields={"key_findings": ((0, 4, (0,)), (5, 9, (2,)))},
        left_out={"question": 2},
    )


def test_of_very_many_places_the_first_are_told() -> None:
    body = evidence_body(made(tuple(item(*(span(100 * k + at) for at in range(8))) for k in range(40))))
    assert len(body.spans) == MOST_SPANS
    assert len(body.items) == 40
    assert body.items[-1] == ()


def test_a_field_that_the_page_shows_otherwise_has_no_places_in_it() -> None:
    """A pasted key is cut short on the page, so that what stands behind it stands elsewhere."""
    long = "k" * 150 + " was pasted."
    assert evidence_body(made(key_findings=long, sentences=(sentence(0, len(long), span(5)),))).fields == {}


def test_a_snapshot_has_no_places_of_words_that_nobody_has_any_more() -> None:
    view = View()
    old = EvidenceBody(agents=("a",), spans=((0, 10, 20),), items=((0,),), left_out={"question": 1})
    new = old.model_copy(update={"spans": ((0, 50_000, 50_010),)})
    for number in range(1, 30):
        body = update_body(number, "x" * 1_500)
        view.apply(body.model_copy(update={"evidence": old if number < 29 else new}))
    item_of = trace_item("y" * 200, "a").model_copy
    for start in range(0, KEPT_CHARS + 200, 200):
        view.apply(Trace(items=(item_of(update={"start": start}),)))
    told = [each for body in told_by(view) for each in body.updates]
    held = {each.number: len(each.evidence.spans) for each in told}
    assert held == dict.fromkeys(range(1, 29), 0) | {29: 1}
    assert all(each.evidence.left_out == {"question": 1} for each in told)
    assert sum(len(item.text) for body in told_by(view) for item in body.trace) <= KEPT_CHARS


def test_places_that_a_page_can_open_stay() -> None:
    near = update_body(1).model_copy(
        update={"evidence": EvidenceBody(agents=("a", "b"), spans=((0, 1, 5), (1, 7, 9)))}
    )
    assert within_reach(near, {"b": 8}) == near
    assert within_reach(near, {"b": 9}).evidence == EvidenceBody()
    assert within_reach(near, {}).evidence == EvidenceBody()
    assert within_reach(update_body(1), {}) == update_body(1)


def test_pieces_of_what_an_agent_says_keep_their_places() -> None:
    text = "🩺" * (2 * PIECE_CHARS) + "end"
    said = trace_item(text).model_copy(update={"start": 11})
    more = trace_item("more").model_copy(update={"start": 11 + len(text)})
    pieces = [piece for batch in in_batches([said, more]) for piece in batch.items]
    assert len(pieces) == 3
    for piece in pieces:
        assert (text + "more")[piece.start - 11 :][: len(piece.text)] == piece.text
