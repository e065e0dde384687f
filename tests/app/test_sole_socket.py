"""Where no socket can be made, the reason is told, and nothing else is left there."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.sole_socket import SocketTaken, claimed


def test_a_path_that_can_be_no_socket_is_told_with_the_variable(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "file" / "engines.sock", tmp_path / ("x" * 120)):
        with pytest.raises(
            SocketTaken, match=r"can't be a socket \(.+\); name another.*EXAIM_ENGINES_SOCKET"
        ):
            with claimed(path):
                pass
        assert not path.exists()
