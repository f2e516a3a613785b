"""Pictograms, flags and fonts of virtual elements: where they come from, and what they mean."""
