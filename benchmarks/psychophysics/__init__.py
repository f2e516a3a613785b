"""Psychophysics: which of two renderings has more contrast, more colour, is better overall? All pairs."""
