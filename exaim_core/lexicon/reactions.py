"""What a reaction to a drug or a material looks like, in clinical and in lay words: the rows of its table."""

from __future__ import annotations

from typing import Final

from exaim_core.text.rows import lexicon

REACTIONS: Final = lexicon("lexicon/reactions")
"""`shown` tells of one by itself, `much` beside what is given, `named` is one of drugs alone; `material`: of what."""
