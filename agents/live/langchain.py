"""`exaim_live.langchain` by its first name."""

from exaim_live.langchain import TeamCallbackHandler

__all__ = ["TeamCallbackHandler"]
