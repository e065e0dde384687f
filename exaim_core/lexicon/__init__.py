"""Words and forms: which words name a drug, doubt, order, forbid or report. Rows, patterns, no state."""
