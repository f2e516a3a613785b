"""Pictograms, flags and fonts that virtual elements are drawn with: where they come from, and what they mean."""
