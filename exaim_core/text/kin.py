"""Who is somebody's kin: one list of words, from which whoever asks whose something is makes its patterns."""

from __future__ import annotations

import re
import tomllib
from typing import Final

from exaim_core.text.datafiles import data_text

_TABLE: Final = tomllib.loads(data_text("kin.toml"))
_STEPS: Final = "|".join(_TABLE["steps"].split())
_WORDS: Final = "|".join(sorted(map(re.escape, _TABLE["words"].split()), key=len, reverse=True))

KIN: Final = rf"(?:(?:{_STEPS})[- ]?)*(?:{_WORDS})(?:-in-law)?"
"""A word for one of kin, as a pattern without its bounds."""
TELLS: Final = rf"(?! (?:also |now |just |already |who )*(?:{_TABLE['tells']})\b)"
"""That a word for one of kin is not who tells something: it stands behind the word."""
TOGETHER: Final = rf"(?<!despite )(?<!given )(?:{_TABLE['together']})"
"""What calls kin together, such as "family history"."""
