"""Teams of our own: each takes a case and models, and gives the events of its reasoning."""
