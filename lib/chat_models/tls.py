"""The certificates by which providers are known: read once a process, where each client reads them anew by itself."""

from __future__ import annotations

import os
import ssl
from functools import cache
from importlib import import_module


def tls_context(library: str) -> ssl.SSLContext:
    """Return the context that an HTTP library (`httpx`, `httpx2`) makes by its own rules, always the same one.

    Another one if the environment names other certificates by then. Raises: ModuleNotFoundError; OSError.
    """
    return _made(library, os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))


def library_of(client: type) -> str:
    """Return the HTTP library of a vendor's client: OpenAI's and Anthropic's is another than Groq's."""
    return client.__mro__[1].__module__.partition(".")[0]


@cache
def _made(library: str, _file: str | None, _folder: str | None) -> ssl.SSLContext:
    context: ssl.SSLContext = import_module(library).create_ssl_context()
    return context
