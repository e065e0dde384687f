"""Which treatments a sentence takes back, stops, holds or forbids.

The scope of each such wording is read to the end of its clause. What hangs on a condition ("stop it if …"),
supposes ("would have to stop"), limits ("no more than …") or denies the stop ("must not be delayed") takes
nothing back.
"""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from exaim_core.claims.claims import Claim
from exaim_core.lexicon.drugs import DRUG, drugs_meant, drugs_named
from exaim_core.lexicon.prose import THERAPY
from exaim_core.text.wording import key_words, word_count

_OBJECT: Final = r"(?P<what>[^.;:]{3,120})"
_WITHDRAWS: Final = re.compile(
    rf"\b(?:I|we) (?:(?:now|therefore|hereby|also|must|have to|would like to|want to) )*(?:withdraw|retract|take back|cancel|no longer (?:recommend|want|advise|propose|suggest|support))\b(?: my)?(?: (?:recommendation|proposal|suggestion|request|order|advice)s?)?(?: (?:for|of|to give|to start))? {_OBJECT}",
    re.IGNORECASE,
)
_STOPS: Final = re.compile(
    rf"(?:^|[,;:] |\band (?:then |also )?|\bplease |\b(?:must|should|to|now|will|and|therefore) )(?:immediately |now )?(?:stop|hold|withhold|avoid|discontinue|suspend|cease|omit|cancel|pause)(?:ping|ing)?:? {_OBJECT}",
    re.IGNORECASE,
)
_NOT_GIVEN: Final = re.compile(
    rf"\b(?:do not|don['’]t|never|must not|mustn['’]t|should not|shouldn['’]t|cannot|can['’]t|would not|wouldn['’]t|may not) (?:now |yet |be )?(?:give|use|start|restart|administer|prescribe|continue|infuse|load)\b:? {_OBJECT}",
    re.IGNORECASE,
)
_IS_STOPPED: Final = re.compile(
    r"(?:^|[.;:,] |\band |\bthat )(?P<what>[^.;:]{3,90}?),? (?:(?:is|are|be|being|seems?|remains?|stays?|stay|remain|(?:should|must|can|will|has to|have to|needs? to|ought to)(?: now)? be|is to be|are to be|is now|are now) (?:now |therefore |strictly |absolutely )?"
    r"(?:contra-?indicated|forbidden|stopped|held|withheld|withdrawn|discontinued|suspended|omitted|cancelled|avoided|off|on hold|out of the question|off limits|unsafe|dangerous|an? (?:bad|poor|wrong|dangerous) (?:idea|choice|option)|not (?:an option|options|to be (?:given|used|started)|needed|indicated|advisable|advised|safe|suitable|recommended|a good (?:idea|choice)))"
    r"|(?:must not|mustn['’]t|should not|shouldn['’]t|cannot|can['’]t|may not)(?: now| yet)? be (?:given|used|started|restarted|administered|continued)|(?:and )?(?:must|should) not be(?=\s*(?:[.,;]|\Z))|(?:is|are) no longer (?:needed|indicated|wanted|recommended|an option)|(?:can|should|may|must) stand down|stops?(?= now\b|[.,;]|\Z| (?:at once|immediately|and)\b)"
    r"|(?:has|have|had) to (?:stop|wait)|(?:must|should|can|will) wait|waits? (?:for|until)\b)",
    re.IGNORECASE,
)
_NO: Final = re.compile(
    r"(?:^|[;:] |\b(?:must|should|may|to|will) (?:have|get|receive|be given) |\bgive )no (?!(?:(?!\b(?:until|till|before|because|since)\b)[^.;:])*\b(?:(?:has|have|had) (?:yet )?been|was|were)\b)(?P<what>[^.;:]{3,90})",
    re.IGNORECASE,
)
_AND_NO: Final = re.compile(r"(?:, |\band )no (?P<what>[^.;:,]{3,60})", re.IGNORECASE)
_THINKS_NOT: Final = re.compile(
    r"\b(?:do not|don['’]t) (?:think|believe|feel) (?:that )?(?P<what>[^.;:,]{3,60}?) (?:is|are|would be) (?:an? )?(?:good|wise|safe|right|indicated|needed|helpful|appropriate|justified)\b|\b(?:I|we) (?:am|are|would be|advise|argue) (?:strongly )?against (?P<bare>[^.;:,]{3,60})",
    re.IGNORECASE,
)
# "it" or "that recommendation": what was named before it in the sentence.
_BACK: Final = re.compile(
    r"\b(?:stop|avoid|hold|withhold|omit|suspend|discontinue|(?:do not|don['’]t|never|must not|should not) (?:give|use|start)|(?:I|we|and) (?:\w+ )?(?:withdraw|retract|take back|cancel)) (?:it|them|both|(?:that|this|the|my) (?:recommendation|proposal|suggestion|order|advice|idea|plan)s?|that)\b(?! (?:of|for|to))",
    re.IGNORECASE,
)
_TAIL: Final = re.compile(
    r"\b(?:stop|avoid|hold|withhold|omit|suspend|discontinue|cease|cancel) (?:it|both|them|all(?: of them)?|this|these|that)\b",
    re.IGNORECASE,
)
_ANY: Final = re.compile(
    r"\b(?:no|not|never|\w+n['’]t|stop\w*|hold\w*|held|withh\w+|withdr\w+|avoid\w*|discontinu\w+|suspend\w*|cease|omit\w*|cancel\w*|paus\w+|retract|take back|contra\w*|"
    r"forbidden|off|against|out of|unsafe|dangerous|wait|waits|stand down|cannot)\b",
    re.IGNORECASE,
)
# A scope ends here: what follows is the time, the reason, or another order.
_SCOPE_END: Final = re.compile(
    r"\s*(?:,? (?:until|till|before|because|since|as|so that|which|who|but|where|while|whereas|for|due|at once|immediately|now|today|tonight|in view|in case|in favou?r|pending|after|and (?:give|start|use|then|instead|begin|add|call|continue|neither|nothing|I|we|he|she|the|it|ask|switch|change|treat)\b|instead|rather|to (?!give|start)|is|are|was|were|has|have)\b|\s[-–—]\s)",
    re.IGNORECASE,
)
_CONDITIONAL: Final = re.compile(
    r"\b(?:if|unless|were to|in case|whether|could|might|would (?!not\b)|when|whenever|should (?:he|she|they|it|the|this|that|there)\b|without|below|above|together with|at the same time|in combination|more than|less than|faster|longer than|only|either)\b",
    re.IGNORECASE,
)
_NOT_THE_DRUG: Final = re.compile(
    r"^(?:delay|more|less|other|reason|need|doubt|harm|change|further (?:delay|than)|contra|evidence|sign|history|known|longer|one|such|benefit|risk|objection|role yet|(?:a|an) (?:delay|history))\b|\b(?:allerg\w+|reactions?|contra-?indications?|interactions?|evidence|response|overdose|toxicity|intoleran\w+|levels?|delay\w*|(?:has|have|had) been|was|were|effects?|exposure)\b",
    re.IGNORECASE,
)
_SPLIT: Final = re.compile(r",\s*(?:and |or |nor )?|\s+(?:and|or|nor)\s+")
_QUANTITY_END: Final = re.compile(r"\s+\d.*\Z")
_EMPTY: Final = frozenset(
    key
    for word in "treatment therapy drug medication infusion dose it them both this that these those everything anything action patient surgeon team doctor plan test ruling result hospital ward nurse catheter laboratory theatre bed urgent emergency immediate".split()
    for key in key_words(word)
)


@lru_cache(maxsize=2048)
def taken_back(text: str, item: str = "") -> tuple[str, ...]:
    """Return what `text` takes back, stops or forbids, as written, each part on its own; () for nothing.

    `item` is the list item that the sentence explains: "stop it" is about that.
    """
    if text.endswith("?") or not _ANY.search(text):
        return ()
    head = text.split(": ", 1)[0] if _NO.match(text) else text
    scopes: list[str] = []
    if item and _TAIL.search(text) and not _CONDITIONAL.search(text):
        scopes.append(item)
    for clause in re.split(r"(?<=[.;])\s+|;\s+", head if head != text else text):
        for pattern in (_WITHDRAWS, _STOPS, _NOT_GIVEN, _IS_STOPPED, _NO):
            scopes += [match["what"] for match in pattern.finditer(clause) if not _hangs(clause, match.end())]
    parts: list[str] = []
    for back in _BACK.finditer(text):
        named = [*DRUG.finditer(text, 0, back.start()), *THERAPY.finditer(text, 0, back.start())]
        if named and not item and not _hangs(text, back.end()):
            parts.append(max(named, key=lambda match: match.start()).group())
    for match in _THINKS_NOT.finditer(text):
        scopes.append(match["what"] or match["bare"])
    scopes += [
        match["what"]
        for match in _AND_NO.finditer(text)
        if drugs_named(match["what"]) and not _hangs(text, match.end())
    ]
    for scope in scopes:
        end = _SCOPE_END.search(scope)
        for part in _SPLIT.split(scope[: end.start()] if end else scope):
            bare = part.strip(" ,.*")
            if bare and word_count(bare) <= 7 and not _NOT_THE_DRUG.search(bare):
                parts.append(bare)
    return tuple(dict.fromkeys(parts))


def _hangs(clause: str, end: int) -> bool:
    """Tell whether the order that ends at `end` hangs on a condition; what stands after "until" is a time."""
    rest = re.split(r"\b(?:until|till|before|because|since)\b", clause[end:])[0]
    return _CONDITIONAL.search(f"{clause[:end]}|{rest}") is not None


@lru_cache(maxsize=4096)
def is_about(part: str, order: str, explained: str = "") -> bool:
    """Tell whether `part`, which was taken back, is what `order` gives or does; `explained` is its whole text."""
    named = drugs_named(part)
    if named:
        return bool(named & drugs_meant(order))
    words = set(key_words(_QUANTITY_END.sub("", part)))
    telling = words - _EMPTY
    if telling and telling <= set(key_words(order)):
        return True
    return len(words) >= 2 and " ".join(key_words(part)) in " ".join(key_words(explained))


def withdraws_order(text: str) -> bool:
    """Tell whether the speaker takes back an order of its own in so many words."""
    return _WITHDRAWS.search(text) is not None or re.search(r"\band withdraw\b", text) is not None


def is_stop(order: str) -> bool:
    """Tell whether `order` itself stops or forbids something."""
    return bool(
        re.match(
            r"(?:stop|hold|withhold|avoid|discontinue|suspend|cease|omit|cancel|pause|no|do not|don['’]t|never)\b",
            order,
            re.IGNORECASE,
        )
    )


_BEYOND_GIVEN: Final = re.compile(
    r"\b(?:instead of|in place of|rather than|because|since|and (?:stop|hold|avoid|omit)|"
    r"without|not|never|avoid)\b",
    re.IGNORECASE,
)


def given(claim: Claim) -> str:
    """Return the words of an order that name what is given or done; "" for one that stops something."""
    words = claim.entity or claim.text
    if is_stop(words) or (not claim.entity and taken_back(claim.text, claim.raw)):
        return ""
    return _BEYOND_GIVEN.split(words, maxsplit=1)[0]
