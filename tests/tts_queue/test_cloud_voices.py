"""The cloud voices' adapters, by the vendors' own clients, against twins that refuse as the vendor would."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import threading
import wave

import numpy as np
import pytest
from google.auth.exceptions import GoogleAuthError, RefreshError, TransportError
from google.cloud import texttospeech_v1beta1 as tts

from tests.tts_queue.cloud_services import AURA_1, AWAY, CHIRP, VENDORS, behind, service, twin_of
from tests.twins.script import KEY
from tests.twins.speech import SILENCE_S, WORD_S, BreakOff, Fault, Hang
from tts_queue import SAMPLE_RATE_HZ, Clip, Prosody, VoiceUnavailable
from tts_queue.engines.cloud import CloudVoice, audible, louder, placed, weight
from tts_queue.engines.deepgram import DeepgramService
from tts_queue.engines.google import GoogleService, ssml
from tts_queue.prosody import prosody_for

TEXT = "Potassium is 6.8, and the E.C.G has changed <since> morning & noon."
CRITICAL, ROUTINE = prosody_for("critical"), prosody_for("status")
SECRET = "achondroplasia"


def seconds(samples: int) -> float:
    return samples / SAMPLE_RATE_HZ


async def refused(voice: CloudVoice, text: str = TEXT) -> VoiceUnavailable:
    with pytest.raises(VoiceUnavailable) as failed:
        await voice.synthesise(text, Prosody())
    return failed.value


@pytest.mark.parametrize("vendor", VENDORS)
async def test_a_clause_comes_whole_and_every_word_of_it_has_its_place(vendor: str) -> None:
    async with behind(vendor) as there:
        parts = [part async for part in there.voice.parts(TEXT, CRITICAL, urgent=True)]
        assert there.twin.texts == [TEXT]
    (part,) = parts
    words = TEXT.split()
    assert part.samples == len(part.pcm)
    assert part.pcm.dtype == np.int16
    assert [word.text for word in part.words] == words
    assert part.words[0].start_sample == 0
    assert part.words[-1].end_sample == part.samples
    assert all(a.end_sample == b.start_sample for a, b in zip(part.words, part.words[1:], strict=False))
    assert part.engine.startswith(vendor)


@pytest.mark.parametrize("vendor", VENDORS)
async def test_silence_around_the_sound_is_cut_to_what_the_queue_expects(vendor: str) -> None:
    async with behind(vendor) as there:
        clip = await there.voice.synthesise("one two three four five six seven", Prosody())
    assert SILENCE_S > 0.07
    assert seconds(len(clip.pcm)) == pytest.approx(7 * WORD_S + 0.02 + 0.07, abs=0.01)


async def test_googles_marks_tell_where_words_begin() -> None:
    async with behind("google") as there:
        clip = await there.voice.synthesise(TEXT, Prosody())
    starts = [seconds(word.start_sample) for word in clip.words[1:]]
    assert starts == pytest.approx([0.02 + WORD_S * n for n in range(1, len(clip.words))], abs=0.002)


async def test_prosody_goes_to_google_as_numbers_and_emphasis_as_ssml() -> None:
    async with behind("google") as there:
        await there.voice.synthesise(TEXT, Prosody(0.92, -1.5, 3.0, emphasis=("potassium",)))
        await there.voice.synthesise(TEXT, ROUTINE)
        await there.voice.synthesise(TEXT, Prosody(rate=9.0, pitch_semitones=99.0, volume_db=99.0))
    first, routine, wild = there.twin.asked
    assert (first.rate, first.pitch, first.gain_db) == (0.92, -1.5, 3.0)
    assert '<emphasis level="moderate"><mark name="0"/>Potassium</emphasis>' in first.markup
    assert (routine.rate, routine.pitch, routine.gain_db) == (1.0, 0.0, 0.0)
    assert "emphasis" not in routine.markup
    assert (wild.rate, wild.pitch, wild.gain_db) == (2.0, 20.0, 10.0)


async def test_a_voice_without_marks_gets_plain_text_and_no_pitch() -> None:
    async with behind("google", CHIRP) as there:
        clip = await there.voice.synthesise(TEXT, Prosody(0.92, pitch_semitones=-1.5, volume_db=3.0))
    (asked,) = there.twin.asked
    assert (asked.markup, asked.rate, asked.pitch, asked.gain_db) == ("", 0.92, 0.0, 3.0)
    assert len(clip.words) == len(TEXT.split())


async def test_prosody_goes_to_aura_as_speed_and_becomes_a_gain_of_ours() -> None:
    async with behind("deepgram") as there:
        plain = await there.voice.synthesise(TEXT, ROUTINE)
        loud = await there.voice.synthesise(TEXT, Prosody(volume_db=3.0))
        slow = await there.voice.synthesise(TEXT, Prosody(rate=0.5))
    queries = [json.loads(asked.markup) for asked in there.twin.asked]
    assert [query.get("speed") for query in queries] == [None, None, "0.7"]
    assert all(query["mip_opt_out"] == "true" for query in queries)
    assert loudness(loud) / loudness(plain) == pytest.approx(10 ** (3 / 20), rel=0.02)
    assert len(slow.pcm) > 1.3 * len(plain.pcm)


async def test_aura_1_is_not_asked_for_a_speed_that_it_does_not_have() -> None:
    async with behind("deepgram", AURA_1) as there:
        await there.voice.synthesise(TEXT, Prosody(rate=0.92))
        assert there.twin.asked[0].rate == 1.0


def loudness(clip: Clip) -> float:
    return float(np.sqrt(np.mean(clip.pcm.astype(np.float64) ** 2)))


@pytest.mark.parametrize("vendor", VENDORS)
async def test_a_text_beyond_the_vendors_bound_is_refused_here(vendor: str) -> None:
    async with behind(vendor) as there:
        error = await refused(there.voice, "word " * 420)
        assert not (there.twin.asked or there.twin.refusals)
    assert not error.retryable
    assert not error.away


ERRORS = [
    ("google", Fault("INVALID_ARGUMENT", "API_KEY_INVALID"), False, True, "refuses the key"),
    ("google", Fault("PERMISSION_DENIED", "SERVICE_DISABLED"), False, True, "API enabled"),
    ("google", Fault("UNAUTHENTICATED"), False, True, "refuses the key"),
    ("google", Fault("INVALID_ARGUMENT"), False, False, "this text or voice"),
    ("google", Fault("RESOURCE_EXHAUSTED", "RATE_LIMIT_EXCEEDED"), True, False, "quota"),
    ("google", Fault("INTERNAL"), True, False, "failed"),
    ("google", BreakOff(), True, False, "no WAV"),
    ("google", Fault("UNIMPLEMENTED"), False, True, "at this address"),
    ("deepgram", Fault(404), False, True, "at this address"),
    ("deepgram", Fault(401, "INVALID_AUTH"), False, True, "refuses the key"),
    ("deepgram", Fault(402, "PAYMENT_REQUIRED"), False, True, "balance"),
    ("deepgram", Fault(400, "INVALID_QUERY_PARAMETER"), False, False, "this text or voice"),
    ("deepgram", Fault(429, "TOO_MANY_REQUESTS"), True, False, "no room"),
    ("deepgram", Fault(500, "INTERNAL"), True, False, "failed"),
]


@pytest.mark.parametrize(("vendor", "fault", "retryable", "away", "says"), ERRORS)
async def test_each_error_says_what_it_means_for_the_next_clause_and_nothing_of_this_one(
    vendor: str,
    fault: Fault | BreakOff,
    retryable: bool,
    away: bool,
    says: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    async with behind(vendor) as there:
        there.twin.faults.append(fault)
        error = await refused(there.voice, f"{SECRET} is likely")
    assert (error.retryable, error.away) == (retryable, away)
    assert says in str(error)
    assert SECRET not in str(error)
    assert SECRET not in caplog.text
    assert KEY not in caplog.text


@pytest.mark.parametrize("vendor", VENDORS)
async def test_a_service_that_is_not_there_is_asked_once_more_and_then_named_away(vendor: str) -> None:
    async with twin_of(vendor) as twin:
        gone = twin.address
    voice = await service(vendor, gone)
    error = await refused(voice)
    assert error.retryable
    assert error.away
    await voice.aclose()


async def test_a_connection_that_broke_once_costs_no_clause() -> None:
    async with behind("google") as there:
        there.twin.faults.append(AWAY["google"])
        await there.voice.synthesise(TEXT, Prosody())
        assert there.twin.texts == [TEXT]
    async with behind("deepgram") as there:
        there.twin.faults.append(BreakOff())
        await there.voice.synthesise(TEXT, Prosody())
        assert there.twin.texts == [TEXT, TEXT]


@pytest.mark.parametrize("vendor", VENDORS)
async def test_no_call_outlasts_its_deadline(vendor: str) -> None:
    async with behind(vendor) as there:
        there.twin.faults.append(Hang())
        began_s = asyncio.get_running_loop().time()
        error = await refused(there.voice)
        assert asyncio.get_running_loop().time() - began_s < 3.0
        assert there.twin.hung == 1
    assert (error.retryable, error.away) == (True, True)
    assert "within 1 s" in str(error)


@pytest.mark.parametrize("vendor", VENDORS)
async def test_an_error_that_nobody_thought_of_is_a_voices_and_names_its_kind_alone(
    vendor: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def surprise(self: object, text: str, prosody: Prosody) -> None:
        raise ValueError(text)

    monkeypatch.setattr({"google": GoogleService, "deepgram": DeepgramService}[vendor], "speak", surprise)
    async with behind(vendor) as there:
        error = await refused(there.voice, SECRET)
    assert error.reason == "ValueError"
    assert error.retryable
    assert SECRET not in str(error)


class Answers:
    """Google's client, which answers any request with one sound."""

    def __init__(self, wav: bytes) -> None:
        self.wav = wav

    async def synthesize_speech(self, request: object, **options: object) -> tts.SynthesizeSpeechResponse:
        return tts.SynthesizeSpeechResponse(audio_content=self.wav)


async def test_an_answer_that_ends_within_a_sample_is_said_up_to_there() -> None:
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setparams((1, 2, SAMPLE_RATE_HZ, 0, "NONE", ""))
        file.writeframes(np.arange(100, dtype="<i2").tobytes())
    service = GoogleService(Answers(out.getvalue()[:-1]), "en-US-Neural2-D")  # type: ignore[arg-type]
    sound = await service.speak(TEXT, Prosody())
    assert sound.pcm.tolist() == list(range(99))


@pytest.mark.parametrize("vendor", VENDORS)
async def test_a_wrong_key_is_named_at_once_and_not_tried_again(vendor: str) -> None:
    async with behind(vendor, key="a wrong one") as there:
        error = await refused(there.voice)
        assert len(there.twin.refusals) == 1
        with pytest.raises(VoiceUnavailable, match="refuses the key") as checked:
            await there.voice.check()
    for found in (error, checked.value):
        assert (found.retryable, found.away) == (False, True)
        assert "a wrong one" not in str(found)


@pytest.mark.parametrize(
    ("vendor", "unknown"), [("google", "en-US-Neural2-Z"), ("deepgram", "aura-2-nobody-en")]
)
async def test_the_check_says_nothing_aloud_and_finds_a_voice_that_there_is_not(
    vendor: str, unknown: str
) -> None:
    async with behind(vendor) as there:
        await there.voice.check()
        assert there.twin.asked == []
    async with behind(vendor, unknown) as there:
        with pytest.raises(VoiceUnavailable, match="no voice of this name") as failed:
            await there.voice.check()
    assert not failed.value.retryable


@pytest.mark.parametrize("vendor", VENDORS)
async def test_a_short_opening_is_asked_for_once_and_paid_for_once(vendor: str) -> None:
    async with behind(vendor) as there:
        for prosody in (ROUTINE, ROUTINE, Prosody(pause_before_s=1.0)):
            await there.voice.synthesise("Doctor One differs:", prosody)
        assert there.twin.texts == ["Doctor One differs:"]
        assert there.voice.characters == len("Doctor One differs:")
        for _ in range(2):
            await there.voice.synthesise(TEXT, ROUTINE)
        assert len(there.twin.texts) == 3


def test_deepgrams_address_may_stand_without_its_scheme_and_must_be_one() -> None:
    DeepgramService(api_key=KEY, address="api.eu.deepgram.com")
    with pytest.raises(VoiceUnavailable, match="no address"):
        DeepgramService(api_key=KEY, address="https://[::1")


async def test_a_name_that_cannot_be_a_voices_is_refused_before_anybody_is_asked() -> None:
    with pytest.raises(VoiceUnavailable, match="no voice's name") as failed:
        await GoogleService.open("Neural2", api_key=KEY)
    assert not failed.value.retryable


@pytest.mark.parametrize(
    ("error", "retryable"),
    [
        (TransportError("the metadata server is gone"), True),  # type: ignore[no-untyped-call]
        (RefreshError("later", retryable=True), True),  # type: ignore[no-untyped-call]
        (RefreshError("revoked"), False),  # type: ignore[no-untyped-call]
    ],
)
async def test_credentials_that_nobody_could_be_asked_for_may_come_later(
    error: GoogleAuthError, retryable: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*asked: object, **options: object) -> None:
        raise error

    monkeypatch.setattr("google.auth.default", fail)
    with pytest.raises(VoiceUnavailable, match="no credentials") as opened:
        await GoogleService.open()
    client = Answers(b"")
    monkeypatch.setattr(client, "synthesize_speech", fail)
    with pytest.raises(VoiceUnavailable, match="the credentials") as spoken:
        await GoogleService(client, "en-US-Neural2-D").speak(TEXT, Prosody())  # type: ignore[arg-type]
    for failed in (opened.value, spoken.value):
        assert (failed.retryable, failed.away) == (retryable, True)


async def test_credentials_are_not_waited_for_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    gone = threading.Event()
    monkeypatch.setattr("google.auth.default", lambda **options: gone.wait(10.0))
    monkeypatch.setattr("tts_queue.engines.google.DEADLINE_S", 0.05)
    try:
        with pytest.raises(VoiceUnavailable, match="TimeoutError") as failed:
            await GoogleService.open()
    finally:
        gone.set()
    assert failed.value.retryable


def test_ssml_escapes_what_is_markup_in_xml() -> None:
    assert ssml("BP < 90 & falling") == (
        '<speak><mark name="0"/>BP <mark name="1"/>&lt; <mark name="2"/>90 '
        '<mark name="3"/>&amp; <mark name="4"/>falling</speak>'
    )


def test_ssml_leaves_out_what_xml_has_no_place_for() -> None:
    assert ssml("1\x002 \x07 caf\u00e9\ufffe\ud800") == (
        '<speak><mark name="0"/>12 <mark name="1"/> <mark name="2"/>caf\u00e9</speak>'
    )
    assert ssml("\U0001f600") == '<speak><mark name="0"/>\U0001f600</speak>'


def test_words_without_a_time_are_placed_between_those_with_one() -> None:
    words = ["Doctor", "One", "differs:", "no."]
    spans = placed(words, 10_000, {2: 5_000})
    assert [span.text for span in spans] == words
    assert spans[2].start_sample == 5_000
    assert spans[1].start_sample == pytest.approx(5_000 * 6 / 9, abs=1)
    assert spans[-1].end_sample == 10_000


@pytest.mark.parametrize("starts", [{1: 900, 2: 300}, {1: 5_000}, {7: 10}, {0: 50, 1: -3}])
def test_times_that_cannot_be_are_no_reason_to_go_back(starts: dict[int, int]) -> None:
    spans = placed(["a", "b", "c"], 1_000, starts)
    bounds = [edge for span in spans for edge in (span.start_sample, span.end_sample)]
    assert bounds == sorted(bounds)
    assert (bounds[0], bounds[-1]) == (0, 1_000)


def test_digits_and_named_letters_take_longer_than_letters() -> None:
    assert weight("E.C.G") > weight("since")
    assert weight("120") > weight("and")
    assert weight("mild,") > weight("mild,", last=True) == weight("mild")


def test_nothing_audible_is_told_as_such() -> None:
    assert audible(np.zeros(100, np.int16)) == (0, 0)
    assert audible(np.zeros(0, np.int16)) == (0, 0)


def test_a_gain_bends_what_would_clip() -> None:
    loud = louder(np.array([0, 16_000, 32_000, -32_000], np.int16), 6.0)
    assert np.abs(loud.astype(int)).max() <= 32_767
    assert 30_000 < loud[1] < loud[2]
