"""What is said right before is shown with a segment, and short turns are read together."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable

import pytest

from exaim_core import EXAIM, Delta, Update
from exaim_core.llm.prompts import reader_messages
from exaim_core.readings.checking import UNNAMED, Checked, RefusedClaim, check
from exaim_core.readings.pending import AT_ONCE, BEFORE, FULL_WORDS, MOST_WORDS, PLACE_S
from exaim_core.readings.port import Numbered, ReadClaim, ReaderReply, ReadingRequest, ReadKind, ReadStance
from exaim_core.schema import ReadBy
from exaim_core.text.places import Source
from exaim_core.text.sections import Section
from exaim_core.text.units import Sentence

NAMES = {"tom": "Tom", "mira": "Mira"}
Answer = Callable[[ReadingRequest], ReaderReply]


class Scripted:
    def __init__(self, answer: Answer = lambda _: ReaderReply(failure="empty"), takes_s: float = 1.5) -> None:
        self._answer, self._takes_s = answer, takes_s
        self.requests: list[ReadingRequest] = []
        self.under_way = self.most = 0

    @property
    def spent(self) -> ReadBy:
        return ReadBy(model="twin-1", calls=len(self.requests))

    async def read(self, request: ReadingRequest) -> ReaderReply:
        self.requests.append(request)
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        await asyncio.sleep(self._takes_s)
        self.under_way -= 1
        return self._answer(request)


def asked(*said: tuple[str, str], context: int = 0) -> ReadingRequest:
    """Return a request with these sentences, numbered from 1; so many of the first are context."""
    sentences = [
        Numbered(
            at,
            Sentence(text, Section.OTHER, "", None, True, False, (), at, Source(agent, at, at, float(at))),
            text,
            new=at > context,
        )
        for at, (agent, text) in enumerate(said, start=1)
    ]
    return ReadingRequest(number=1, names=NAMES, sentences=tuple(sentences))


def read(
    say: str, *cites: int, before: tuple[int, ...] = (), holder: str = "mira", **slots: str
) -> ReadClaim:
    return ReadClaim(
        kind=ReadKind.ACTION,
        holder=holder,
        stance=ReadStance.AFFIRMED,
        slots=slots,
        say=say,
        cites=cites,
        before=before,
    )


ASKED = (("tom", "Salbutamol neb 20 mg?"), ("mira", "Half of that then."))


@pytest.mark.parametrize(("before", "cites"), [((1,), (2,)), ((), (1, 2))])
def test_what_a_claim_is_about_may_stand_in_the_turn_before(
    before: tuple[int, ...], cites: tuple[int, ...]
) -> None:
    claim = read("Half of that then.", *cites, before=before, entity="salbutamol neb")
    found, unsaid = check(claim, asked(*ASKED, context=1))
    assert isinstance(found, Checked) and found.behind is not None and not unsaid
    assert (found.wording, found.behind[1], found.typed) == (
        "Half of that then.",
        "Salbutamol neb 20 mg?",
        False,
    )
    assert [each.number for each in found.cited] == [2]


@pytest.mark.parametrize(
    "claim",
    [
        read("Half of that then.", 2, before=(1,), entity="ipratropium"),
        read("Half of that then.", 2, before=(9,), entity="salbutamol neb"),
        read("Half of that then.", 2, before=(1,), entity="salbutamol neb", dose="20 mg"),
        read("Salbutamol neb 20 mg.", 1, entity="salbutamol neb", holder="tom"),
        read("Half of that then.", 1, before=(2,), entity="salbutamol neb"),
        read("Half of that then.", 2, before=(1,), entity="salbutamol neb", holder="tom"),
    ],
)
def test_what_stands_nowhere_and_what_was_not_to_be_read_is_refused(claim: ReadClaim) -> None:
    assert isinstance(check(claim, asked(*ASKED, context=1))[0], RefusedClaim)


@pytest.mark.parametrize(
    ("say", "told"),
    [
        ("Heparin saline: take it down.", "Take it down."),
        ("Take the heparin saline down.", "Take it down, plain saline."),
    ],
)
def test_a_thing_that_is_told_before_a_claim_is_no_hole_in_it(say: str, told: str) -> None:
    said = (("tom", "The line was flushed with heparin saline."), ("mira", "Take it down, plain saline."))
    found, _ = check(read(say, 2, before=(1,), entity="heparin saline"), asked(*said))
    assert isinstance(found, Checked) and (found.wording or found.quote) == told


def test_a_number_of_somebody_else_is_in_no_wording() -> None:
    claim = read("Half of the salbutamol neb 20 mg.", 2, before=(1,), entity="salbutamol neb")
    found, unsaid = check(claim, asked(*ASKED, context=1))
    assert isinstance(found, Checked) and unsaid
    assert (found.wording, found.quote) == ("", "Half of that then.")


def test_of_what_is_denied_or_asked_no_part_is_told_before_a_claim() -> None:
    long = "Salbutamol neb is not what I would give to anybody with a pulse of 150 and a potassium of 2.9 tonight."
    claim = read("Agreed then, Tom.", 2, before=(1,), entity="salbutamol neb")
    assert isinstance(check(claim, asked(("tom", long), ("mira", "Agreed then, Tom.")))[0], RefusedClaim)


@pytest.mark.parametrize(
    ("said", "stands"),
    [
        ("B is 1.", False),
        ("C 9; others as Tom.", False),
        ("(1) favour, (2) oppose.", False),
        ("Settled: B now, in the radiology room.", False),
        ("Hepatitis B is negative.", True),
        ("Option C, suction thrombectomy, goes ahead.", True),
        ("Send a D dimer and a C diff.", True),
        ("Give a vitamin B 12 dose.", True),
        ("A 1 mg dose of adrenaline now.", True),
        ("(1) stop the ramipril, (2) give calcium.", True),
    ],
)
def test_what_stands_for_an_option_is_not_told_without_it(said: str, stands: bool) -> None:
    found, unsaid = check(read(said, 1), asked(("mira", said)))
    assert isinstance(found, Checked) if stands else (isinstance(found, RefusedClaim) and unsaid == UNNAMED)


def test_an_option_is_told_behind_the_words_that_define_it() -> None:
    said = (("tom", "B. Unfractionated heparin alone."), ("mira", "I would drop the bolus in B."))
    claim = read("I would drop the bolus in B.", 2, before=(1,), entity="unfractionated heparin")
    found, _ = check(claim, asked(*said))
    assert isinstance(found, Checked) and found.behind is not None


# --- one call for several turns ------------------------------------------------------------------

TURNS = [
    ("tom", "Shall we give salbutamol neb 20 mg now?"),
    ("mira", "Half of that then, please."),
    ("tom", "His potassium has come down to 5.7 now."),
    ("mira", "Then the next gas is at six."),
]


async def played(exaim: EXAIM, turns: list[tuple[str, str]], every_s: float) -> list[Update]:
    updates = list[Update]()
    for at, (agent, text) in enumerate(turns):
        updates += await exaim.feed(Delta(agent, f"{text}\n", 2 * at + 1, at * every_s))
        updates += await exaim.turn_end(agent, 2 * at + 2, at * every_s)
        await asyncio.sleep(every_s)
    return updates


def half(request: ReadingRequest) -> ReaderReply:
    numbers = {each.text: each.number for each in request.sentences}
    claim = read("Half of that then, please.", numbers[TURNS[1][1]], before=(1,), entity="salbutamol neb")
    return ReaderReply((claim,))


def test_short_turns_are_one_call_and_what_is_told_says_whose_words_they_are(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        reader = Scripted(half)
        exaim = EXAIM(reader=reader)
        updates = [*await played(exaim, TURNS, 0.2), *await exaim.finish(60.0)]
        assert len(reader.requests) == 1
        said = json.loads(reader_messages(reader.requests[0])[1][1])["said"]
        assert [(each["speaker"], len(each["read"])) for each in said] == [(agent, 1) for agent, _ in TURNS]
        (item,) = (each for up in updates for each in up.items if "half of that" in each.text.lower())
        assert (
            item.text == "TOM: shall we give salbutamol neb 20 mg now? The mira: half of that then, please."
        )
        assert {cite.agent_id for cite in item.cites} == {"mira"}

    virtual.run(scene())


def test_nothing_is_read_twice_and_no_call_is_too_long(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        turns = [
            (f"agent{at % 5}", f"The {at}th value was noted and is kept on the page today.")
            for at in range(60)
        ]
        reader = Scripted()
        exaim = EXAIM(reader=reader)
        await played(exaim, turns, 0.25)
        await exaim.finish(60.0)
        read_ = [each.number for request in reader.requests for each in request.sentences if each.new]
        assert len(read_) == len(set(read_)) == 60
        words = [sum(len(each.text.split()) for each in req.sentences if each.new) for req in reader.requests]
        assert max(words) <= MOST_WORDS and sum(words) / len(words) > FULL_WORDS / 2
        assert all(sum(not each.new for each in request.sentences) <= BEFORE for request in reader.requests)
        assert reader.most <= AT_ONCE

    virtual.run(scene())


def test_a_lone_short_turn_is_read_soon(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        reader = Scripted()
        exaim = EXAIM(reader=reader)
        await played(exaim, TURNS[:1], 2.0)
        assert len(reader.requests) == 1
        await exaim.aclose()

    virtual.run(scene())


@pytest.mark.parametrize("asked_s", [0.1, 1.5])
def test_a_turn_that_is_withdrawn_is_no_part_of_what_it_was_read_with(
    virtual: asyncio.Runner, asked_s: float
) -> None:
    """Withdrawn before the call is made (0.1 s), or while it is under way."""

    async def scene() -> None:
        reader = Scripted(half)
        exaim = EXAIM(reader=reader)
        await exaim.feed(Delta("mira", "We should look at the chest first.\n", 1, 0.0))
        await exaim.turn_end("mira", 2, 0.0)
        await exaim.feed(Delta("tom", f"{TURNS[0][1]}\n", 3, 0.1))
        if asked_s > 1.0:
            await asyncio.sleep(asked_s)
        await exaim.abort_turn("tom", 4, 0.2)
        await exaim.feed(Delta("mira", f"{TURNS[1][1]}\n", 5, 0.3))
        await exaim.turn_end("mira", 6, 0.3)
        await asyncio.sleep(PLACE_S)
        updates = [*await exaim.tick(20.0), *await exaim.finish(60.0)]
        told = [each.text for up in updates for each in up.items if up.by_reading]
        assert not any("salbutamol" in text.lower() for text in told)
        shown = [each.text for each in reader.requests[-1].sentences]
        assert TURNS[0][1] not in shown and TURNS[1][1] in shown

    virtual.run(scene())
