"""Words for relatives: one list, from which all patterns on whose something is are made."""

from __future__ import annotations

import re
import tomllib
from typing import Final

from exaim_core.text.datafiles import data_text

_TABLE: Final = tomllib.loads(data_text("kin.toml"))
_STEPS: Final = "|".join(_TABLE["steps"].split())
_WORDS: Final = "|".join(sorted(map(re.escape, _TABLE["words"].split()), key=len, reverse=True))

KIN: Final = rf"(?:(?:{_STEPS})[- ]?)*(?:{_WORDS})(?:-in-law)?"
"""A word for a relative, as a pattern without its bounds."""
TELLS: Final = rf"(?! (?:also |now |just |already |who )*(?:{_TABLE['tells']})\b)"
"""Not followed by a verb of telling: the relative only reports something."""
TOGETHER: Final = rf"(?<!despite )(?<!given )(?:{_TABLE['together']})"
"""A word for relatives together, such as "family history"."""
