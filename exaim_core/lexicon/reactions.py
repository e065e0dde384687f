"""Words for a reaction to a drug or a material, clinical and lay, as rows of a table."""

from __future__ import annotations

from typing import Final

from exaim_core.text.rows import lexicon

REACTIONS: Final = lexicon("lexicon/reactions")
"""The forms for reactions, by how much each tells.

`shown` tells of one by itself, `much` beside what is given, `named` is one of drugs alone; `material`: of what.
"""
