"""The tables of the three papers as CSV files: what was printed, digit for digit, as rows with names."""
