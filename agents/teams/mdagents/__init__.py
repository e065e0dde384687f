"""MDAgents: one agent, a debate of experts, or several teams, by the difficulty of the case.

    settings ─▶ asking (the one place of a call) ─▶ assessing ─▶ basic │ intermediate │ advanced ─▶ outcome
    team: the same, heard on the port `Team` · batch: the same, over a data set

docs/mdagents.md tells what each part must do, and names its test.
"""
