"""Smart Turn v3.2 (Daily, BSD-2): how likely a speaker's turn is complete, by its sound alone.

The file `pipecat/audio/turn/smart_turn/data/smart-turn-v3.2-cpu.onnx` of the wheel `pipecat-ai` 1.14.0, which is no
package of ours: docs/decisions/090-a-turn-is-over-when-it-is-whole.md.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
import onnxruntime  # type: ignore[import-untyped]  # ships no types
from numpy.typing import NDArray

from lab.ears.voices import RATE_HZ, Sound
from realtime.ears.engines.whisper import mel_filters

_SAMPLES: Final = 8 * RATE_HZ  # what the model sees: the end of the sound, with zeros before it
_WINDOW: Final = 400  # samples of a spectrum
_HOP: Final = 160
_FRAMES: Final = _SAMPLES // _HOP
_BANDS: Final = 80


class SmartTurn:
    """The model, on one thread."""

    def __init__(self, path: Path) -> None:
        options = onnxruntime.SessionOptions()
        options.inter_op_num_threads = options.intra_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._model = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        self._filters = mel_filters(_BANDS).astype(np.float32)
        self._window = np.hanning(_WINDOW + 1)[:-1].astype(np.float32)

    def complete(self, pcm: Sound) -> float:
        """Return how likely the turn that ends with this sound is over, 0 to 1."""
        (out,) = self._model.run(None, {"input_features": self.features(pcm)[np.newaxis]})
        return float(out.item())

    def features(self, pcm: Sound) -> NDArray[np.float32]:
        """Return Whisper's log mel spectra of the last 8 s, of unit variance. What is padding is worked out once."""
        own = pcm[-_SAMPLES:].astype(np.float32) / 32768.0
        sound = np.pad(own, (_SAMPLES - len(own), 0))
        sound = (sound - sound.mean()) / np.sqrt(sound.var() + 1e-7)
        first = max(0, (_SAMPLES - len(own) - _WINDOW // 2) // _HOP - 1)
        framed = np.lib.stride_tricks.sliding_window_view(np.pad(sound, _WINDOW // 2, "reflect"), _WINDOW)
        power = np.abs(np.fft.rfft(framed[::_HOP][first:_FRAMES] * self._window)) ** 2
        log = np.log10(np.maximum(self._filters @ power.T, 1e-10))
        log = np.concatenate([np.repeat(log[:, :1], first, axis=1), log], axis=1)
        return np.asarray((np.maximum(log, log.max() - 8.0) + 4.0) / 4.0, np.float32)
