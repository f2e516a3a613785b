"""Word lists for the claim lexicon, made from WordNet."""
