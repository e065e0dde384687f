"""How a word is meant: denied, long past, only thought of, or about somebody else.

A small reading of ConText (Harkema et al., J Biomed Inform 2009;42:839-51): trigger phrases before
or after the word open a scope that ends at a terminator or at the sentence's end. The lists are
our own and short; what they miss is in docs/engine.md.
"""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final


@dataclass(frozen=True, slots=True)
class Context:
    """What holds for a word in its sentence."""

    negated: bool = False
    historical: bool = False
    hypothetical: bool = False
    family: bool = False

    @property
    def affirmed(self) -> bool:
        """Tell whether the word is said of this patient, now, as a fact."""
        return not (self.negated or self.historical or self.hypothetical or self.family)


def any_of(*phrases: str) -> re.Pattern[str]:
    """Return a pattern that finds one of `phrases` as whole words, in any case."""
    return re.compile(r"(?<![\w-])(?:" + "|".join(phrases) + r")(?![\w-])", re.IGNORECASE)


_PSEUDO: Final = any_of(r"not only", r"no (?:change|increase|decrease|doubt|improvement)", r"not (?:certain|sure) (?:if|whether)",
                      r"not (?:necessarily|rule out|been ruled out|excluded|yet excluded)", r"without (?:delay|treatment)", r"cannot be (?:ruled out|excluded)",
                      r"(?:can|could) ?not (?:rule out|exclude)", r"not (?:to )?be (?:missed|overlooked|delayed|dismissed)")  # fmt: skip
_REMINDS: Final = any_of(r"not (?:to )?(?:forget|overlook|ignore)(?: that)?", r"never forget(?: that)?")
_NEGATE_BEFORE: Final = any_of(r"no", r"not", r"n[o']t", r"without", r"den(?:y|ies|ied)", r"absence of", r"absent", r"negative for", r"never", r"neither",
                             r"nor", r"free of", r"lacks?", r"lacking", r"exclud(?:es|ed)", r"rules? out", r"ruled out", r"rather than", r"unlikely(?: to be)?",
                             r"(?:is|are|was|were|does|do|did|has|have|had|would|should)n[’']t", r"no (?:clear |current )?(?:evidence|signs?|suggestion|features?) of",
                             r"argues? against", r"against", r"fails? to (?:show|reveal|demonstrate)")  # fmt: skip
_NEGATE_AFTER: Final = any_of(r"(?:is|was|are|were|has been|have been)? ?(?:ruled out|excluded|unlikely|absent|negative|not (?:present|seen|found|evident|detected|likely))",
                            r"(?:has|have) not (?:occurred|developed)", r"can be (?:ruled out|excluded)", r"(?:seems?|appears?) unlikely")  # fmt: skip
_HISTORY: Final = any_of(r"history of", r"previous(?:ly)?", r"prior", r"past", r"last (?:year|month|week)", r"in (?:\w+ )?(?:19|20)\d\d", r"(?:years?|months?|weeks?) ago",
                       r"formerly", r"in (?:his|her|their) (?:teens|twenties|thirties|forties|fifties|sixties|seventies|youth)", r"earlier episode", r"survived", r"had (?:a|an)", r"childhood", r"remote", r"since (?:19|20)\d\d", r"status post")  # fmt: skip
_HYPOTHESIS: Final = any_of(r"if", r"could", r"may", r"might", r"can", r"would", r"should", r"possib(?:le|ly|ility of)", r"risks?(?: of| for)?", r"to rule out", r"rule out",
                          r"ruling out", r"consider(?:ed|ing)?", r"suspect(?:ed|ing)?", r"suspicion(?: of| for)?", r"concerns?(?: for| of| about)?", r"potential(?:ly)?", r"unless",
                          r"in case(?: of)?", r"monitor(?:ing)? for", r"watch for", r"prevent(?:s|ing|ion of)?", r"avoid(?:s|ing)?", r"lead(?:s|ing)? to", r"results? in", r"such as",
                          r"e\.g\.", r"differentials?", r"commonly", r"typically", r"usually", r"often", r"associated with", r"characteri[sz]ed by", r"whether", r"exclude", r"likely",
                          r"likelihood of", r"predispos\w+ to", r"complications?", r"develops?", r"were to", r"until", r"before any", r"probab(?:le|ly)", r"query", r"think of",
                          r"evaluat\w+ for", r"screen(?:ing)? for", r"assess(?:ing)? for", r"test(?:ing)? for", r"look(?:ing)? for", r"any", r"when", r"once", r"or if", r"threaten(?:s|ed)?",
                          r"differentiat\w+", r"distinguish\w*", r"similar to", r"mimic\w*")  # fmt: skip
_FAMILY: Final = any_of(r"mother(?:'s|’s)?", r"father(?:'s|’s)?", r"parents?(?:'|’)?", r"siblings?", r"brother(?:'s|’s)?", r"sister(?:'s|’s)?", r"grand\w+", r"uncle", r"aunt", r"cousin",
                      r"family history(?: of)?", r"famil(?:y|ial) members?", r"relatives?", r"son", r"daughter", r"twin")  # fmt: skip
_STOPS: Final = re.compile(
    r"(?<!\w)(?:but|however|although|though|except|yet|nevertheless|which|whereas|while)(?!\w)|[;:](?=\s)|[.?!](?=\s|\Z)|,\s+(?:and|so)(?=\s+(?:this|she|he|it|the|there)\b)",
    re.IGNORECASE,
)
_PAST_ONSET: Final = re.compile(r"\b(?:now|today|currently|this (?:morning|is))\b", re.IGNORECASE)


@lru_cache(maxsize=2048)
def context_of(sentence: str, start: int, end: int) -> Context:
    """Return how the words at [start, end) of `sentence` are meant."""
    left = 0
    for stop in _STOPS.finditer(sentence, 0, start):
        left = stop.end()
    stop_after = _STOPS.search(sentence, end)
    right = stop_after.start() if stop_after else len(sentence)
    before, after = (
        _PSEUDO.sub(_blank, _REMINDS.sub(_blank, part))
        for part in (sentence[left:start], sentence[end:right])
    )
    if any(
        map(str.isdigit, sentence[start:end])
    ):  # "no ECG changes, potassium 6.9": a value is no item of a list
        near = before[before.rfind(",") + 1 :]
    else:
        near = before
    near = " ".join(near.split()[-9:])
    negated = _NEGATE_BEFORE.search(near) is not None or _NEGATE_AFTER.search(after[:60]) is not None
    historical = (
        _HISTORY.search(near) is not None or _HISTORY.search(after[:40]) is not None
    ) and not _PAST_ONSET.search(before)
    hypothetical = (
        _HYPOTHESIS.search(before) is not None
        or re.match(r"\s*(?:if|unless|could|may|might)\b", after) is not None
    )
    hypothetical = (
        hypothetical or _PSEUDO.search(sentence[left:right]) is not None or sentence.rstrip().endswith("?")
    )
    return Context(negated, historical, hypothetical, _FAMILY.search(before) is not None)


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())
