"""Choose a configured model for a case, and check that the case may leave the machine for it."""

from __future__ import annotations

from collections.abc import Mapping

from chat_models import lacks
from infra.egress import leaving
from routes.errors import ApiError
from routes.parts import Parts


def chosen(parts: Parts, name: str | None, environ: Mapping[str, str]) -> str:
    """Return the name of a model that can be asked; without a name the usual one. Raises: ApiError."""
    models = parts.team_models
    if not models:
        message = (
            "a case of your own wants a model, and the operator has configured none: name one under `teams` in "
            "EXAIM_MODELS, or set GROQ_API_KEY (docs/teams.md). A scripted case needs none"
        )
        raise ApiError(409, "no_model", message)
    wanted = next(iter(models)) if name is None else name
    if wanted not in models:
        raise ApiError(404, "unknown_model", f"there is no such model; those there are: {', '.join(models)}")
    if variable := lacks(models[wanted], environ):
        raise ApiError(409, "no_model", f"{wanted} can't be asked: the operator has not set {variable}")
    return wanted


def must_stay(parts: Parts, model: str | None, environ: Mapping[str, str]) -> None:
    """Raise ApiError 409 if anything that gets a word of the case is not on this machine."""
    team = () if model is None else (parts.team_models[model],)
    if gone := leaving(parts.settings, team, environ):
        message = (
            f"the case is to stay on this machine, and would leave it by {', '.join(gone)}. Nothing was sent"
        )
        raise ApiError(409, "leaves_machine", message)
