"""The clinician's page at `/`: what `web/` was built to, or a line that says how to build it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from fastapi import FastAPI
from fastapi.responses import PlainTextResponse
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

NOT_BUILT: Final = (
    "EXAIM Voice runs, but its page is not built. `make run` builds it; by hand: npm ci && npm run build in "
    "web/, then start again. The API does not need it: /openapi.json.\n"
)


class Page(StaticFiles):
    """The built page. Files under `assets/` carry a hash in their name, so they never change."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return a file, or raise the 404 or 405 that fits."""
        response = await super().get_response(path, scope)
        lasting = path.startswith("assets/")
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable" if lasting else "no-cache"
        return response


def install(app: FastAPI, web_dist: Path) -> None:
    """Serve the page at `/`, after all routes."""
    if (web_dist / "index.html").is_file():
        app.mount("/", Page(directory=web_dist, html=True), name="page")
        return

    async def not_built() -> PlainTextResponse:
        return PlainTextResponse(NOT_BUILT)

    app.add_api_route("/", not_built, methods=["GET"], include_in_schema=False)
