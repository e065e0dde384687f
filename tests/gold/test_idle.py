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
'''


def test_what_never_ran_and_what_never_decided_is_named() -> None:
    counts = Counts()
    space = {"REACH__": counts.reach, "DECIDE__": counts.decide}
    exec(counted(SOURCE, "module", counts), space)
    used = space["used"]
    assert callable(used)
    assert [used(number) for number in (1, 4)] == ["few", "some"]

    idle = [*counts.idle()]
    assert "module:8 never is never called" in idle
    assert "module:4 the branch is never entered" in idle
    assert "module:4 number > 5: always False, 2 times" in idle
    assert "module:6 number: always True, 2 times" in idle
    assert not any("number < 3" in line for line in idle)
    assert not any("used is" in line for line in idle)
