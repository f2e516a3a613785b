"""The text-pair model: generate, train, export, evaluate."""

import arwarden  # noqa: F401 - before onnxruntime, which reports its use unless arwarden forbids it
