"""The room and the page: LiveKit's adapter, messages to the page, commands, captions, positions."""
