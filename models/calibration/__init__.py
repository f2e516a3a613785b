"""Fitting how likely a finding of the fast tier is true."""
