"""A recogniser's model in a folder: of which make it is, told from its files. Loads nothing."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Final


class Make(StrEnum):
    """Whose model it is."""

    WHISPER = "whisper"  # in CTranslate2's form
    MOONSHINE = "moonshine"


class NoModel(ValueError):
    """The folder holds no model that can be used; the message says what to do."""


_FILES: Final = {
    Make.WHISPER: ("model.bin", "config.json", "tokenizer.json"),
    Make.MOONSHINE: ("encoder_model.ort", "decoder_model_merged.ort", "tokenizer.bin"),
}


def make_of(folder: Path) -> Make:
    """Return which model a folder holds. Raises: NoModel."""
    for make, names in _FILES.items():
        if all((folder / name).is_file() for name in names):
            return make
    wanted = "; or ".join(f"{', '.join(names)} ({make.value})" for make, names in _FILES.items())
    raise NoModel(
        f"{folder} holds no recogniser's model, which is {wanted}: docs/ears.md says how to get one"
    )
