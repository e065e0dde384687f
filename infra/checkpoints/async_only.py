"""Refuse a checkpoint saver's synchronous methods: they would block the loop that carries sound."""

from __future__ import annotations

from typing import Any, NoReturn

from langgraph.checkpoint.base import BaseCheckpointSaver


class AsyncOnlySaver(BaseCheckpointSaver[str]):
    """A saver whose synchronous methods say which asynchronous one to use."""

    def get_tuple(self, *_: Any, **__: Any) -> NoReturn:
        """Refuse. Raises NotImplementedError."""
        _refuse("get_tuple", "graph.ainvoke")

    def list(self, *_: Any, **__: Any) -> NoReturn:
        """Refuse. Raises NotImplementedError."""
        _refuse("list", "graph.aget_state_history")

    def put(self, *_: Any, **__: Any) -> NoReturn:
        """Refuse. Raises NotImplementedError."""
        _refuse("put", "graph.ainvoke")

    def put_writes(self, *_: Any, **__: Any) -> NoReturn:
        """Refuse. Raises NotImplementedError."""
        _refuse("put_writes", "graph.ainvoke")

    def delete_thread(self, *_: Any, **__: Any) -> NoReturn:
        """Refuse. Raises NotImplementedError."""
        _refuse("delete_thread")

    def delete_for_runs(self, *_: Any, **__: Any) -> NoReturn:
        """Refuse. Raises NotImplementedError."""
        _refuse("delete_for_runs")

    def copy_thread(self, *_: Any, **__: Any) -> NoReturn:
        """Refuse. Raises NotImplementedError."""
        _refuse("copy_thread")

    def prune(self, *_: Any, **__: Any) -> NoReturn:
        """Refuse. Raises NotImplementedError."""
        _refuse("prune")


def _refuse(name: str, on_a_graph: str = "") -> NoReturn:
    also = f" (on a graph: {on_a_graph})" if on_a_graph else ""
    raise NotImplementedError(f"{name} would block the event loop: await a{name} instead{also}")
