"""Images of a row: which files it names, and how a model is given them.

A row names them in `image`, `images` or `img_path`, one path or a list, from the data set's folder on. They go as
LangChain's own image blocks behind each text that holds the case, so that every agent sees what the case shows.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from agents.teams.mdagents.errors import RowError

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

FIELDS: Final = ("image", "images", "img_path")
KINDS: Final[Mapping[bytes, str]] = {
    b"\x89PNG\r\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
    b"RIFF": "image/webp",
}
IMAGE_MOST: Final = 5_000_000  # bytes of one; what the providers take at least
IMAGES_MOST: Final = 8  # of one row
CASE: Final = "<case>"

Block = dict[str, Any]


def images_of(raw: Mapping[str, Any], folder: Path, row: int, *, taken: bool) -> tuple[Path, ...]:
    """Return a row's image files. `taken`: the model takes images. Raises: RowError, with the field."""
    field = next((name for name in FIELDS if raw.get(name)), None)
    if field is None:
        return ()
    if not taken:
        raise RowError(
            row, field, "names an image, and the model takes none: choose one that does, or say --images"
        )
    given = [raw[field]] if isinstance(raw[field], str) else raw[field]
    if not isinstance(given, list) or not all(isinstance(each, str) for each in given):
        raise RowError(row, field, "is no path and no list of paths")
    if len(given) > IMAGES_MOST:
        raise RowError(row, field, f"names {len(given)} images; {IMAGES_MOST} can be taken")
    return tuple(_checked(each, folder, field, row) for each in given)


def blocks_of(images: Sequence[Path]) -> list[Block]:
    """Return images as a model is given them. Raises: OSError."""
    found = []
    for path in images:
        data = path.read_bytes()
        text = base64.b64encode(data).decode("ascii")
        found.append({"type": "image", "base64": text, "mime_type": _kind(data)})
    return found


def shown(messages: Sequence[tuple[str, str]], blocks: Sequence[Block]) -> list[tuple[str, Any]]:
    """Return messages with the images behind each text that holds the case."""
    return [
        (who, [{"type": "text", "text": text}, *blocks])
        if blocks and who == "human" and CASE in text
        else (who, text)
        for who, text in messages
    ]


def takes_images(model: BaseChatModel) -> bool:
    """Return whether a model says of itself that it takes images."""
    return bool((getattr(model, "profile", None) or {}).get("image_inputs"))


def _checked(name: str, folder: Path, field: str, row: int) -> Path:
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise RowError(row, field, "names a file outside the data set's folder")
    try:
        with path.open("rb") as file:
            kind, size = _kind(file.read(16)), path.stat().st_size
    except OSError as error:
        raise RowError(row, field, f"names a file that can't be read: {error.strerror}") from None
    if not kind:
        raise RowError(row, field, "names a file that is no PNG, JPEG, GIF or WebP")
    if size > IMAGE_MOST:
        raise RowError(row, field, f"names an image of {size:,} bytes; {IMAGE_MOST:,} can be taken")
    return path


def _kind(data: bytes) -> str:
    return next((kind for mark, kind in KINDS.items() if data.startswith(mark)), "")
