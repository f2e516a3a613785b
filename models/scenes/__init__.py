"""AR scenes with known truth: what is said, how it is drawn, seen, recorded."""
