"""The figures of our teams count what was lost: one that came through meets no aim for the others."""

from __future__ import annotations

from lab.bench.figures import Figure
from lab.teams import asked, heard, page
from lab.teams.asked import Put
from lab.teams.heard import Begun


def unmet(figures: list[Figure]) -> list[str]:
    return [each.name for each in figures if each.met is False]


def put(number: int, *, read: bool = True, took_s: float | None = 0.5) -> Put:
    return Put("Could this be sepsis?", number % 2, 0.4 if took_s else None, took_s, read)


def test_questions_that_are_never_sent_miss_the_aim() -> None:
    lost = [put(0), *(put(number, took_s=None) for number in range(11))]
    assert unmet(asked.rows(lost, [0.2])) == ["read back and never sent"]


def test_as_many_questions_are_taken_for_none_as_the_ears_aim_allows() -> None:
    name = "not understood as a question to the team"
    none = put(0, read=False, took_s=None)
    assert unmet(asked.rows([none, *map(put, range(11))], [0.2])) == [name]
    assert not unmet(asked.rows([none, *map(put, range(19))], [0.2]))


def test_a_case_whose_calls_end_by_themselves_was_not_cancelled() -> None:
    assert unmet(asked.rows([put(0)], [0.2, None])) == ["cancelled, and its calls ended by themselves"]
    assert unmet(asked.rows([], [None])), "a run in which nothing was let go has its figures, too"


def test_a_word_that_never_comes_to_the_page_misses_the_aim() -> None:
    shown = page.Shown((5.0,), (6.0,), (11.0,), words=400, lost=399, messages_per_s=9.0, cpu=())
    assert unmet(page.rows(shown)) == ["words that never came to the page"]


def test_a_silent_case_takes_no_figure_of_the_others() -> None:
    begun = [Begun("cdss", "low-sodium", 3.0, (1.0,)), Begun("doctors", "low-sodium", None, ())]
    figures = heard.rows(begun)
    assert unmet(figures) == ["cases of which nothing was heard"]
    assert [each.n for each in figures] == [2, 1, 1]
    assert unmet(heard.rows(begun[1:]))
