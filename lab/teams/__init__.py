"""Figures of the teams of ours on a whole stack: their process killed at random points, and how soon they are heard."""
