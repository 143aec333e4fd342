"""Panels that open over the timeline."""
