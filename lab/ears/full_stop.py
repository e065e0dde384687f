"""The second recogniser, asked how its text ends: how likely a sentence is over, by its own punctuation."""

from __future__ import annotations

import ctranslate2
import numpy as np

from lab.ears.voices import Sound
from realtime.ears.engines.whisper import WhisperEars, packaged_whisper


class FullStop(WhisperEars):
    """Whisper, with the likelihood of a full stop after its last word."""

    def __init__(self) -> None:
        super().__init__(packaged_whisper())
        ids = (self._tokenizer.token_to_id(sign) for sign in (".", "?", "!"))
        self._stops = [number for number in ids if number is not None]

    def of(self, pcm: Sound) -> tuple[str, float]:
        """Return the text, and how likely a full stop, a question or an exclamation mark came after its last word."""
        features = ctranslate2.StorageView.from_array(self._spectra(pcm))
        [found] = self._model.generate(
            features, [self._begin], beam_size=1, max_length=len(self._begin) + 40, return_logits_vocab=True
        )
        ids: list[int] = found.sequences_ids[0]
        text = self._tokenizer.decode(ids, skip_special_tokens=True).strip()
        bare = len(ids)
        while bare and not any(each.isalnum() for each in self._tokenizer.decode(ids[:bare][-1:])):
            bare -= 1
        if not ids:
            return text, 0.0
        steps = found.logits[0]
        logits = np.array(steps[min(bare, len(steps) - 1)]).ravel().astype(np.float64)
        likely = np.exp(logits - logits.max())
        return text, float(likely[self._stops].sum() / likely.sum())
