"""The counter of what the engine never does: what is idle is found, and what runs is not."""

from __future__ import annotations

from lab.evaluation.idle import Counts, counted

SOURCE = '''
def used(number):
    """Doc."""
    if number > 5:
        return "many"
    return "few" if number and number < 3 else "some"

def never():
    return 1

def matched(number):
    while number > 1:
        number -= 1
    match number:
        case 1 if number == 1:
            return "one"
        case _:
            return "none"
'''


def test_what_never_ran_and_what_never_decided_is_named() -> None:
    counts = Counts()
    space = {"REACH__": counts.reach, "DECIDE__": counts.decide, "ANSWER__": counts.answer}
    exec(counted(SOURCE, "module", counts), space)
    used = space["used"]
    assert callable(used)
    assert [used(number) for number in (1, 4)] == ["few", "some"]
    matched = space["matched"]
    assert callable(matched)
    assert matched(1) == "one"

    idle = [*counts.idle()]
    assert "module:8 never is never called" in idle
    assert "module:4 the branch is never entered" in idle
    assert "module:4 number > 5: always False, 2 times" in idle
    assert "module:12 the block is never entered" in idle
    assert "module:12 number > 1: always False, 1 times" in idle
    assert "module:17 the case is never met" in idle
    assert "module:15 number == 1: always True, 1 times" in idle
    assert not any("module:15 the case" in line for line in idle)
    assert "module:6 number: always True, 2 times" in idle
    assert not any("number < 3" in line for line in idle)
    assert not any("used is" in line for line in idle)


ANSWERS = """
def forbids(number: int) -> bool:
    return number > 5

def drug(number: int) -> str | None:
    if number > 5:
        return "nitroglycerin"
    return None

def count(number: int) -> int:
    return 0
"""


def test_what_always_answers_alike_is_named_and_in_which_sets_the_rest_answers() -> None:
    counts = Counts()
    space = {"REACH__": counts.reach, "DECIDE__": counts.decide, "ANSWER__": counts.answer}
    exec(counted(ANSWERS, "module", counts), space)
    for playing, number in (("tune", 1), ("develop", 7)):
        counts.playing = playing
        for name in ("drug", "count"):
            called = space[name]
            assert callable(called)
            called(number)
    forbids = space["forbids"]
    assert callable(forbids)
    assert forbids(2) is False

    assert "module:2 forbids answers: always False, 1 times" in [*counts.idle()]
    assert not any("count answers" in line or "drug answers" in line for line in counts.idle())
    assert [*counts.few(1)] == ["module:5 drug answers: 1 times, in develop"]
    assert not [*counts.few(0)]
