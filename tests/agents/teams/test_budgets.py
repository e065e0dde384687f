"""Budgets: what is counted, what is kept for the conclusion, and what money needs."""

from __future__ import annotations

import json
import re
from importlib import resources

import pytest

from agents.teams.budgets import RESERVE, Budget, Cost, Ledger, priced
from agents.teams.errors import PriceUnknown
from chat_models import RateLimited, Unavailable
from chat_models.calls import pause_before

PRICES = {"big": (2.0, 8.0), "small": (0.0, 0.0)}


def ledger(at_s: list[float] | None = None, **bounds: float) -> Ledger:
    clock = at_s or [0.0]
    return Ledger(Budget(**bounds), lambda: clock[0], PRICES)  # type: ignore[arg-type]


def test_every_role_is_counted_and_a_reserve_is_kept() -> None:
    found = ledger(tokens=1_000)
    found.add("cardiology", Cost("big", 300, 100))
    found.add("orchestrator", Cost("small", 200, 100))
    assert found.tokens == 700
    assert found.share() == pytest.approx(700 / (1_000 * (1 - RESERVE)))
    assert not found.is_spent()
    assert found.is_spent(ahead_chars=4 * 200), "what is about to be asked counts"
    found.add("cardiology", Cost("big", 100, 50))
    assert found.is_spent()
    assert found.by_agent["cardiology"].calls == 2


def test_eighty_per_cent_are_told_once() -> None:
    found = ledger(tokens=1_000)
    found.add("a", Cost("big", 600, 0))
    assert found.to_tell() is None
    found.add("a", Cost("big", 100, 0))
    assert found.to_tell() == pytest.approx(700 / 850)
    found.add("a", Cost("big", 500, 0))
    assert found.to_tell() is None


def test_money_is_by_the_price_of_each_model() -> None:
    found = ledger(money=1.0)
    found.add("a", Cost("big", 100_000, 50_000))
    found.add("b", Cost("small", 9_000_000, 9_000_000))
    assert found.money == pytest.approx(0.2 + 0.4)
    with pytest.raises(PriceUnknown, match="unheard-of"):
        found.add("c", Cost("unheard-of", 1, 1))
    ledger(tokens=10).add("c", Cost("unheard-of", 1, 1))  # where money has no bound nobody asks


def test_time_leaves_the_conclusion_its_part() -> None:
    clock = [100.0]
    found = ledger(clock, seconds=200.0)
    clock[0] = 200.0
    assert found.left_s(closing=False) == pytest.approx(70.0)
    assert found.left_s(closing=True) == pytest.approx(100.0)
    clock[0] = 400.0
    assert (found.left_s(closing=False), found.is_spent()) == (0.0, True)
    assert found.left_s(closing=True) == pytest.approx(30.0), "late as it is, there is a conclusion"


@pytest.mark.parametrize("bound", ["tokens", "money", "seconds", "rounds"])
def test_a_bound_of_nothing_is_refused(bound: str) -> None:
    with pytest.raises(ValueError, match=bound):
        Budget(**{bound: 0})


def test_the_table_of_prices_has_a_date_and_prices_above_nothing() -> None:
    table = json.loads(resources.files("agents.teams").joinpath("prices.json").read_text(encoding="utf-8"))
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", table["as_of"])
    assert all(low > 0 and high > 0 for low, high in priced().values())


def test_a_pause_is_never_shorter_than_the_service_asks() -> None:
    assert pause_before(RateLimited(retry_after_s=20.0), 1.0, 0.5) == 20.0
    assert pause_before(RateLimited(retry_after_s=0.1), 2.0, 0.5) == 2.5
    assert pause_before(Unavailable(), 2.0, 0.0) == 2.0
