"""Trains the element detector and the crop classifier: generate, train, export, evaluate."""
