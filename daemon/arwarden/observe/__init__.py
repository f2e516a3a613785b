"""Seeing what the daemon does: logs, metrics, live events, loop lag."""
