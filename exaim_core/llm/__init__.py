"""A chat model as judge, summariser or reader of the engine, an extra: docs/llm.md. Who asks it is `chat_models`."""
