"""Claim a Unix socket for one process of this user, also after one that was killed."""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
import stat
from collections.abc import Iterator
from pathlib import Path


class SocketTaken(Exception):
    """The socket can't be ours."""


@contextlib.contextmanager
def claimed(path: Path) -> Iterator[socket.socket]:
    """Return a listening socket at `path`; it is gone after the block. Raises: SocketTaken."""
    try:
        lock = _claim(path)
    except OSError as error:
        raise _unusable(path, error) from None
    try:
        yield bind(path)
    finally:
        path.unlink(missing_ok=True)
        os.close(lock)


def _unusable(path: Path, error: OSError) -> SocketTaken:
    why = error.strerror or str(error)  # Python's own has no strerror: the path is too long
    return SocketTaken(f"{path} can't be a socket ({why}); name another: --socket, or EXAIM_ENGINES_SOCKET")


def _claim(path: Path) -> int:
    """Make `path` free for us and return the lock that says so, held for the life of the process.

    Raises: SocketTaken.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = os.open(path.with_name(path.name + ".lock"), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        raise SocketTaken(f"{path} belongs to an engines process that lives; stop it first") from None
    if path.exists() or path.is_symlink():
        if not stat.S_ISSOCK(path.lstat().st_mode):
            os.close(lock)
            raise SocketTaken(f"{path} is there and is no socket; name another path with --socket")
        path.unlink()
    return lock


def bind(path: Path) -> socket.socket:
    """Return a socket bound to `path` that only this user can open. Raises: SocketTaken."""
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        listening.bind(str(path))
    except OSError as error:
        listening.close()
        raise _unusable(path, error) from None
    finally:
        os.umask(before)
    return listening
