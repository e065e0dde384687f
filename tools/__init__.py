"""Set-up and checks. Standard library only: the system's Python runs it before anything is there."""
