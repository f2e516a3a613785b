"""A small network that judges pairs of statements where no rule does."""
