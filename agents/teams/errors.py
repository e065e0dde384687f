"""The errors of teams, with what to do. No message holds a case's text or an agent's words.

TeamError
├── CaseRefused      the case can't be taken; `field` names the place
│   ├── CaseEmpty
│   ├── NothingToReason
│   ├── CaseTooLong
│   ├── NotFhir
│   ├── TwoPatients  its child SeemsTwo: a text, whose giver may say that it is one
│   └── NothingBorne
├── ScriptRefused    there is no such script, or it has no such line
├── PriceUnknown     money is bounded, and nobody says what the model costs
├── BadAnswer        an agent's answer can't be used; `agent`, `call` and `field` name it
└── NobodyAnswers    no agent can be asked any more, and nothing was said
"""

from __future__ import annotations

from collections.abc import Sequence


class TeamError(Exception):
    """Base of this package's failures."""


class CaseRefused(TeamError):
    """The case can't be taken as it is."""

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.field = field


class CaseEmpty(CaseRefused):
    """There is no case in it."""

    def __init__(self) -> None:
        super().__init__("the case is empty: say at least what the patient comes with")


class NothingToReason(CaseRefused):
    """The case says who the patient is, but no problem. `left_out`: what could not be taken over."""

    def __init__(self, left_out: Sequence[str] = ()) -> None:
        told = f" Not taken over: {'; '.join(left_out)}." if left_out else ""
        super().__init__(
            f"the case has no complaint, no finding and no condition: say at least what the patient comes with.{told}"
        )
        self.left_out = tuple(left_out)


class CaseTooLong(CaseRefused):
    """It is longer than the agents can be given with every question."""

    def __init__(self, chars: int, most: int) -> None:
        super().__init__(
            f"the case has {chars:,} characters, and {most:,} can be taken: leave out what is old"
        )
        self.chars, self.most = chars, most


class NotFhir(CaseRefused):
    """It is no FHIR R4 that can be read; `field` is the place that is wrong."""

    def __init__(self, why: str, field: str = "") -> None:
        super().__init__(f"this is no FHIR R4 Bundle that can be read: {why}", field)


class TwoPatients(CaseRefused):
    """It tells of several patients, and a team reasons about one."""

    def __init__(self, count: int, field: str) -> None:
        super().__init__(f"the case holds {count} patients: give one patient's records", field)
        self.count = count


class SeemsTwo(TwoPatients):
    """A text seems to introduce two patients. `places`: where they stand, (start, end) in characters.

    Whoever gives the text may say that all of it is about one.
    """

    def __init__(self, places: tuple[tuple[int, int], tuple[int, int]], lines: tuple[int, int]) -> None:
        super().__init__(2, "text")
        (first, _), (second, _) = places
        message = (
            f"the text seems to tell of two patients: one in line {lines[0]} (from character {first + 1} on), "
            f"another in line {lines[1]} (from character {second + 1} on). Give one patient's records; "
            "or say that all of it is about one patient (one_patient, --one-patient)"
        )
        self.args = (message,)
        self.places = places


class NothingBorne(CaseRefused):
    """A model made a paper of which the text bears nothing; `count` entries were left out."""

    def __init__(self, count: int) -> None:
        super().__init__(
            f"no paper could be made: of {count} entries that the model gave none stands in the text. Try another "
            "model, or give the team the text as it is",
            "text",
        )
        self.count = count


class ScriptRefused(TeamError):
    """A script is not there, or can't answer."""


class PriceUnknown(TeamError):
    """A budget of money wants a price for each model."""

    def __init__(self, model: str) -> None:
        super().__init__(
            f"nobody says what {model} costs: give its input_price and output_price in models.yaml, or a "
            "budget of tokens or time"
        )
        self.model = model


class BadAnswer(TeamError):
    """An agent's answer has not the form that was asked for."""

    def __init__(self, agent: str, call: str, field: str) -> None:
        super().__init__(f"{agent} answered {call} with a {field} that can't be used")
        self.agent, self.call, self.field = agent, call, field


class NobodyAnswers(TeamError):
    """No agent can be asked any more, and there is nothing to conclude from. `spent`: for want of a budget."""

    def __init__(self, *, spent: bool = False) -> None:
        what = "the budget is spent: give a larger one" if spent else "check the models (docs/teams.md)"
        super().__init__(f"no agent could be asked: {what}, then start again")
        self.spent = spent
