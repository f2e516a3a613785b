"""What accuracy costs in time and money: the fast tier, judges, and both together, over one set."""
