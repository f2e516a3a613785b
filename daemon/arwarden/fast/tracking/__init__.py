"""Following text over frames, so that it is read once and again only when it has changed."""
