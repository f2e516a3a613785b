"""The nouns every room shares: frame, findings, tier, clock, errors. Imports nothing of ours."""
