"""The recognisers of whole turns. Only the engines process, and their measurements, import these."""
