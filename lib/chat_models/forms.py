"""A declared form in words, for a model that is only given text: what an answer's JSON has to look like."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from pydantic import BaseModel

_WORDS: Final = {"integer": "number", "number": "number", "boolean": "true or false", "null": "null"}


@cache
def form_of(shape: type[BaseModel]) -> str:
    """Return the instruction that shows a form; shorter than its JSON schema, which small models copy out."""
    schema = shape.model_json_schema()
    shown = json.dumps(_shown(schema, schema.get("$defs", {})), ensure_ascii=False)
    return f"Answer with one JSON object of this form and with nothing else:\n{shown}"


def _shown(schema: Mapping[str, Any], known: Mapping[str, Any]) -> Any:
    """Return an example of what a schema takes."""
    if "$ref" in schema:
        return _shown(known[schema["$ref"].rpartition("/")[2]], known)
    if "anyOf" in schema:
        several = [_shown(each, known) for each in schema["anyOf"]]
        plain = [each for each in several if isinstance(each, str)]
        return next((each for each in several if not isinstance(each, str)), " or ".join(plain))
    if "enum" in schema:
        return " or ".join(map(str, schema["enum"]))
    if schema.get("type") == "array":
        return [_shown(schema.get("items", {}), known)]
    if "properties" in schema:
        return {name: _shown(each, known) for name, each in schema["properties"].items()}
    return _WORDS.get(schema.get("type", ""), "text")
