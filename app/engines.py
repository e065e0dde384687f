"""The engines process: one per machine, with the voice and the ears that all sessions share.

    python -m app.engines --socket PATH [--no-ears] [--no-second] [--ears-model FOLDER] [--die-with-parent]

Exit codes: 0 after SIGTERM or SIGINT, 4 if the socket belongs to a living engines process or is no
socket, 5 if FOLDER holds no model. Each engine has one thread and one queue of jobs that goes round the
connections; what is asked is in `tts_queue.engines.protocol`. The threads load their models side by side,
after the socket is there: what is asked meanwhile waits, so that clients of a process that was killed are
answered as soon as can be. A `hello` is answered when all are loaded; "engines ready" is in the log, on
stderr, then. A fork of the template (`app.preloaded`) has voice and first recogniser loaded before it begins;
the second recogniser, whose threads no fork would have, takes 0.5 s and is waited for by nobody.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import ctypes
import gc
import logging
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from app.sole_socket import SocketTaken, claimed
from infra.embedded.forking import tie
from infra.model_folder import Make, NoModel, make_of
from infra.unexpected_errors import UnexpectedError, contained
from realtime.ears.engines.closed_words import NOTHING, ClosedWords
from realtime.ears.engines.moonshine import MoonshineEars
from tts_queue.engines import protocol
from tts_queue.engines.fair_queue import FairQueue, QueueFull
from tts_queue.engines.piper import PiperVoice
from tts_queue.engines.protocol import ErrorCode, Header, ProtocolError
from tts_queue.model import SAMPLE_RATE_HZ, Pcm
from tts_queue.ports import Recognised, VoiceUnavailable

if TYPE_CHECKING:
    from realtime.ears.engines.whisper import WhisperEars

log = logging.getLogger("app.engines")

EXIT_TAKEN: Final = 4
EXIT_NO_MODEL: Final = 5
EARLY_MOST: Final = 64  # hellos that may wait for the models; who asks beyond hears nothing, and asks again
JOBS_EACH: Final = 32  # that may wait for one connection; a session needs two
# Said at load to nobody: the first runs of a network are slower, as are those of a length not seen before.
_WARMING: Final = ("Ready to read the case.", "The potassium is high, and the E.C.G. has changed since then.")
_NICE: Final = 5  # the writers of audio go before the engines
_IN_FORKS: Final = frozenset({"synthesise", "transcribe"})  # engines without threads, once loaded

Work: TypeAlias = Callable[[Header, bytes], Iterator["AnswerFrame"]]


@dataclass(frozen=True, slots=True)
class AnswerFrame:
    """One frame of an answer, whether more follow, and for how long its sound plays."""

    frame: bytes
    more: bool = False
    lasts_s: float = 0.0


@dataclass(eq=False)
class _Client:
    """One connection, and its jobs by request that are not done."""

    writer: asyncio.StreamWriter
    jobs: dict[int, _Job] = field(default_factory=dict)
    gone: bool = False


@dataclass(eq=False)
class _Job:
    client: _Client
    header: Header
    payload: bytes
    steps: Iterator[AnswerFrame] | None = None  # once begun
    due_s: float = 0.0  # when the sound that was sent runs dry
    cancelled: bool = False

    @property
    def unwanted(self) -> bool:
        """Return whether the request was cancelled."""
        return self.client.gone or self.cancelled


def _nothing() -> None:
    """Do nothing."""


class Engine:
    """One model on a thread of its own, fed from a fair queue."""

    def __init__(
        self,
        name: str,
        work: Work,
        *,
        load: Callable[[], None] = _nothing,
        warm: Callable[[], None] = _nothing,
    ) -> None:
        """`load` comes before the first job, and then `warm` if none waits; both on the engine's thread."""
        self.name = name
        self.queue: FairQueue[_Job] = FairQueue(JOBS_EACH)
        self.ready = asyncio.Event()
        self._work, self._load, self._warm = work, load, warm
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._since_s: float | None = None
        self._preparing = asyncio.Lock()

    @property
    def running_s(self) -> float:
        """Return how long the present job has been running, in seconds."""
        return 0.0 if self._since_s is None else time.monotonic() - self._since_s

    def load_ahead(self) -> None:
        """Load the model for the forks of this process, without warming it. Blocks."""
        self._load()
        self._load = self._warm = _nothing

    async def prepare(self) -> None:
        """Load the model, and warm it if no job waits: once, whoever asks."""
        loop = asyncio.get_running_loop()
        async with self._preparing:
            if not self.ready.is_set():
                await loop.run_in_executor(self._thread, self._load)
                if self.queue.empty:  # else the first job does as well
                    await loop.run_in_executor(self._thread, self._warm)
                self.ready.set()

    async def run(self) -> None:
        """Do the jobs, step by step, until cancelled."""
        loop = asyncio.get_running_loop()
        await self.prepare()
        while True:
            job = await self.queue.take()
            if not job.unwanted:
                self._since_s = time.monotonic()
                step = await loop.run_in_executor(self._thread, self._step, job)
                self._since_s = None
                _send(job.client, step.frame)
                if step.more:
                    job.due_s = max(job.due_s, loop.time()) + step.lasts_s
                    self.queue.go_on(job.client, job, job.due_s)
                    continue
            job.client.jobs.pop(job.header["id"], None)

    def stop(self) -> None:
        """Take no more jobs; the present one runs to its end."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _step(self, job: _Job) -> AnswerFrame:
        request_id = job.header["id"]
        try:
            with contained(VoiceUnavailable, KeyError, TypeError, ValueError):
                job.steps = job.steps or self._work(job.header, job.payload)
                return next(job.steps)
        except VoiceUnavailable as error:
            return AnswerFrame(_error(request_id, ErrorCode.BAD_REQUEST, error.reason))
        except (KeyError, TypeError, ValueError) as error:
            return AnswerFrame(_error(request_id, ErrorCode.BAD_REQUEST, type(error).__name__))
        except UnexpectedError as error:  # the engines' own errors derive from Exception alone
            log.warning("%s failed: %s", self.name, error)
            return AnswerFrame(_error(request_id, ErrorCode.ENGINE_FAILED, error.kind))


def give_back() -> None:
    """Return memory that loading a model has left free to the system: 50 to 75 MB here."""
    gc.collect()
    with contextlib.suppress(AttributeError):  # glibc alone has it
        ctypes.CDLL(None).malloc_trim(0)


def _send(client: _Client, frame: bytes) -> None:
    """Send without waiting: what a client may ask bounds what may lie in its buffer."""
    if not client.gone and not client.writer.is_closing():
        client.writer.write(frame)


def _error(request_id: int, code: ErrorCode, message: str) -> bytes:
    return protocol.encode({"id": request_id, "error": {"code": code, "message": message}})


class Server:
    """Reads requests and gives them to the engines."""

    def __init__(self, engines: dict[str, Engine]) -> None:
        self._engines = engines  # by op
        self._connections: set[asyncio.Task[None]] = set()
        self._early: list[tuple[_Client, int]] = []  # hellos before all is loaded
        self._loaded = False

    async def serve(self, listening: socket.socket, stop: asyncio.Event) -> None:
        """Serve on a bound socket until `stop`; no task is left then."""
        server = await asyncio.start_unix_server(self._connection, sock=listening)
        try:
            async with asyncio.TaskGroup() as group:
                workers = [group.create_task(engine.run()) for engine in self._engines.values()]
                greeting = group.create_task(self._greet())
                await stop.wait()
                for task in [*workers, greeting, *self._connections]:
                    task.cancel()
        finally:
            server.close()
            for engine in self._engines.values():
                engine.stop()

    async def _greet(self) -> None:
        """Answer the clients that said hello before everything was loaded."""
        for engine in self._engines.values():
            await engine.ready.wait()
        self._loaded = True
        log.info("engines ready: %s", ", ".join(self._names().values()))
        early, self._early = self._early, []
        for client, request_id in early:
            self._hello(client, request_id)

    def _hello(self, client: _Client, request_id: int) -> None:
        if self._loaded:
            _send(client, protocol.encode({"id": request_id, "engines": self._names()}))
        elif len(self._early) < EARLY_MOST:
            self._early.append((client, request_id))

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        client = _Client(writer)
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            while (frame := await protocol.read_frame(reader)) is not None:
                self._request(client, *frame)
        except ProtocolError as error:
            log.warning("a client sent %s", error)
        except asyncio.CancelledError:
            pass  # the server stops; asyncio would report the cancelled handler as a failure
        finally:
            self._connections.discard(task)
            client.gone = True
            for engine in self._engines.values():
                engine.queue.forget(client)
            writer.close()

    def _request(self, client: _Client, header: Header, payload: bytes) -> None:
        op, request_id = header.get("op"), header.get("id")
        if not isinstance(request_id, int):
            raise ProtocolError("a request without an id")
        match op:
            case "hello":
                self._hello(client, request_id)
            case "ping":
                running_s = max(engine.running_s for engine in self._engines.values())
                _send(client, protocol.encode({"id": request_id, "running_s": running_s}))
            case "cancel":
                if (job := client.jobs.get(header.get("job", 0))) is not None:  # else it is done
                    job.cancelled = True
            case "synthesise" | "transcribe" | "second":
                self._enqueue(op, _Job(client, header, payload))
            case _:
                _send(client, _error(request_id, ErrorCode.UNKNOWN_OP, "no such op"))

    def _enqueue(self, op: str, job: _Job) -> None:
        engine = self._engines.get(op)
        if engine is None:
            _send(job.client, _error(job.header["id"], ErrorCode.NO_ENGINE, f"started without {op}"))
            return
        try:
            engine.queue.offer(job.client, job, urgent=job.header.get("urgent") is True)
        except QueueFull as error:
            _send(job.client, _error(job.header["id"], ErrorCode.BUSY, str(error)))
        else:
            job.client.jobs[job.header["id"]] = job

    def _names(self) -> dict[str, str]:
        return {op: engine.name for op, engine in self._engines.items()}


def make_engines(
    *, ears: bool, second: bool = True, model: Path | None = None, steady: bool = False
) -> dict[str, Engine]:
    """Return the engines, nothing loaded yet. Raises: NoModel: there is none in the folder `model`."""
    make = None if model is None else make_of(model)
    engines = {"synthesise": _voice(steady)}
    if ears:
        engines["transcribe"] = _ears(model if make is Make.MOONSHINE else None)
    if ears and second:
        engines["second"] = _second(model if make is Make.WHISPER else None)
    return engines


def _voice(steady: bool) -> Engine:
    voices: list[PiperVoice] = []

    def synthesise(header: Header, payload: bytes) -> Iterator[AnswerFrame]:
        left: int | None = None
        prosody = protocol.prosody_from_json(header.get("prosody", {}))
        ahead = header.get("ahead") is True
        for part in voices[0].parts(str(header["text"]), prosody, ahead=ahead):
            first, left = left is None, (part.samples if left is None else left) - len(part.pcm)
            frame = protocol.part_to_frame(header["id"], part, first=first, more=left > 0)
            yield AnswerFrame(frame, left > 0, len(part.pcm) / SAMPLE_RATE_HZ)

    def warm() -> None:
        for text in _WARMING:
            list(synthesise({"id": 0, "text": text}, b""))
        give_back()

    return Engine("piper", synthesise, load=lambda: voices.append(PiperVoice(steady=steady)), warm=warm)


def _ears(folder: Path | None) -> Engine:
    models: list[tuple[MoonshineEars, ClosedWords]] = []

    def transcribe(header: Header, payload: bytes) -> Iterator[AnswerFrame]:
        recogniser, closed = models[0]
        pcm: Pcm = np.frombuffer(payload, dtype="<i2").astype(np.int16, copy=False)
        text = recogniser.transcribe(pcm)
        vote = closed.vote(pcm, text) if header.get("short") is True else NOTHING
        heard = Recognised(text, 1.0 if text else 0.0, *vote)
        yield AnswerFrame(protocol.encode({"id": header["id"], **asdict(heard)}))

    def warm() -> None:
        list(transcribe({"id": 0, "short": True}, bytes(2 * 8000)))
        give_back()

    def load() -> None:
        models.append((MoonshineEars(folder), ClosedWords()))

    return Engine("moonshine", transcribe, load=load, warm=warm)


def _second(folder: Path | None) -> Engine:
    """`folder` holds its model; None: the packaged one."""
    models: list[WhisperEars] = []

    def load() -> None:
        from realtime.ears.engines.whisper import (  # 40 MB, and its threads: no fork has it from its template
            WhisperEars,
            packaged_whisper,
        )
        from realtime.interruption import understood, whole_commands

        models.append(WhisperEars(folder or packaged_whisper(), whole_commands(), understood))

    def second(header: Header, payload: bytes) -> Iterator[AnswerFrame]:
        pcm: Pcm = np.frombuffer(payload, dtype="<i2").astype(np.int16, copy=False)
        opinion = models[0].transcribe(pcm, str(header["hints"]))
        yield AnswerFrame(protocol.encode({"id": header["id"], **asdict(opinion)}))

    def warm() -> None:
        list(second({"id": 0, "hints": ""}, bytes(2 * 8000)))
        give_back()

    return Engine("whisper", second, load=load, warm=warm)


_ahead: dict[tuple[object, ...], dict[str, Engine]] = {}
"""What a template has loaded, for its forks, by `_chosen`."""


def load_ahead(options: Sequence[str]) -> None:
    """Load what a fork with these options can use; the fork reports what can't be loaded."""
    with contextlib.suppress(NoModel):
        args = _parser().parse_args([*options, "--socket", os.devnull])
        engines = _engines_of(args)
        for op, engine in engines.items():
            if op in _IN_FORKS:
                engine.load_ahead()
        _ahead[_chosen(args)] = engines


def _chosen(args: argparse.Namespace) -> tuple[object, ...]:
    """Return what of the options decides which models are loaded."""
    return (args.no_ears, args.no_second, args.ears_model, args.steady)


def _engines_of(args: argparse.Namespace) -> dict[str, Engine]:
    return make_engines(
        ears=not args.no_ears, second=not args.no_second, model=args.ears_model, steady=args.steady
    )


async def _main(path: Path, engines: dict[str, Engine]) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    with claimed(path) as listening:
        await Server(engines).serve(listening, stop)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m app.engines", description="The voice and the ears.")
    parser.add_argument("--socket", type=Path, required=True, help="Unix socket to serve on")
    parser.add_argument("--no-ears", action="store_true", help="load the voice only")
    parser.add_argument("--no-second", action="store_true", help="load one recogniser only")
    parser.add_argument("--ears-model", type=Path, help="folder of a larger recogniser: docs/ears.md")
    parser.add_argument("--steady", action="store_true", help="the same samples for the same text")
    parser.add_argument("--die-with-parent", action="store_true", help="end when the parent ends")
    parser.add_argument("--log-level", default="INFO")
    return parser


def main(argv: list[str] | None = None) -> int:
    """Run the process; return its exit code."""
    args = _parser().parse_args(argv)
    if args.die_with_parent:
        tie(os.getppid())
    logging.basicConfig(level=args.log_level, format="%(asctime)s %(name)s %(levelname)s %(message)s")
    os.nice(_NICE)
    try:
        engines = _ahead.get(_chosen(args)) or _engines_of(args)
    except NoModel as error:
        log.error("%s", error)  # noqa: TRY400 - the message is the whole story
        return EXIT_NO_MODEL
    try:
        asyncio.run(_main(args.socket, engines))
    except SocketTaken as error:
        log.error("%s", error)  # noqa: TRY400 - the message is the whole story
        return EXIT_TAKEN
    return 0


run = main


if __name__ == "__main__":
    code = main()
    logging.shutdown()
    os._exit(code)  # not sys.exit: that would wait for a job in which an engine is stuck
