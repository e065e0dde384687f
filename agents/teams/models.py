"""Models by role: one for all, or a table with one for who is not in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from chat_models import LLMRole, get_llm

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel


class OneModel:
    """The same model for every role; by default that of the role `mas`, made when it is first asked."""

    def __init__(self, model: BaseChatModel | None = None) -> None:
        self._model = model

    def of(self, role: str) -> BaseChatModel:
        """Return the model. Raises: LLMError, with what to set."""
        if self._model is None:
            self._model = get_llm(LLMRole.MAS)
        return self._model


class ByRole:
    """A model by role, and one for all other roles."""

    def __init__(self, models: Mapping[str, BaseChatModel], others: BaseChatModel) -> None:
        self._models, self._others = dict(models), others

    def of(self, role: str) -> BaseChatModel:
        """Return the role's model."""
        return self._models.get(role, self._others)
