"""Rights by the clock: what a secret and an invitation are worth, and when."""

from __future__ import annotations

import pytest

from infra import access
from infra.access import ENTER_MS, INVITATION_MS, Invited, Right, Shown
from infra.sessions import SessionRecord
from tests.infra.making import session

NOW_MS = 1_790_000_000_000
REPORT_MS = 30 * 24 * access.HOUR_MS
SECRET = "Dpbj9qOd9oasxW1r6xg-R-8zNwoJ8hmhFTH8dQfgpT0"
CODE = "xI0LS9wDhT2JVN56ZcyWFDP96OyXc7UbPnpJJho4LoI"


def nobodys() -> SessionRecord:
    return session().model_copy(update={"secret_sha256": ""})


def clinicians() -> SessionRecord:
    return access.given(nobodys(), SECRET, NOW_MS, REPORT_MS)


@pytest.mark.parametrize(
    ("right", "after_ms", "worth"),
    [
        (Right.ENTER, 0, Shown.GOOD),
        (Right.ENTER, ENTER_MS - 1, Shown.GOOD),
        (Right.ENTER, ENTER_MS, Shown.EXPIRED),
        (Right.READ, ENTER_MS, Shown.GOOD),
        (Right.READ, REPORT_MS - 1, Shown.GOOD),
        (Right.READ, REPORT_MS, Shown.EXPIRED),
        (Right.ENTER, -ENTER_MS, Shown.GOOD),  # the clock was set back: nobody is put out
    ],
)
def test_a_secret_enters_for_a_day_and_reads_for_as_long_as_is_set(
    right: Right, after_ms: int, worth: Shown
) -> None:
    assert access.worth(clinicians(), SECRET, right, NOW_MS + after_ms) is worth


@pytest.mark.parametrize("shown", [None, "", CODE, SECRET + "x", access.digest(SECRET)])
def test_no_other_text_is_worth_anything(shown: str | None) -> None:
    assert access.worth(clinicians(), shown, Right.READ, NOW_MS) is Shown.WRONG
    assert access.worth(nobodys(), shown, Right.READ, NOW_MS) is Shown.WRONG


def test_an_invitation_is_open_for_an_hour_and_used_once_somebody_has_the_session() -> None:
    record = access.inviting(nobodys(), CODE, NOW_MS)
    assert access.invitation(record, CODE, NOW_MS + INVITATION_MS - 1) is Invited.OPEN
    assert access.invitation(record, CODE, NOW_MS + INVITATION_MS) is Invited.EXPIRED
    assert access.invitation(record, SECRET, NOW_MS) is Invited.WRONG
    assert access.invitation(nobodys(), None, NOW_MS) is Invited.WRONG
    taken = access.given(record, SECRET, NOW_MS, REPORT_MS)
    assert access.invitation(taken, CODE, NOW_MS) is Invited.USED


def test_a_session_that_goes_on_can_be_entered_for_another_day_and_never_for_less() -> None:
    later = access.longer(clinicians(), NOW_MS + ENTER_MS // 2)
    assert access.worth(later, SECRET, Right.ENTER, NOW_MS + ENTER_MS) is Shown.GOOD
    assert access.longer(clinicians(), NOW_MS - ENTER_MS) == clinicians()


def test_a_secret_of_few_characters_is_not_taken_for_random() -> None:
    assert access.is_random(SECRET)
    assert not access.is_random("a" * 43)
    assert not access.is_random("abc" * 20)
