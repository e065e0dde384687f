"""A chat model as judge, summariser or reader of the engine; optional (docs/llm.md)."""
