"""Draws single virtual elements (arrows, signs, pictograms, flags, panels) with their truth."""
