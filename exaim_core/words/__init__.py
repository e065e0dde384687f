"""Words: the sentences to be spoken and the six fields, written from changes of the board."""
