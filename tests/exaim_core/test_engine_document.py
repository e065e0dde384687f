"""The engine's page: its example runs as it stands, and what it brings is what the page says."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import exaim_core
from exaim_core import EXAIM, CasePaper, Delta

PAGE = (Path(__file__).parents[2] / "docs" / "engine.md").read_text("utf-8")


async def test_the_example_runs_and_brings_what_the_page_says() -> None:
    [example] = re.findall(r"```python\n(.*?)```\n", PAGE, re.DOTALL)
    names: dict[str, Any] = {"EXAIM": EXAIM, "CasePaper": CasePaper, "Delta": Delta}
    code = compile(example, "engine.md", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    await eval(code, names)
    said = names["updates"][0].items[0].text
    assert f'is "{said}"' in PAGE


def test_dir_shows_the_public_names() -> None:
    assert set(exaim_core.__all__) <= set(dir(exaim_core))
