"""Orders to the judge, drawn into pictures: what the fast tier finds and how often a judge obeys."""
