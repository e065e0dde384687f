"""The evaluation's ruler on small material made by hand; and against reference values, where they are."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from agents.recorded import load_trace
from exaim_core import EXAIM
from lab.evaluation import acute, ancestor, engine, gold, points, ruler, tables
from lab.evaluation import run as evaluating
from lab.evaluation.aloud import EvenVoice, Said, judged, scored
from lab.evaluation.engine import Shown, charged
from lab.evaluation.lasting import Hour, collections, growing, half_way
from lab.evaluation.material import Material
from lab.evaluation.points import Gold, Point
from lab.evaluation.telling import Released, Source, Telling, Told
from tts_queue.model import SAMPLE_RATE_HZ, Prosody

SOURCE = Source(
    "case-small",
    seqs=(1, 2, 5, 6),
    texts=("Severe ", "anaemia. ", "Consider ", "leukaemia."),
    at_s=(0.0, 0.1, 1.0, 1.1),
)


def told(text: str, window: tuple[int, int], **more: object) -> Told:
    return Told(**{"made_s": 1.0, "window": window, "text": text, "whole": text, **more})  # type: ignore[arg-type]


def of(*summaries: Told, released: Sequence[Released] = ()) -> Telling:
    return Telling(SOURCE, summaries, tuple(released))


def test_a_word_that_only_another_window_holds_is_unsupported_in_the_window() -> None:
    telling = of(told("Severe anaemia", (1, 2)), told("Severe leukaemia", (5, 6), latest=0))
    assert ruler.unsupported(telling) == [0.0, 0.5]
    assert ruler.unsupported(telling, with_latest=True) == [0.0, 0.0]
    assert ruler.unsupported(telling, anywhere=True) == [0.0, 0.0]


def test_a_summary_that_its_log_calls_invalid_counts_neither_way() -> None:
    assert ruler.unsupported(of(told("Invented words", (1, 2), valid=False))) == []


def test_a_summary_without_words_is_wholly_supported_and_two_of_them_are_not_alike() -> None:
    telling = of(told("", (1, 2)), told("", (5, 6)))
    assert ruler.unsupported(telling) == [0.0, 0.0]
    assert ruler.redundancy(telling) == 0.0


def test_redundancy_is_the_share_of_words_that_neighbours_have_in_common() -> None:
    telling = of(told("severe anaemia", (1, 2)), told("severe leukaemia", (5, 6)))
    assert ruler.redundancy(telling) == pytest.approx(1 / 3)


def test_text_that_no_window_holds_is_counted_in_characters() -> None:
    assert SOURCE.outside([(1, 2)]) == len("Consider leukaemia.")
    assert SOURCE.outside([(1, 2), (2, 6)]) == 0
    assert SOURCE.outside([]) == SOURCE.chars


def test_compression_counts_units_of_four_characters_rounded_up() -> None:
    assert ruler.compression(of(told("abcde", (1, 2)))) == 1 - 2 / 9


def test_an_answer_waits_for_those_before_it() -> None:
    released = [Released((1, 2), 0.0, 2.0, 1.0), Released((5, 6), 1.0, 0.5), Released((5, 6), 1.5, 0.5, 1.0)]
    assert ruler.in_line(released) == [3.0, 3.5]


def test_a_step_charges_its_time_once_however_much_it_releases() -> None:
    shown = [Shown((1, 2), 4.0, 10.25), Shown((5, 6), 4.0, 10.5)]
    first, second = Released((1, 2), 4.0, 0.25), Released((5, 6), 4.0, 0.0, 0.75)
    assert [*charged(shown, 10.0, 11.0, brought=True)] == [first, second]
    assert [*charged(shown, 10.0, 11.0, brought=False)] == [first, Released((5, 6), 4.0, 0.75)]


POINT = Point("p1", 5.0, (("type a", "aortic"), ("doctor zero", "doctor0")))


def test_terms_are_met_across_case_line_ends_hyphens_and_curly_quotes() -> None:
    assert POINT.met_by("Doctor Zero\nleads with a TYPE‑A dissection.")
    assert not POINT.met_by("a type A dissection")
    assert points.met((("conn's",),), "Conn’s syndrome")
    assert points.met(((" ct",),), "CT of the chest") and not points.met(((" ct",),), "a duct")


def test_what_was_told_before_it_was_said_does_not_count_unless_it_is_the_closing() -> None:
    early = told("Doctor Zero: aortic dissection", (1, 2), made_s=4.0)
    assert points.told([POINT], of(early)) == []
    assert points.told([POINT], of(early, told("Doctor Zero: aortic", (5, 6), made_s=5.0))) == ["p1"]
    assert points.told([POINT], of(told("Doctor Zero: aortic", (5, 6), made_s=4.0, closing=True))) == ["p1"]


def test_one_summary_must_hold_the_whole_point() -> None:
    halves = (told("Doctor Zero", (1, 2), made_s=6.0), told("aortic", (5, 6), made_s=7.0))
    assert points.told([POINT], of(*halves)) == []


def test_what_a_summary_gives_the_voice_counts_only_where_it_is_asked_for() -> None:
    each = told("", (1, 2), made_s=6.0, spoken=("Doctor Zero leads with aortic dissection.",))
    assert points.told([POINT], of(each)) == []
    assert points.told([POINT], of(each), with_spoken=True) == ["p1"]


LISTED = Gold("case-small", (), spoken=(POINT,), also_fair=((("autopsy",),),))


def test_an_item_in_time_is_begun_within_eight_seconds_and_never_before_it_can_be_known() -> None:
    text = "Doctor Zero: aortic dissection."
    for begun_s, in_time, ever in [(13.0, 1, 1), (13.1, 0, 1), (4.0, 0, 0)]:
        found = scored(LISTED, [Said(text, "leading", 4.9, begun_s)])
        assert (len(found.in_time), len(found.late)) == (in_time, ever)


def test_what_is_dropped_is_offered_and_not_spoken_and_not_against_us() -> None:
    found = scored(
        LISTED, [Said("Doctor Zero: aortic.", "leading", 6.0, None), Said("Else.", "test", 6.0, None)]
    )
    assert (found.in_time, found.offered, found.dropped, found.extra) == ((), ("p1",), 2, ())


def test_what_is_spoken_and_not_listed_is_against_us_unless_it_is_fair() -> None:
    said = [
        Said("An autopsy if wished.", "test", 1.0, 1.0),
        Said("Something else.", "finding", 1.0, 2.0),
        Said("Doctor Zero: aortic.", "leading", 60.0, 60.0),  # too late to count for us, but no stranger
    ]
    found = scored(LISTED, said)
    assert (found.spoken, found.fair, found.counted, found.extra) == (3, 1, 2, ("Something else.",))


def test_the_even_voice_lasts_with_its_text_and_by_its_rate() -> None:
    def lasts_s(text: str, rate: float) -> float:
        return sum(len(part.pcm) for part in EvenVoice().parts(text, Prosody(rate=rate))) / SAMPLE_RATE_HZ

    assert lasts_s("x" * 100, 1.0) == pytest.approx(5.94)
    assert lasts_s("x" * 100, 2.0) == pytest.approx(2.97)


def test_who_knows_an_emergency_from_the_paper_may_tell_it_before_it_is_said() -> None:
    row = gold.Row("c1", "critical", at_s=30.0, from_s=0.0, met=lambda text: "penicillin" in text)
    found = judged("case-small", [Said("No penicillin.", "critical", 5.0, 6.0)], [row], ())
    assert found.in_time == ("c1",)


def test_an_emergency_is_in_time_when_it_was_heard_soon_enough() -> None:
    alarms = [acute.Alarm("a", 0.1, 8.0), acute.Alarm("b", 0.1, 8.1), acute.Alarm("c", None, None)]
    assert acute.in_time(alarms) == 1


def test_facts_on_record_written_as_lines_become_a_case_paper() -> None:
    paper = gold.paper_of(
        "case-small",
        "A case",
        {
            "patient": ["Man, 71 years, 80 kg"],
            "allergies": ["Penicillin: anaphylaxis in 1998"],
            "labs": ["Creatinine 212 micromol/L", "Platelets 61 x 10^9/L", "INR 1.4"],
            "observations": ["Blood pressure 78/40 mmHg", "Pulse 132 per minute", "No neck stiffness"],
            "medication": ["Lithium carbonate modified release 1,000 mg by mouth at night"],
        },
    )
    assert (paper.weight_kg, paper.age, paper.sex) == (80.0, 71.0, "man")
    assert (paper.allergies[0].substance, paper.allergies[0].year) == ("Penicillin", 1998)
    assert [(lab.analyte, lab.value, lab.unit) for lab in paper.labs] == [
        ("Creatinine", 212.0, "micromol/L"),
        ("Platelets", 61.0, "x 10^9/L"),
        ("INR", 1.4, ""),
    ]
    assert [(seen.name, seen.value, seen.unit) for seen in paper.observations] == [
        ("systolic blood pressure", 78.0, "mmHg"),
        ("Pulse", 132.0, "per minute"),
    ]
    assert paper.medication[0].dose == 1000 and paper.notes == ("No neck stiffness",)


@dataclass(frozen=True)
class Piece:
    at_s: float
    turn: int
    agent: str
    text: str


@dataclass(frozen=True)
class End:
    at_s: float
    turn: int
    agent: str


async def test_the_engine_is_measured_by_what_its_own_judge_was_shown() -> None:
    said = "The most likely diagnosis is acute pancreatitis. I recommend an abdominal CT scan. "
    events = [Piece(n / 10, 1, "doctor0", said[n * 4 : n * 4 + 4]) for n in range(21)]
    trace = gold.trace_of("case-small", [*events, End(3.0, 1, "doctor0")])
    run = await engine.run(trace)
    assert run.telling.source.outside([each.window for each in run.telling.released]) == 0
    assert run.telling.told[-1].closing and "pancreatitis" in run.telling.told[-1].whole
    assert [each.made_s for each in run.telling.told] == sorted(each.made_s for each in run.telling.told)


def test_half_way_of_ten_hours_is_the_fifth() -> None:
    rows = [Hour(hour, 50, 50, 1, 9, 1, {}) for hour in range(1, 11)]
    assert half_way(rows).hour == 5
    assert half_way(rows[:1]).hour == 1


def test_only_what_went_on_growing_is_named() -> None:
    def after(hour: float, **lengths: int) -> Hour:
        return Hour(hour, 1.0, 1.0, 1.0, 1, 1, lengths)

    rows = (after(1, bans=100, kept=64), after(2, bans=200, kept=64), after(3, bans=300, kept=64))
    assert growing(rows) == {"bans": (200, 300)}


def test_topics_are_read_as_they_were_written_and_shown_with_their_aims(tmp_path: Path) -> None:
    table = tables.Table("Cost", tables.FIGURES, (tables.judged("a piece", "70 µs", "≤ 60 µs", met=False),))
    topic = tables.Topic("4-cost", (table,), met=tables.all_met(table.rows), detail={"us": 70})
    tables.write(tmp_path, topic)
    assert tables.read(tmp_path) == [topic] and not topic.met
    assert tables.markdown([topic]).endswith("| a piece | 70 µs | ≤ 60 µs | **no** |")


def test_old_files_of_other_parts_do_not_decide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tables.write(tmp_path, tables.Topic("5-lasting", (), False, None))
    part = evaluating.Part.COST
    monkeypatch.setattr(evaluating, "_PARTS", {part: lambda *_: tables.Topic("4-cost", (), True, None)})
    assert evaluating.run(tmp_path, Material(tmp_path), only=[part], say=lambda _: None)


def test_what_else_lies_beside_the_topics_is_left_alone(tmp_path: Path) -> None:
    tables.write(tmp_path, tables.Topic("4-cost", (), True, None))
    (tmp_path / "labels.json").write_text('{"commit": "abc", "by_split": {}}', encoding="utf-8")
    (tmp_path / "list.json").write_text("[]", encoding="utf-8")
    assert [each.name for each in tables.read(tmp_path)] == ["4-cost"]


@pytest.mark.shared
def test_the_ancestors_logs_give_the_reference_values(shared: Path) -> None:
    cases = json.loads((shared / "expected_replay_sample.json").read_text(encoding="utf-8"))["cases"]
    for case_id, values in cases.items():
        trace = load_trace(shared / "traces" / f"{case_id}.trace.jsonl.gz")
        for variant, reference in values["runs"].items():
            telling = ancestor.telling(
                shared / "baseline_runs", variant, Source.of(trace), trace.metadata.t0_emitted_ms
            )
            found, words = ruler.measures(telling), reference["toy"]
            assert found.updates == reference["summary_count"]
            assert found.compression == pytest.approx(reference["compression_ratio"], abs=1e-8)
            assert found.unsupported == pytest.approx(words["m6a_mean"], abs=1e-8)
            assert found.unsupported_with_latest == pytest.approx(words["m6b_mean"], abs=1e-8)
            assert found.redundancy == pytest.approx(words["m3_jaccard_mean"], abs=1e-8)


def test_what_the_engine_holds_is_found_once_and_by_name() -> None:
    names = [name for name, _ in collections(EXAIM())]
    assert any(name.startswith("EXAIM.board.") for name in names)
    assert len(set(names)) == len(names)
