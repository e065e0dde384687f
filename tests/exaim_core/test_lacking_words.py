"""A finding without the words that it goes on from, refers to or reports is not told; an alarm and a ban in it are."""

from __future__ import annotations

import pytest

from exaim_core import SpokenKind
from tests.exaim_core.talks import told


@pytest.mark.parametrize(
    "said",
    [
        "Then at home, 2.5 to 3 litres by mouth a day.",
        "And his mother said 12 mg were in the bottle.",
        "No, beside the bed, given only if she pauses.",
    ],
)
async def test_what_goes_on_from_words_that_are_not_told_is_not_told(said: str) -> None:
    assert await told(said) == []


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("She is on apixaban 5 mg twice daily.", SpokenKind.FINDING),
        ("But the CT shows a subdural haematoma of 12 mm.", SpokenKind.FINDING),
        ("The nurse said his GCS is 6.", SpokenKind.CRITICAL),
        ("And he said his potassium is 7.1.", SpokenKind.CRITICAL),
        ("She said she is allergic to penicillin.", SpokenKind.CAUTION),
    ],
)
async def test_what_names_its_thing_or_warns_is_told(said: str, kind: SpokenKind) -> None:
    assert any(each.kind is kind for each in await told(said))
