"""Scenes on virtual time: order, freshness, pauses, failures, the track itself."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest

from tests.tts_queue.scenes import WORD_S, now_s, playing, seconds
from tts_queue import (
    Displaced,
    HoldCause,
    OfferOutcome,
    Priority,
    Prosody,
    QueueConfig,
    Utterance,
    VoiceFailed,
)
from tts_queue.testing import Line, ListLog, ScriptedVoice, SteadyVoice, UnexpectedSynthesis

pytestmark = pytest.mark.usefixtures("no_task_left_behind")


def test_one_utterance_is_spoken_once_whole_and_with_exact_positions(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            await asyncio.sleep(0.5)
            assert play.say("a", "One two three. Four five six.").outcome is OfferOutcome.QUEUED
            await play.queue.idle()
            assert play.phases("a") == ["queued", "speaking", "spoken"]
            spoken = play.moves("a")[-1]
            assert spoken.complete
            assert spoken.total == spoken.sent == round((6 * WORD_S + 0.3) * 48_000)
            assert spoken.total - 4800 <= spoken.heard <= spoken.played
            first, second = play.segments("a")
            assert second.start_sample - first.start_sample == round((3 * WORD_S + 0.3) * 48_000)
            assert [w.text for w in second.words] == ["Four", "five", "six."]
            assert play.sink.sounding() == [
                (first.start_sample, first.start_sample + first.samples),
                (second.start_sample, second.start_sample + second.samples),
            ]

    virtual.run(scene())


def test_sound_begins_within_two_frames_of_the_first_clip_and_the_native_queue_stays_low(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        async with playing(SteadyVoice(takes_s=0.05)) as play:
            await asyncio.sleep(1.0)
            play.say("a", "One two three.")
            await play.queue.idle()
            begun_s = seconds(play.segments("a")[0].start_sample)
            assert begun_s - 1.0 <= 0.05 + 0.04 + 0.04  # synthesis, two frames, what the sink holds
            assert play.sink.deepest_s <= 0.08 + 1e-6
            assert play.sink.underruns == 0

    virtual.run(scene())


def test_the_track_never_stops_between_utterances(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.say("a", "One two three.")
            await asyncio.sleep(10.0)
            assert play.queue.written_samples == len(play.sink.pcm)
            assert seconds(play.queue.sent_samples) == pytest.approx(10.0, abs=0.02)
            assert play.sink.underruns == 0

    virtual.run(scene())


def test_priority_goes_before_arrival_and_arrival_before_nothing(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.say("first", "One two three.")
            await asyncio.sleep(0.5)
            for name, priority in [
                ("filler", Priority.FILLER),
                ("summary", Priority.SUMMARY),
                ("summary2", Priority.SUMMARY),
                ("notice", Priority.NOTICE),
                ("answer", Priority.ANSWER),
                ("pressing", Priority.PRESSING),
            ]:
                play.say(name, "One two three.", priority)
            await play.queue.idle()
            assert play.order_spoken() == [
                "first", "pressing", "answer", "notice", "summary", "summary2", "filler",
            ]  # fmt: skip

    virtual.run(scene())


def test_a_burst_of_twenty_in_two_seconds_speaks_the_newest_and_every_critical(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        async with playing() as play:
            names = [f"u{n:02d}" for n in range(20)]
            for n, name in enumerate(names):
                critical = n in {5, 12}
                priority = Priority.CRITICAL if critical else Priority.SUMMARY
                play.say(name, f"Number {n} is said here.", priority, topic="potassium")
                await asyncio.sleep(0.1)
            await play.queue.idle()
            ends = {name: play.phases(name)[-1] for name in names}
            assert ends["u05"] == ends["u12"] == ends["u19"] == "spoken"
            assert play.phases("u00") == ["queued", "speaking", "held", "superseded"]  # begun, then outdated
            others = set(names) - {"u05", "u12", "u19"}
            assert {ends[name] for name in others} == {"superseded"}
            told = [e for e in play.events if isinstance(e, Displaced)]
            assert {e.utterance_id for e in told} == others
            assert all(e.by is not None for e in told)

    virtual.run(scene())


def test_what_protects_yields_only_to_what_protects_too_or_revises(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.queue.hold(HoldCause.USER)
            play.say("allergy", "Penicillin allergy noted here.", topic="penicillin", protects=True)
            play.say("plain", "Penicillin is proposed here.", topic="penicillin")
            again = play.say("again", "Allergy to penicillin again.", topic="penicillin", protects=True)
            assert again.dropped == ("allergy", "plain")
            revoked = play.say("revoked", "The allergy is revoked.", topic="penicillin", revises=True)
            assert revoked.dropped == ("again",)
            assert play.say("other", "Something else is said.").dropped == ()
            assert play.say("less", "Less urgent is this.", Priority.FILLER, topic="penicillin").dropped == ()

    virtual.run(scene())


def test_a_change_of_mind_takes_the_place_of_the_dissent_that_it_ends(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.queue.hold(HoldCause.USER)
            play.say("dissent", "Doctor One differs on this.", topic="view of doctor1", protects=True)
            play.say("another", "Doctor Two differs on this.", topic="view of doctor2", protects=True)
            change = play.say("change", "Doctor One has changed.", topic="view of doctor1", revises=True)
            assert change.dropped == ("dissent",)

    virtual.run(scene())


def test_a_critical_key_is_told_once_but_a_replay_speaks_again(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing(told=("sodium:110",)) as play:
            play.say("k", "Potassium is seven now.", Priority.CRITICAL, critical_key="potassium:7")
            waits = play.say("k2", "Potassium is seven now.", Priority.CRITICAL, critical_key="potassium:7")
            await play.queue.idle()
            told = play.say("k3", "Potassium is seven now.", Priority.CRITICAL, critical_key="potassium:7")
            before = play.say("na", "Sodium is low now.", Priority.CRITICAL, critical_key="sodium:110")
            assert [o.outcome for o in (waits, told, before)] == [OfferOutcome.REPEAT] * 3
            again = play.say(
                "k.r1", "Potassium is seven now.", Priority.CRITICAL, critical_key="potassium:7", replays="k"
            )
            assert again.accepted
            await play.queue.idle()
            assert play.phases("k3") == ["queued", "superseded"]
            assert play.phases("k.r1")[-1] == "spoken"

    virtual.run(scene())


def test_what_waits_too_long_expires_and_says_so_but_a_critical_never_does(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.queue.hold(HoldCause.USER)
            play.say("old", "Something of little weight.", expires_after_s=5.0)
            play.say("critical", "Potassium is seven now.", Priority.CRITICAL, expires_after_s=5.0)
            await asyncio.sleep(6.0)
            play.queue.release(HoldCause.USER)
            await play.queue.idle()
            assert play.phases("old") == ["queued", "expired"]
            assert play.phases("critical")[-1] == "spoken"
            (told,) = [e for e in play.events if isinstance(e, Displaced)]
            assert (told.utterance_id, told.reason, told.by) == ("old", "too old", None)
            assert told.at_s == pytest.approx(5.0, abs=0.02)

    virtual.run(scene())


def test_a_full_queue_drops_the_oldest_of_the_least_urgent_and_no_critical_that_waits(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        async with playing(config=QueueConfig(bound=3)) as play:
            play.queue.hold(HoldCause.USER)
            for name in ("s1", "s2"):
                play.say(name, "One two three.")
            play.say("c1", "One two three.", Priority.CRITICAL)
            assert play.say("s3", "One two three.").dropped == ("s1",)
            assert play.say("f", "One two three.", Priority.FILLER).outcome is OfferOutcome.FULL
            for n in range(2, 7):
                assert play.say(f"c{n}", "One two three.", Priority.CRITICAL).accepted
            assert play.say("s4", "One two three.").outcome is OfferOutcome.FULL
            assert play.say("c7", "One two three.", Priority.CRITICAL).outcome is OfferOutcome.FULL
            await asyncio.sleep(0.1)
            assert play.phases("s1") == play.phases("f") == play.phases("c7") == ["queued", "expired"]
            assert all(m.reason == "full" for name in ("s1", "s2", "s3", "f", "c7") for m in play.moves(name))

    virtual.run(scene())


def test_blank_text_and_an_id_offered_twice_are_refused_without_a_trace(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            assert play.say("blank", " \n ** ").outcome is OfferOutcome.BLANK
            play.say("a", "One two three.")
            assert play.say("a", "Four five six.").outcome is OfferOutcome.DUPLICATE
            await play.queue.idle()
            assert [u.utterance_id for u in play.log.created] == ["a"]

    virtual.run(scene())


def test_between_utterances_lies_the_longer_of_both_pauses(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.say("a", "One two three.", prosody=Prosody(pause_after_s=0.8))
            play.say("b", "One two three.")
            play.say("c", "One two three.", prosody=Prosody(pause_before_s=0.5))
            await play.queue.idle()
            (_, a), (b0, b1), (c0, _) = play.sink.sounding()
            assert seconds(b0 - a) == pytest.approx(0.8, abs=0.021)
            assert seconds(c0 - b1) == pytest.approx(0.5, abs=0.021)

    virtual.run(scene())


def test_inside_an_utterance_only_the_asked_pauses_are_heard(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing(SteadyVoice(takes_s=0.3)) as play:
            play.say("a", "One two three; four five six. Seven eight nine: ten eleven twelve.")
            await play.queue.idle()
            sounds = play.sink.sounding()
            gaps = [seconds(b[0] - a[1]) for a, b in pairwise(sounds)]
            assert gaps == pytest.approx([0.18, 0.3, 0.18], abs=1e-6)
            assert play.queue.snapshot().longest_gap_s == 0.0

    virtual.run(scene())


def test_a_failed_synthesis_is_tried_again_then_failed_and_the_queue_goes_on(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        voice = ScriptedVoice(
            Line("Good news first."),
            Line("Bad luck here.", fails="no"),
            Line("Bad luck here.", fails="no again"),
            Line("Once more then.", fails="not yet"),
            Line("Once more then."),
            Line("Never to be.", fails="refused", retryable=False),
            Line("All is well.", lasts_s=1.0),
        )
        async with playing(voice) as play:
            for name, text in [
                ("a", "Good news first."),
                ("b", "Bad luck here."),
                ("c", "Once more then."),
                ("d", "Never to be."),
                ("e", "All is well."),
            ]:
                play.say(name, text)
            await play.queue.idle()
            assert play.phases("b") == ["queued", "failed"]
            assert play.moves("b")[-1].reason == "no again"
            assert play.phases("d") == ["queued", "failed"]
            assert [play.phases(name)[-1] for name in "ace"] == ["spoken"] * 3
            failures = [
                (e.utterance_id, e.attempt, e.final) for e in play.events if isinstance(e, VoiceFailed)
            ]
            assert failures == [("b", 1, False), ("b", 2, True), ("c", 1, False), ("d", 1, True)]
        voice.assert_finished()

    virtual.run(scene())


def test_an_engine_that_is_away_is_waited_for_and_what_was_to_be_said_is_said(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        gone = [Line("Said all the same.", fails="no answer", away=True, takes_s=1.0)] * 9
        voice = ScriptedVoice(*gone, Line("Said all the same."), Line("And the next."))
        async with playing(voice) as play:
            play.say("a", "Said all the same.")
            play.say("b", "And the next.")
            await play.queue.idle()
            assert [play.phases(name)[-1] for name in "ab"] == ["spoken"] * 2
        voice.assert_finished()

    virtual.run(scene())


def test_an_engine_that_stays_away_fails_its_utterance_after_half_a_minute(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        gone = [Line("Never said.", fails="no answer", away=True, takes_s=4.75)] * 7
        voice = ScriptedVoice(*gone)
        async with playing(voice) as play:
            play.say("a", "Never said.")
            await play.queue.idle()
            assert play.phases("a") == ["queued", "failed"]
            assert play.moves("a")[-1].at_s == pytest.approx(34.75, abs=0.1)
        voice.assert_finished()

    virtual.run(scene())


def test_a_voice_that_hangs_fails_its_utterance_in_bounded_time(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        voice = ScriptedVoice(
            Line("Hangs for ever.", takes_s=1e6), Line("Hangs for ever.", takes_s=1e6), Line("Goes on then.")
        )
        async with playing(voice) as play:
            play.say("a", "Hangs for ever.")
            play.say("b", "Goes on then.")
            await play.queue.idle()
            assert play.phases("a") == ["queued", "failed"]
            assert play.moves("a")[-1].at_s == pytest.approx(12.0, abs=0.1)
            assert play.phases("b")[-1] == "spoken"

    virtual.run(scene())


def test_a_failure_in_the_middle_fails_what_was_begun(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        voice = ScriptedVoice(
            Line("One two three."),
            Line("Four five six.", fails="no"),
            Line("Four five six.", fails="no"),
        )
        async with playing(voice) as play:
            play.say("a", "One two three. Four five six.")
            await play.queue.idle()
            assert play.phases("a") == ["queued", "speaking", "failed"]

    virtual.run(scene())


def test_spoken_waits_until_the_listener_is_within_a_tenth_of_a_second_of_the_end(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        async with playing(listens=False) as play:
            play.say("a", "One two three.")
            play.say("b", "Four five six.")
            play.say("c", "Seven eight nine.")
            await asyncio.sleep(2.0)
            assert play.phases("a") == ["queued", "speaking"]
            assert play.phases("b") == ["queued", "speaking"]  # all samples of a are sent
            end = play.segments("a")[0].start_sample + play.segments("a")[0].samples
            play.queue.played(end - 4801)
            assert play.queue.snapshot().standings[0].phase == "speaking"
            play.queue.played(end - 4800)
            await asyncio.sleep(0.1)
            assert play.phases("a") == ["queued", "speaking", "spoken"]
            await asyncio.sleep(5.0)
            assert play.phases("c") == ["queued", "speaking"]  # b alone is unconfirmed
            assert play.phases("b") == ["queued", "speaking"]

    virtual.run(scene())


def test_at_most_one_is_unconfirmed_and_without_a_report_it_is_cut_after_ten_seconds(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        async with playing(listens=False) as play:
            for name in "abc":
                play.say(name, "One two three.")
            await asyncio.sleep(8.0)
            assert play.phases("c") == ["queued"]
            await asyncio.sleep(60.0)
            assert [play.phases(name)[-1] for name in "abc"] == ["cut"] * 3
            assert {play.moves(name)[-1].reason for name in "abc"} == {"unconfirmed"}

    virtual.run(scene())


def test_a_report_beyond_what_was_sent_counts_as_what_was_sent(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing(listens=False) as play:
            play.say("a", "One two three.")
            await asyncio.sleep(0.6)
            play.queue.played(10**9)
            await asyncio.sleep(0.4)
            assert play.queue.snapshot().played_samples < 0.7 * 48_000
            assert play.phases("a") == ["queued", "speaking"]

    virtual.run(scene())


def test_no_sample_leaves_before_the_log_has_the_move(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing(log=ListLog(takes_s=0.5)) as play:
            play.say("a", "One two three.")
            await play.queue.idle()
            (start, _), *_ = play.sink.sounding()
            assert seconds(start) >= 1.0  # create, then the move to SPEAKING
            assert play.sink.underruns == 0

    virtual.run(scene())


def test_while_the_log_is_gone_speech_is_held_and_then_goes_on_from_its_clause(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.say("a", "One two three four five six.")
            await asyncio.sleep(1.0)
            play.log.down = True
            play.say("b", "Seven eight nine.")
            await asyncio.sleep(0.1)
            assert HoldCause.STORE in play.queue.snapshot().holds
            quiet_from = play.queue.written_samples
            await asyncio.sleep(20.0)
            assert not play.sink.pcm[quiet_from:].any()
            play.log.down = False
            await play.queue.idle()
            assert play.phases("a") == ["queued", "speaking", "held", "speaking", "spoken"]
            assert play.moves("a")[1].cause is HoldCause.STORE
            assert [w.text for w in play.segments("a")[1].words][:3] == ["One", "two", "three"], "20 s later"
            assert play.phases("b") == ["queued", "speaking", "spoken"]

    virtual.run(scene())


def test_any_other_error_of_the_log_ends_the_run_and_speaks_no_more(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        with pytest.raises(ExceptionGroup) as ended:
            async with playing() as play:
                play.say("a", "One two three.")
                play.log.error = PermissionError("fenced")
                await asyncio.sleep(60.0)
        assert ended.group_contains(PermissionError)
        assert not play.sink.pcm.any()

    virtual.run(scene())


def test_pacing_delays_a_priority_without_changing_its_order(virtual: asyncio.Runner) -> None:
    class LateSummaries:
        def __init__(self) -> None:
            self.stretches: list[tuple[str, float]] = []

        def not_before(self, utterance: Utterance, now_s: float) -> float:
            return 5.0 if utterance.utterance_id == "slow" else now_s

        def spoke(self, utterance: Utterance, started_s: float, ended_s: float) -> None:
            self.stretches.append((utterance.utterance_id, ended_s - started_s))

    async def scene() -> None:
        pacing = LateSummaries()
        async with playing(pacing=pacing) as play:
            play.say("slow", "One two three.")
            play.say("after", "Four five six.")
            play.say("answer", "Seven eight nine.", Priority.ANSWER)
            play.say("filler", "Ten eleven twelve.", Priority.FILLER)
            await play.queue.idle()
            assert play.order_spoken() == ["answer", "filler", "slow", "after"]
            assert seconds(play.segments("slow")[0].start_sample) >= 5.0
            assert [name for name, _ in pacing.stretches] == play.order_spoken()
            assert all(s == pytest.approx(3 * WORD_S, abs=0.09) for _, s in pacing.stretches)

    virtual.run(scene())


def test_an_unscripted_text_is_an_error_of_the_scene(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        with pytest.raises(ExceptionGroup) as ended:
            async with playing(ScriptedVoice(Line("Something else."))) as play:
                play.say("a", "One two three.")
                await asyncio.sleep(5.0)
        assert ended.group_contains(UnexpectedSynthesis)

    virtual.run(scene())


def test_an_utterance_of_a_minute_ago_is_still_measured_on_the_same_clock(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            await asyncio.sleep(60.0)
            play.say("a", "One two three.")
            await play.queue.idle()
            begun = play.segments("a")[0].start_sample
            assert seconds(begun) == pytest.approx(60.0, abs=0.2)
            assert now_s() - seconds(play.queue.sent_samples) == pytest.approx(0.0, abs=0.02)

    virtual.run(scene())
