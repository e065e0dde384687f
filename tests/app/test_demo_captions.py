"""Captions: what is written can be read back, and what is no WebVTT is not taken for one."""

from __future__ import annotations

import pytest

from lab.demo.vtt import Cue, NotVtt, parsed, written

CUES = [
    Cue(0.5, 2.25, "EXAIM", "Potassium <6.9 mmol/L> & rising --> now"),
    Cue(2.0, 2.5, "Clinician", "mm-hm"),
    Cue(3_725.001, 3_726.0, "EXAIM", "An hour later."),
]


def test_what_was_written_is_read_back_in_order_of_time() -> None:
    read = parsed(written(reversed(CUES), title="case"))
    assert [(cue.start_s, cue.end_s, cue.who) for cue in read] == [(c.start_s, c.end_s, c.who) for c in CUES]
    assert read[0].text == "Potassium <6.9 mmol/L> & rising → now"
    assert read[1:] == CUES[1:]


def test_a_file_looks_as_the_standard_says() -> None:
    assert written(CUES[1:2], title="a case") == (
        "WEBVTT - a case\n\n1\n00:00:02.000 --> 00:00:02.500\n<v Clinician>mm-hm\n"
    )


def test_a_cue_lasts_a_millisecond_at_least() -> None:
    [cue] = parsed(written([Cue(1.0, 1.0, "EXAIM", "So.")], title="x"))
    assert cue.end_s > cue.start_s


@pytest.mark.parametrize(
    "text",
    [
        "",
        "WEBVTTX\n",
        "1\n00:00:00.000 --> 00:00:01.000\n<v A>b",
        "WEBVTT\n\n1\n00:00:00,000 --> 00:00:01,000\n<v A>b",
        "WEBVTT\n\n1\n00:00:01.000 --> 00:00:01.000\n<v A>b",
        "WEBVTT\n\n1\n00:00:00.000 --> 00:00:01.000\n",
        "WEBVTT\n\n1\n00:00:00.000 --> 00:00:01.000\nb",
        "WEBVTT\n\n00:00:02.000 --> 00:00:03.000\n<v A>b\n\n00:00:01.000 --> 00:00:03.000\n<v A>c",
    ],
    ids=["empty", "header", "no-header", "commas", "no-length", "no-text", "no-voice", "order"],
)
def test_what_is_no_caption_file_of_ours_is_refused(text: str) -> None:
    with pytest.raises(NotVtt):
        parsed(text)
