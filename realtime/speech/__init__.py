"""The speech: the narrator's words, alarms, the budget, and the takeover from an earlier worker."""
