"""Figures, side by side with the raw library where there is one. `make bench` runs them all."""
