"""How the thresholds of the quality measures were fitted."""
