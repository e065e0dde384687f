"""Words and forms: which words name a drug, doubt, order, forbid or report. Rows and patterns, no state."""
