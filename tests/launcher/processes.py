"""What the launcher's tests know about processes: tiny scripted ones, who lives, who listens where."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

SCRIPT = """
import os, signal, sys, time
for word in sys.argv[1:]:
    action, _, what = word.partition("=")
    if action == "touch": open(what, "w").close()
    elif action == "say": print(what, flush=True)
    elif action == "note": open(what.split(",")[0], "a").write(what.split(",")[1] + "\\n")
    elif action == "wait":
        while not os.path.exists(what): time.sleep(0.01)
    elif action == "deaf": signal.signal(signal.SIGTERM, signal.SIG_IGN)
    elif action == "child":
        pid = os.fork()
        if pid == 0: time.sleep(600)
        open(what + ".new", "w").write(str(pid)); os.rename(what + ".new", what)
    elif action == "exit": os._exit(int(what))
    elif action == "pid": open(what, "a").write(str(os.getpid()) + "\\n")
    elif action == "die_once":
        if not os.path.exists(what): open(what, "w").close(); os._exit(3)
    elif action == "beat":
        while True: open(what, "w").close(); time.sleep(0.01)
    elif action == "kill": os.kill(os.getpid(), int(what))
    elif action == "stay": time.sleep(600)
    elif action == "note_end":
        def ended(*_, path=what): open(path.split(",")[0], "a").write(path.split(",")[1] + "\\n"); os._exit(0)
        signal.signal(signal.SIGTERM, ended)
"""


def scripted(*actions: str) -> tuple[str, ...]:
    """Return the command of a process that does `actions` one after the other."""
    return (sys.executable, "-I", "-S", "-c", SCRIPT, *actions)


def eventually(condition: Callable[[], bool], within_s: float = 30.0) -> bool:
    """Look until `condition` holds; say whether it did in time."""
    until_s = time.monotonic() + within_s
    while not condition():
        if time.monotonic() > until_s:
            return False
        time.sleep(0.01)
    return True


def lives(pid: int) -> bool:
    """Say whether the process runs; one that has ended and was not reaped does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def family(pid: int) -> set[int]:
    """Return the process and all its descendants."""
    found = {pid}
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in task.read_text(encoding="utf-8").split():
            found |= family(int(child))
    return found


def listening(pid: int) -> dict[str, set[str]]:
    """Return where a process listens, by protocol: addresses as /proc has them, paths for unix."""
    inodes = _socket_inodes(pid)
    found: dict[str, set[str]] = {}
    for protocol in ("tcp", "tcp6", "udp", "udp6"):
        for row in Path(f"/proc/{pid}/net/{protocol}").read_text(encoding="utf-8").splitlines()[1:]:
            words = row.split()
            listens = words[3] == "0A" if protocol.startswith("tcp") else words[2].endswith(":0000")
            if words[9] in inodes and listens:
                found.setdefault(protocol, set()).add(words[1].partition(":")[0])
    for row in Path(f"/proc/{pid}/net/unix").read_text(encoding="utf-8").splitlines()[1:]:
        words = row.split()
        if words[6] in inodes and words[3] == "00010000":  # __SO_ACCEPTCON
            found.setdefault("unix", set()).add(words[7])
    return found


def _socket_inodes(pid: int) -> set[str]:
    found = set()
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        try:
            target = os.readlink(entry)
        except OSError:
            continue
        if target.startswith("socket:["):
            found.add(target[8:-1])
    return found


LOOPBACK_HEX = {"0100007F"}
"""127.0.0.1 as /proc/net writes it on a little-endian machine."""
