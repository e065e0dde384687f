"""What is said: the narrator's words, alarms, the budget, and what a new worker takes over from an old one."""
