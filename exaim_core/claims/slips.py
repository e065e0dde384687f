"""Find where a speaker puts the own value right in the same breath: which number is the wrong one."""

from __future__ import annotations

import re
from typing import Final

from exaim_core.lexicon.withdrawn import blank


def without_slip(sentence: str) -> str:
    """Return `sentence` with blanks for "should" before a right value, and for the speaker's own wrong one."""
    sentence = _SHOULD.sub(lambda should: " " * len(should.group()), sentence)
    slip = MISGIVEN.search(sentence)
    return blank(sentence, [slip.span("wrong")]) if slip is not None else sentence


_SHOULD: Final = re.compile(
    r"\bshould (?:have )?(?=read\b[^,;\d]{0,24}\d[\d./]*(?: ?[^\W\d][\w/%]*)?,? (?:and )?"
    r"(?:not|instead of|rather than) (?:the )?\d)",
    re.IGNORECASE,
)
"""Before the right value, beside the wrong one: "should read 4.9, not 6.9".

"It should be 4.9, not 6.9" may be an aim.
"""
MISGIVEN: Final = re.compile(
    r"\b(?:I|we)(?: have| had|['’]ve|['’]d)? (?:gave|given|wrote|written|put|read|misread|typed|entered|called|quoted|"
    r"copied)(?: down)? (?P<what>[^;.,\d]{2,40}?) (?:down )?as (?P<wrong>\d[\d./]*)[^;.,\d]{0,15}"
    r"(?:\s?[;,–—-]|\.(?=\s))\s*(?:(?:but|sorry|and|in fact|actually) )*(?:it|that|which) "
    r"(?:is|reads|should (?:be|read))(?: (?:really|actually|in fact))? (?P<right>\d[\d./]*)",
    re.IGNORECASE,
)
"""A speaker's own slip: "I gave the potassium as 6.9; it is 4.9"."""
