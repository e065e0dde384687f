"""The demonstration: a separate process joins as the clinician, hears a case, and checks what it heard."""
