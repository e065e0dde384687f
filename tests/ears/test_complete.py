"""The study of turns' ends knows every kind of end that words can have."""

from __future__ import annotations

from typing import get_args

from lab.ears.complete import WHOLE
from realtime.ears import Ending


def test_each_ending_is_weighed() -> None:
    assert set(WHOLE) == set(get_args(Ending))
