"""The room and the page: the adapter to LiveKit, the page's messages in their order, commands, captions, positions."""
