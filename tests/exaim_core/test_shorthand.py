"""Hasty writing written out: layout, signs, abbreviations, numbers in words."""

from __future__ import annotations

import pytest

from exaim_core.shorthand import written_out


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Plts 96, Hb 7.9", "platelets 96, haemoglobin 7.9"),
        ("- Urea: 14\n- Na: 128", "Urea: 14; sodium: 128"),
        ("## Plan\n\nAlteplase now", "Plan; Alteplase now"),
        ("# NOF L, R hip fine", "fracture neck of femur left, right hip fine"),
        ("2 L of saline", "2 L of saline"),
        ("?PE. Better?", "possible pulmonary embolism. Better?"),
        ("cough 6/52, pain x 3 days", "cough 6 weeks, pain for 3 days"),
        ("power 4/5", "power 4/5"),
        ("fifty-two and a hundred and ten", "52 and 110"),
        ("seven point one two", "7.12"),
        ("two agents, in two hours", "two agents, in 2 hours"),
        ("Doctor Two", "Doctor Two"),
        ("within an hour, 6 units an hour", "within 1 hour, 6 units an hour"),
    ],
)
def test_hasty_writing_is_written_out(text: str, plain: str) -> None:
    assert written_out(text) == plain
