"""Pictograms as words: what icon packages call a picture, kept beside how the classifier sees it."""
