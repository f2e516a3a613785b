"""How long it takes from a picture to the warning, and what that costs."""
