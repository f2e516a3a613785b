"""Pictograms of no class, as words: what icon packages call pictures that look alike."""
