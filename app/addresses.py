"""Addresses of the API for programs on this machine."""

from __future__ import annotations

from infra.embedded import ports
from infra.settings import WILDCARDS, Settings


def page_address(settings: Settings) -> str:
    """Return the page's address for a browser on this machine."""
    scheme = "https" if settings.tls_cert else "http"
    return f"{scheme}://{reachable(settings.api_host)}:{settings.api_port}/"


def reachable(host: str) -> str:
    """Return the host, as URLs have it, for the address that the API binds."""
    if ":" in host:
        return "[::1]" if host == "::" else f"[{host}]"
    return ports.LOOPBACK if host in WILDCARDS else host
