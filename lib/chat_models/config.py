"""Which model each role asks: the packaged YAML, then a file of the user's, then the environment.

Pure but for reading the files: the environment is an argument.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from importlib import resources
from pathlib import Path
from typing import Any, Final, Self
from urllib.parse import urlsplit

STRUCTURED: Final = ("json_schema", "function_calling", "json_mode", "text")


class _Named(StrEnum):
    @classmethod
    def of(cls, name: str) -> Self:
        """Return the one of that name, in any case. Raises ValueError naming all of them."""
        try:
            return cls(name.lower())
        except ValueError:
            what = cls.__name__.removeprefix("LLM").lower()
            raise ValueError(f"there is no {what} {name!r}; {what}s are {', '.join(cls)}") from None


class LLMRole(_Named):
    """What a model is asked for."""

    MAS = "mas"
    SUMMARIZER = "summarizer"
    BUFFER_AGENT = "buffer_agent"
    DIALOGUE = "dialogue"
    READER = "reader"


class Provider(_Named):
    """Who serves a model. `openai` is any service that speaks OpenAI's chat completions."""

    GOOGLE = "google"
    GROQ = "groq"
    OPENAI = "openai"
    ANTHROPIC = "anthropic"


NO_MODEL: Final = {
    LLMRole.SUMMARIZER: "EXAIM_ENGINE=lexical",
    LLMRole.BUFFER_AGENT: "EXAIM_JUDGE=lexical",
    LLMRole.DIALOGUE: "EXAIM_DIALOGUE=lexical",
    LLMRole.READER: "EXAIM_ENGINE=lexical",
}
"""The setting by which a role asks no model; the role of somebody's own agents has none."""

KEY_VARIABLE: Final = {each: f"{each.upper()}_API_KEY" for each in Provider}
URL_VARIABLE: Final = {each: f"{each.upper()}_BASE_URL" for each in Provider}
MODEL_VARIABLE: Final = {each: f"{each.upper()}_MODEL" for each in Provider} | {
    Provider.GOOGLE: "GOOGLE_MODEL_NAME"
}
HOST: Final = {
    Provider.GOOGLE: "generativelanguage.googleapis.com",
    Provider.GROQ: "api.groq.com",
    Provider.OPENAI: "api.openai.com",
    Provider.ANTHROPIC: "api.anthropic.com",
}
"""Where the words go where no address is given."""
KNOWN: Final = frozenset(
    {"provider", "model", "base_url", "temperature", "structured", "streaming", "input_price", "output_price"}
)
PARTS: Final = ("roles", "providers", "readers", "teams")
NAMED: Final = ("readers", "teams")
MODEL_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSpec:
    """One role's model. `streaming`: whether it can give its answer token by token.

    The prices are for a million tokens, in any one currency; None where the file gives none.
    """

    role: LLMRole
    provider: Provider
    model: str
    base_url: str | None = None
    temperature: float = 0.0  # the core document's, for judge and summariser
    structured: str = "json_schema"
    streaming: bool = True
    input_price: float | None = None
    output_price: float | None = None

    @property
    def host(self) -> str:
        """Return the host to which the words go, without a name and a password."""
        return (urlsplit(self.base_url).netloc.rpartition("@")[2] if self.base_url else "") or HOST[
            self.provider
        ]

    @property
    def prices(self) -> tuple[float, float] | None:
        """Return what a million tokens cost in and out; None if that is not known."""
        if self.input_price is None or self.output_price is None:
            return None
        return self.input_price, self.output_price


def read_readers(environ: Mapping[str, str], path: Path | None = None) -> Mapping[str, ModelSpec]:
    """Return the models that may read the agents' words, by name, the usual one first; none are packaged.

    They are the file's `readers`; else the role `reader`, if the file or the environment gives it a model.

    Raises: as `read_models`.
    """
    defaults, given = _files(path)
    named = given.get("readers") or {}
    if named:
        return _named(LLMRole.READER, "readers", defaults, given, environ)
    own = _entry(given, "roles", LLMRole.READER)
    if not own and not any(environ.get(f"READER_LLM_{part}") for part in ("PROVIDER", "MODEL")):
        return {}
    return {LLMRole.READER.value: _spec(LLMRole.READER, defaults, given, environ)}


def read_teams(environ: Mapping[str, str], path: Path | None = None) -> Mapping[str, ModelSpec]:
    """Return the models that teams of ours may be started with by name, the usual one first.

    They are the file's `teams`; else the role `mas`, under that name, if anything says where it is: a model or an
    address of the role's own, or its provider's key.

    Raises: as `read_models`.
    """
    defaults, given = _files(path)
    if given.get("teams"):
        return _named(LLMRole.MAS, "teams", defaults, given, environ)
    spec = _spec(LLMRole.MAS, defaults, given, environ)
    own = _entry(given, "roles", LLMRole.MAS)
    told = own or any(environ.get(f"MAS_LLM_{part}") for part in ("PROVIDER", "MODEL"))
    return {LLMRole.MAS.value: spec} if told or not lacks(spec, environ) else {}


def lacks(spec: ModelSpec, environ: Mapping[str, str]) -> str:
    """Return the variable of the key that a model wants and that is not set; "": it can be asked."""
    variable = KEY_VARIABLE[spec.provider]
    if environ.get(variable) or (spec.provider is Provider.OPENAI and spec.base_url is not None):
        return ""
    return variable


def _named(
    role: LLMRole,
    part: str,
    defaults: Mapping[str, Any],
    given: Mapping[str, Any],
    environ: Mapping[str, str],
) -> Mapping[str, ModelSpec]:
    """Return the models of a part of the file that has names of the operator's own, each as the role's."""
    return {
        name: _spec(role, defaults, {**given, "roles": {role.value: _entry(given, part, name)}}, environ)
        for name in given[part]
    }


def _files(path: Path | None) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what the packaged file says, and what the user's does."""
    packaged = resources.files("chat_models").joinpath("models.yaml").read_text(encoding="utf-8")
    given = _parsed(path.read_text(encoding="utf-8"), path.name) if path is not None else {}
    return _parsed(packaged, "models.yaml"), given


def read_models(environ: Mapping[str, str], path: Path | None = None) -> Mapping[LLMRole, ModelSpec]:
    """Return every role's model.

    Raises: ValueError: the file or a variable names what there is not, with the choices; OSError: the file
    can't be read.
    """
    defaults, given = _files(path)
    return {role: _spec(role, defaults, given, environ) for role in LLMRole}


def _parsed(text: str, name: str) -> dict[str, Any]:
    import yaml  # only who uses models needs it

    try:
        found = yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader)) or {}
    except yaml.YAMLError:
        raise ValueError(f"{name} is not YAML") from None
    if not isinstance(found, dict) or not found.keys() <= set(PARTS):
        raise ValueError(f"{name} may hold `roles`, `providers`, `readers` and `teams` only")
    for part in NAMED:
        for each in found.get(part) or {}:
            if not MODEL_NAME.fullmatch(str(each)):
                raise ValueError(
                    f"a {part.removesuffix('s')}'s name in {name} may hold letters, digits, '.', '_' and '-', up to 40"
                )
    for role in found.get("roles") or {}:
        LLMRole.of(role)
    for provider in found.get("providers") or {}:
        Provider.of(provider)
    return found


def _spec(
    role: LLMRole, defaults: Mapping[str, Any], given: Mapping[str, Any], environ: Mapping[str, str]
) -> ModelSpec:
    own, by_role = _entry(given, "roles", role), _entry(defaults, "roles", role)
    if own.get("provider", by_role["provider"]) != by_role["provider"]:
        by_role = {}
    by_role = {**by_role, **own}
    named = environ.get(f"{role.upper()}_LLM_PROVIDER") or str(by_role["provider"])
    provider = Provider.of(named)
    if provider != by_role["provider"]:
        by_role = {}  # another provider: its own defaults, never the other one's model or address
    by_provider = {**_entry(defaults, "providers", provider), **_entry(given, "providers", provider)}
    found = {**by_provider, **by_role}
    model = (
        environ.get(f"{role.upper()}_LLM_MODEL")
        or by_role.get("model")
        or environ.get(MODEL_VARIABLE[provider])
        or by_provider["model"]
    )
    structured = str(found.get("structured", "text"))
    if structured not in STRUCTURED:
        raise ValueError(f"structured of {role} is {structured!r}; it may be {', '.join(STRUCTURED)}")
    return ModelSpec(
        role=role,
        provider=provider,
        model=str(model),
        base_url=found.get("base_url") or environ.get(URL_VARIABLE[provider]) or None,
        temperature=float(found.get("temperature", 0.0)),
        structured=structured,
        streaming=bool(found.get("streaming", True)),
        input_price=_price(found.get("input_price")),
        output_price=_price(found.get("output_price")),
    )


def _price(value: Any) -> float | None:
    return None if value is None else float(value)


def _entry(source: Mapping[str, Any], part: str, name: str) -> dict[str, Any]:
    entry = (source.get(part) or {}).get(name) or {}
    if not isinstance(entry, dict) or not entry.keys() <= KNOWN:
        raise ValueError(f"{part}.{name} may hold {', '.join(sorted(KNOWN))} only")
    return dict(entry)
