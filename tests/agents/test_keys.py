"""Keys that are signed with an opener key, and where a program finds that."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from agents import keys
from agents.keys import KEY_HEADER, Holder, KeyRefused, Kind, NoOpenerKey

OPENER, OTHER = "o" * 43, "p" * 43
NOW_S = 1_790_000_000.0
URL = "http://127.0.0.1:8080"


def signed(kind: Kind = "key", opener: str = OPENER, **more: str) -> str:
    return keys.signed(opener, kind, until_s=NOW_S + 60, **more)


def test_a_key_says_who_holds_it_until_when() -> None:
    read = keys.holder(OPENER, "key", signed(principal="ward-7", tenant="north"), NOW_S)
    assert read == Holder("ward-7", "north", int(NOW_S) + 60, read.nonce)
    assert read.nonce != keys.holder(OPENER, "key", signed(), NOW_S).nonce


def test_a_key_ends_and_says_so() -> None:
    with pytest.raises(KeyRefused) as ended:
        keys.holder(OPENER, "key", signed(), NOW_S + 60)
    assert ended.value.expired


def other_body(text: str) -> str:
    kind, body, mac = text.split(".")
    return f"{kind}.{body[:-2]}{'AA' if body[-2:] != 'AA' else 'BB'}.{mac}"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "key",
        "key..",
        "key.e30.",
        signed(opener=OTHER),
        signed("link"),
        signed("link").replace("link", "key", 1),
        other_body(signed()),
        signed()[:-1],
        signed() + "A",
        f"{signed()}.{signed()}",
        signed().upper(),
        "key." + "A" * 5_000,
        "key.\u0661.\u0662",
        keys.signed(OPENER, "key", until_s=NOW_S + 60, principal="p" * 2_000),
    ],
    ids=range(15),
)
def test_nothing_else_is_a_key(text: str) -> None:
    with pytest.raises(KeyRefused) as refused:
        keys.holder(OPENER, "key", text, NOW_S)
    assert not refused.value.expired


def test_what_a_server_keeps_is_found_by_the_same_user_alone_and_gone_at_its_end(tmp_path: Path) -> None:
    environ = {"XDG_STATE_HOME": str(tmp_path)}
    path = keys.keep(8080, OPENER, environ)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert keys.opener_key_of(URL, environ) == OPENER
    assert keys.opener_key_of("http://localhost:8080/", environ) == OPENER
    for elsewhere in ("http://127.0.0.1:8081", "http://voice.example:8080", "http://127.0.0.1:x"):
        with pytest.raises(NoOpenerKey, match="EXAIM_KEY"):
            keys.opener_key_of(elsewhere, environ)
    path.chmod(0o640)
    with pytest.raises(NoOpenerKey):
        keys.opener_key_of(URL, environ)
    assert keys.headers(URL, environ) == {}
    keys.drop(path)
    keys.drop(path)
    assert list(path.parent.iterdir()) == []


def test_a_program_signs_a_key_of_minutes_and_a_given_one_goes_first(tmp_path: Path) -> None:
    environ = {"XDG_STATE_HOME": str(tmp_path)}
    keys.keep(8080, OPENER, environ)
    shown = keys.headers(URL, environ)[KEY_HEADER]
    assert OPENER not in shown
    assert keys.holder(OPENER, "key", shown, 0.0).principal == keys.LOCAL
    assert keys.headers(URL, environ | {"EXAIM_KEY": "given"}) == {KEY_HEADER: "given"}


def test_a_link_holds_no_key_behind_its_fragment(tmp_path: Path) -> None:
    environ = {"XDG_STATE_HOME": str(tmp_path)}
    keys.keep(8080, OPENER, environ)
    page, _, code = keys.link(f"{URL}/", environ).partition("/#open=")
    assert page == URL
    assert keys.holder(OPENER, "link", code, 0.0).principal == keys.LOCAL
    with pytest.raises(KeyRefused):
        keys.holder(OPENER, "key", code, 0.0)
