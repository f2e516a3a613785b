"""Data sets on disk: loaders that say what is missing or inconsistent, generators of the same layouts.

``contrar``, ``ratear``, ``diversear``, ``arvim``, ``psychophysics``: one loader each.
``checks``    what a loader found wrong. ``origin``: whether a set was generated.
``generate``  generated sets. ``command``: ``python -m benchmarks data``.
"""
