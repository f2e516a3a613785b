"""Whether the statistics here give what the papers printed, wherever it can be recomputed."""
