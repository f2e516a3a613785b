"""Benchmarks of the daemon. Run from a clone: ``python -m benchmarks NAME``."""
