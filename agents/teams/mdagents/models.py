"""The models of a batch: one for all, or others for some roles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel


class ModelsByRole:
    """One model for all roles but those that have their own."""

    def __init__(self, model: BaseChatModel, by_role: Mapping[str, BaseChatModel] | None = None) -> None:
        self._model, self._by_role = model, dict(by_role or {})

    def of(self, role: str) -> BaseChatModel:
        """Return the role's model."""
        return self._by_role.get(role, self._model)
