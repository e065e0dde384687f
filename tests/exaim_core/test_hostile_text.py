"""Text that no agent should write, at sizes at which a pattern that backtracks would take hours."""

from __future__ import annotations

import pytest

from exaim_core import EXAIM, Delta

SIZE = 6_000


@pytest.mark.parametrize(
    "text",
    [
        "The potassium is 6.8999999999999999999999999999112 mmol/L, up from 5.1 mmol/L.",
        f"The potassium is {'9' * SIZE}!",
        f"The potassium {'is 6.9, ' * (SIZE // 8)}!",
        f"The potassium {'is now ' * (SIZE // 7)}(",
        f"{'(' * SIZE} potassium 6.9",
        f"{'**a' * (SIZE // 3)} potassium 6.9",
        f"# {'a ' * (SIZE // 2)}",
        f"{'a-' * (SIZE // 2)}: no",
        f"{{{'{' * SIZE}",
        "\n".join(["- "] * (SIZE // 3)),
        f"{'not ' * (SIZE // 4)} allergic to penicillin, give amoxicillin",
        " " * SIZE,
        f"<{' ' * 5 * SIZE}1",
        f"Thought{' ' * 5 * SIZE}x",
        f"Disregard {'the potassium of 6.9 was haemolysed ' * (SIZE // 35)}",
        f"The potassium of 6.9 was {'not if the previous lab ' * (SIZE // 24)}error",
        f"The potassium is 6.9. {'No, sorry, actually ' * (SIZE // 20)}that was a lab error",
        f"The potassium is 6.9. That was {'clearly just an obvious ' * (SIZE // 24)}error",
    ],
    ids=lambda text: f"{text[:24]!r}",
)
async def test_it_is_read_to_its_end(text: str) -> None:
    exaim = EXAIM()
    await exaim.feed(Delta("doctor0", text, 0, 0.0))
    await exaim.feed(Delta("doctor0", "\nThe sodium is 104 mmol/L.", 1, 1.0))
    await exaim.turn_end("doctor0", 2, 2.0)
    updates = await exaim.finish(3.0)
    assert updates
