"""Trains the element detector and the crop classifier: generate, train, export, evaluate."""

import arwarden  # noqa: F401 - before onnxruntime, which reports its use unless arwarden forbids it
