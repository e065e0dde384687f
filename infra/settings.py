"""The one reader of the environment and of `.env`.

Order: an argument, then the environment, then `.env` in the working directory, then the default here.
`exaim up` reads these once, fills in what it starts itself (`livekit_url`, `redis_url`, `engines_socket`),
and hands all of it to its children by `Settings.environment()`; a child just calls `load_settings()`.
`.env.example` explains each variable.
"""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Final, Literal
from urllib.parse import urlsplit

from pydantic import AliasChoices, Field, ValidationError, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from infra.model_folder import make_of
from infra.sfu_port import GRACE_S, is_address

ROOT: Final = Path(__file__).resolve().parent.parent
"""The checkout: where `cases/` and `web/dist/` lie."""

PREFIX: Final = "EXAIM_"
UNPREFIXED: Final = {
    "livekit_url": "LIVEKIT_URL",
    "livekit_api_key": "LIVEKIT_API_KEY",
    "livekit_api_secret": "LIVEKIT_API_SECRET",
    "redis_url": "REDIS_URL",
    "database_url": "DATABASE_URL",
    "cases": "CASES",
    "deepgram_api_key": "DEEPGRAM_API_KEY",
}
"""Names that other tools of this field use too, so they carry no prefix of ours."""

_READ_ELSEWHERE: Final = frozenset(
    f"{PREFIX}{name}" for name in ("KEY", "LIVEKIT_SERVER", "CHROMIUM", "LIVE", "PYTHON_CHOSEN")
)
_OF_TESTS: Final = f"{PREFIX}TESTS_"

LOOPBACK_HOSTS: Final = frozenset({"127.0.0.1", "::1", "localhost"})


WILDCARDS: Final = frozenset({"0.0.0.0", "::", ""})
"""Addresses that bind all of a machine's."""


def is_loopback(host: str) -> bool:
    """Return whether an address, or a name, is reached from this machine only."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() in LOOPBACK_HOSTS


class SettingsError(Exception):
    """A variable holds something that can't be used; the message names the variable, not its value."""


def _named(field: str) -> AliasChoices:
    return AliasChoices(field, UNPREFIXED[field])


class Settings(BaseSettings):
    """Every setting of every process. Paths may be relative to the working directory."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_file=".env",
        env_file_encoding="utf-8",
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        populate_by_name=True,
    )

    livekit_url: str = Field("", validation_alias=_named("livekit_url"))
    """ws:// or wss:// URL of the SFU as our processes reach it. Empty: `exaim up` starts one."""
    livekit_public_url: str | None = None
    """The same SFU as the clinician's page reaches it, where that differs."""
    livekit_api_key: str = Field("", validation_alias=_named("livekit_api_key"))
    livekit_api_secret: str = Field("", validation_alias=_named("livekit_api_secret"), repr=False)
    redis_url: str = Field("", validation_alias=_named("redis_url"), repr=False)
    """redis://, rediss:// or unix:// URL of the store. Empty: `exaim up` starts one."""
    database_url: str = Field("", validation_alias=_named("database_url"), repr=False)
    """postgresql:// or sqlite:// URL of what is kept of ended sessions. Empty: a file in `run_dir`."""
    record: bool = True
    """Whether anything of a session that is over is kept in the database."""
    record_days: int = Field(30, ge=0, le=36_500)
    """For how many days it is kept there; 0: until somebody deletes it."""
    report_days: int = Field(30, ge=1, le=36_500)
    """For how many days a session's secret lets its holder read the report, from when it was made."""
    engines_socket: Path = Path(".run/engines.sock")
    """Unix socket of the engines process (voice and ears)."""
    cases: Annotated[tuple[Path, ...], NoDecode] = Field((ROOT / "cases",), validation_alias=_named("cases"))
    """Trace files, or folders of them; several are joined with ':' in the environment."""
    tls_cert: Path | None = None
    """Certificate chain (PEM) with which the API serves TLS itself; goes with `tls_key`."""
    tls_key: Path | None = Field(None, validate_default=True)
    public_url: str = ""
    """https:// address under which browsers reach it, where TLS ends in front of it. Links are made of it."""
    api_host: str = "127.0.0.1"
    """Address the API binds. Off loopback only with `tls_cert` or `public_url`."""
    opener_key: str = Field("", pattern=r"^([!-~]{43,512})?$", repr=False)
    """What keys to open sessions with are signed with. Empty: `exaim up` makes one, anew at each start."""
    api_port: int = Field(8080, ge=0, le=65_535)
    """0: `exaim up` takes any free port and says which."""
    run_dir: Path = Path(".run")
    """What a running stack keeps: sockets, logs, the generated key, the store's data."""
    web_dist: Path = ROOT / "web" / "dist"
    """The built page."""
    engine: Literal["auto", "llm", "lexical"] = "auto"
    """Who reads the agents' words: `auto`, a chat model if the operator has named one, else rules; `lexical`, rules
    alone. `llm`: a model must be there, and it writes the page's six fields as well (docs/llm.md)."""
    read_s: float = Field(8.0, ge=1.0, le=120.0)
    """How long a model may read one segment, in seconds, before its own pace is known."""
    judge: Literal["lexical", "llm"] = "lexical"
    """Who says when an update is due: rules, or a chat model beside them (docs/llm.md)."""
    dialogue: Literal["lexical", "llm"] = "lexical"
    """Who is asked where rules find no answer to a question: nobody, or a chat model (docs/llm.md)."""
    encoder: Literal["minilm", "none"] = "minilm"
    """What finds sentences by their meaning, beside their words, on this machine (docs/dialogue.md)."""
    models: Path | None = None
    """A YAML file that says which chat model each role asks, over the packaged one."""
    voice: Literal["piper", "google", "deepgram"] = "piper"
    """Who speaks: this machine, or a cloud service, which then gets the text of all that is said
    (docs/cloud.md)."""
    voice_name: str = ""
    """The service's own name of one of its voices. Empty: the one that its adapter names."""
    voice_url: str = ""
    """Another address of the service: a region's, or a test's on loopback. Empty: the vendor's own."""
    voice_second: Literal["none", "google", "deepgram"] = "none"
    """Which other service is asked, before this machine, for a clause that the first can't say: it then gets
    text too (docs/cloud.md)."""
    voice_second_url: str = ""
    """Another address of that one."""
    google_tts_api_key: str = Field("", repr=False)
    """Empty: the machine's own Google credentials."""
    ears: Literal["local", "deepgram"] = "local"
    """Who writes down what the clinician says: this machine alone, or Deepgram Flux beside it, which then
    gets the clinician's voice (docs/cloud.md)."""
    ears_second: Literal["whisper", "none"] = "whisper"
    """Who is asked, on this machine, of a turn that its first recogniser did not make out (docs/ears.md)."""
    ears_echo: Literal["cancel", "none"] = "cancel"
    """Whether our own voice is taken out of the clinician's microphone before anything hears it (docs/ears.md)."""
    ears_model: Path | None = None
    """Folder of a larger recogniser, Whisper's or Moonshine's (docs/ears.md). Empty: the packaged ones."""
    verbosity: Literal["brief", "normal", "full"] = "normal"
    """How much of what the agents say is told at first: a quarter, a half or eight tenths of a minute. The
    clinician changes it by voice or on the page."""
    start_method: Literal["forkserver", "spawn"] = "forkserver"
    """How engines, worker, reasoner and teams start, in the words of Python's multiprocessing. `forkserver`: as forks
    of one process that has all loaded and waits (Linux); what they share is in memory once, and one that died is
    followed without loading (docs/running.md). `spawn`: as programs that load for themselves, as elsewhere."""
    ears_url: str = Field("", pattern=r"^(https://[^/]+|http://(127\.0\.0\.1|localhost)(:\d+)?)?$")
    """Another address of the service, without a path; http:// on loopback only. Empty: the vendor's own."""
    deepgram_api_key: str = Field("", validation_alias=_named("deepgram_api_key"), repr=False)
    max_sessions: int = Field(4, ge=1, le=100)
    """Sessions at once on this machine. On two cores four voices at once had gaps of 30 ms at most; with 8
    the one synthesiser fell behind by seconds."""
    log_mib: int = Field(128, ge=16, le=65_536)
    """Agents' words of all sessions together in the store, in MiB: half of what the embedded one holds. The
    other half is for what is made of them, and a reserve (docs/security.md)."""
    grace_s: float = Field(float(GRACE_S), ge=5.0, le=float(GRACE_S))
    """How long a session waits for its clinician; then its room ends, and it can be opened again."""
    speed: float = Field(1.0, gt=0.0, le=100.0)
    """How fast a recorded case runs; 1.0 is as it was recorded."""
    allowed_hosts: Annotated[tuple[str, ...], NoDecode] = ()
    """Host names (and origins' hosts) that the API serves besides loopback; several are joined with ','."""
    log_level: str = Field("INFO", pattern="^(DEBUG|INFO|WARNING|ERROR)$")
    record_dir: Path | None = None
    """For demos and benches: each session's whole track goes there as it left us. Holds clinical speech."""
    ready_file: Path | None = None
    """Set by `exaim up` for each child: the file that it creates once it is ready to work."""

    @field_validator("cases", mode="before")
    @classmethod
    def _split_cases(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        return tuple(Path(os.path.expanduser(part)) for part in value.split(os.pathsep) if part)

    @field_validator("allowed_hosts", mode="before")
    @classmethod
    def _split_hosts(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        return tuple(part.strip() for part in value.split(",") if part.strip())

    @field_validator("tls_key")
    @classmethod
    def _with_its_certificate(cls, value: Path | None, info: ValidationInfo) -> Path | None:
        if (value is None) != (info.data.get("tls_cert") is None):
            raise ValueError("a certificate and its key go together: set EXAIM_TLS_CERT and EXAIM_TLS_KEY")
        return value

    @field_validator("public_url")
    @classmethod
    def _from_outside(cls, value: str) -> str:
        if not value:
            return value
        url = urlsplit(value.strip())
        if url.scheme != "https" or not url.hostname or url.path.strip("/") or url.query or url.fragment:
            raise ValueError("it is no address such as https://voice.example.org, without a path")
        return f"https://{url.netloc.lower()}"

    @field_validator("api_host")
    @classmethod
    def _not_naked(cls, value: str, info: ValidationInfo) -> str:
        if is_loopback(value) or info.data.get("tls_cert") or info.data.get("public_url"):
            return value
        raise ValueError(
            "off loopback, patients' text and keys would go over the network in the clear. Set "
            "EXAIM_TLS_CERT and EXAIM_TLS_KEY, or EXAIM_PUBLIC_URL=https://… if TLS ends in front of it; or "
            "leave it on 127.0.0.1"
        )

    @field_validator("ears_model")
    @classmethod
    def _a_recogniser(cls, value: Path | None) -> Path | None:
        if value is None:
            return None
        folder = value.expanduser().absolute()
        make_of(folder)  # NoModel is a ValueError, and says what to do
        return folder

    @field_validator("voice_second")
    @classmethod
    def _another_one(cls, value: str, info: ValidationInfo) -> str:
        if value != "none" and info.data.get("voice") in ("piper", value):
            raise ValueError("it stands behind another service: set EXAIM_VOICE to that one")
        return value

    @field_validator("voice_url", "voice_second_url")
    @classmethod
    def _not_in_the_clear(cls, value: str) -> str:
        if "://" not in value:
            return value  # a host name; its adapter asks it by TLS
        url = urlsplit(value.strip())
        if url.scheme == "https" or (url.scheme == "http" and url.hostname in LOOPBACK_HOSTS):
            return url.geturl()
        raise ValueError("what is said of a patient goes by https://; http:// is for loopback only")

    @field_validator("livekit_public_url")
    @classmethod
    def _reachable(cls, value: str | None) -> str | None:
        if value and not is_address(value):
            raise ValueError("it is no address such as wss://voice.example.org")
        return value

    @field_validator("log_level", mode="before")
    @classmethod
    def _upper(cls, value: Any) -> Any:
        return value.upper() if isinstance(value, str) else value

    @property
    def secure(self) -> bool:
        """Whether browsers reach it by TLS."""
        return self.tls_cert is not None or bool(self.public_url)

    @property
    def hosts(self) -> tuple[str, ...]:
        """All names besides loopback under which it may be asked for, each with its port or without."""
        bound = () if is_loopback(self.api_host) or self.api_host in WILDCARDS else (self.api_host,)
        public = (urlsplit(self.public_url).netloc,) if self.public_url else ()
        return (*self.allowed_hosts, *bound, *public)

    @property
    def records_url(self) -> str | None:
        """Where sessions that are over are kept, or None: nowhere."""
        if not self.record:
            return None
        return self.database_url or f"sqlite:///{(self.run_dir / 'records' / 'records.db').absolute()}"

    def environment(self) -> dict[str, str]:
        """Return the variables from which a child process reads the same settings; paths made absolute."""
        found = {}
        for name in type(self).model_fields:
            text = _as_text(getattr(self, name))
            if text:
                found[variable(name)] = text
        return found

    def announce_ready(self) -> None:
        """Tell whoever started this process that it is ready to work: creates `ready_file`, if one is set."""
        if self.ready_file is not None:
            self.ready_file.touch()


def variable(field: str) -> str:
    """Return the environment's name of a setting: `api_port` is `EXAIM_API_PORT`."""
    return UNPREFIXED.get(field, f"{PREFIX}{field.upper()}")


def unknown_variables(names: Iterable[str]) -> tuple[str, ...]:
    """Return a line for each of `names` that has our prefix and is read by nobody: it may be misspelt."""
    known = {variable(field) for field in Settings.model_fields} | _READ_ELSEWHERE
    unknown = [
        name
        for name in sorted({each.upper() for each in names})
        if name.startswith(PREFIX) and name not in known and not name.startswith(_OF_TESTS)
    ]
    return tuple(
        f"{name} is no variable of EXAIM Voice, and changes nothing"
        + (f"; {meant} is one" if (meant := _meant(name, known)) else "; .env.example has them all")
        for name in unknown
    )


def _meant(name: str, known: Iterable[str]) -> str:
    """Return the variable that an unknown `name` is most like; "" if none is."""
    bare = name.removeprefix(PREFIX)
    if bare in UNPREFIXED.values():
        return bare
    ours = [each.removeprefix(PREFIX) for each in known if each.startswith(PREFIX)]
    return next((f"{PREFIX}{each}" for each in get_close_matches(bare, ours, n=1)), "")


def _as_text(value: object) -> str:
    match value:
        case None:
            return ""
        case Path():
            return str(value.absolute())
        case tuple():
            joiner = os.pathsep if any(isinstance(part, Path) for part in value) else ","
            return joiner.join(_as_text(part) for part in value)
        case _:
            return str(value)


def load_settings(**given: Any) -> Settings:
    """Read the settings; `given` values win over environment and `.env`.

    Raises: SettingsError: a variable, or `.env`, can't be used.
    """
    try:
        return Settings(**given)
    except ValidationError as error:
        wrong = "; ".join(_complaint(found["loc"], found["msg"]) for found in error.errors())
        raise SettingsError(f"{wrong}. .env.example says what each variable may hold.") from None
    except UnicodeDecodeError:
        raise SettingsError(".env is no UTF-8 text; save it as UTF-8") from None
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise SettingsError(f".env can't be read ({why}); mend its rights, or move it away") from None


def _complaint(where: tuple[int | str, ...], what: str) -> str:
    first = str(where[0]) if where else ""
    name = first if first in UNPREFIXED.values() else variable(first)
    what = what.removeprefix("Value error, ")  # pydantic's word for what our own checks raise
    return f"{name}: {what[:1].lower()}{what[1:]}"
