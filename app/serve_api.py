"""The API's process: `python -m app.serve_api` serves `api:create_app()` until SIGTERM."""

from __future__ import annotations

from typing import Final

import uvicorn

from app.http_bounds import bounded
from app.process import ending_clearly, settings_or_exit
from infra.settings import Settings

GRACE_S: Final = 2  # what open requests get at the end; `exaim up` waits 3 s


def main(settings: Settings) -> None:
    """Serve until a signal; uvicorn ends by itself with code 1 if the port is taken."""
    with ending_clearly():
        uvicorn.run(
            "api:create_app",
            factory=True,
            host=settings.api_host,
            port=settings.api_port,
            log_level=settings.log_level.lower(),
            access_log=False,  # addresses carry session ids
            server_header=False,
            http=bounded(),
            ws="none",
            ssl_certfile=settings.tls_cert,
            ssl_keyfile=settings.tls_key,
            timeout_graceful_shutdown=GRACE_S,
        )


if __name__ == "__main__":
    main(settings_or_exit())
