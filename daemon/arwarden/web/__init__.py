"""The page that shows what the daemon sees, and is itself a headset."""
