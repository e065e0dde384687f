"""The clinician's side: the verdicts on turns, put into effect, and the questions that are answered."""
