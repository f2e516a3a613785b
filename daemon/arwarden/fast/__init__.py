"""The fast tier: reading, claims, contradictions, picture quality."""
