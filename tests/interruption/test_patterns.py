from __future__ import annotations

import pytest

from realtime.interruption.patterns import MOST, BadPattern, expand

CLASSES = {"item": ["one", "[key] point"], "it": ["it", "that"]}


@pytest.mark.parametrize(
    ("pattern", "phrases"),
    [
        ("stop", ("stop",)),
        ("go [back] (on|there)", ("go back on", "go back there", "go on", "go there")),
        ("the next {item}", ("the next one", "the next key point", "the next point")),
        ("skip [{it}|to the {item}]", ("skip it", "skip that", "skip to the one", "skip to the key point",
                                       "skip to the point", "skip")),
        ("[now]", ("now",)),
    ],
)  # fmt: skip
def test_a_pattern_stands_for_each_of_its_phrases(pattern: str, phrases: tuple[str, ...]) -> None:
    assert set(expand(pattern, CLASSES)) == set(phrases)


@pytest.mark.parametrize("pattern", ["go (on", "go on)", "[go", "{nothing}", "{item"])
def test_what_cannot_be_read_is_refused_with_the_pattern(pattern: str) -> None:
    with pytest.raises(BadPattern, match=r"go|item|nothing"):
        expand(pattern, CLASSES)


def test_a_pattern_that_stands_for_too_much_is_refused() -> None:
    wide = " ".join(["(a|b|c|d|e|f|g|h|i|j)"] * 4)
    with pytest.raises(BadPattern, match=str(MOST)):
        expand(wide, {})
