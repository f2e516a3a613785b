"""Technical faults of the picture by classical measures, and what must not be called one."""
