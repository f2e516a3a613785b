"""RateAR: how well ratings of placement, size and shadow agree with people's; whether adjustments help."""
