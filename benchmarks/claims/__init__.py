"""What the claim engine makes of scenes whose elements are seen without error."""
