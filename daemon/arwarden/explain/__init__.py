"""A verdict made visible: the picture with what was found, and the reasoning as a graph."""

from arwarden.explain.reasoning import Reasoning, Relation, reasoning

__all__ = ["Reasoning", "Relation", "reasoning"]
