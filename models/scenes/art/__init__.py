"""Draws single virtual elements (arrows, signs, pictograms, widgets, flags, panels) together with their truth."""
