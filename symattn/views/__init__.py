"""A derivation as a page: what is said, in which order, and how much of it."""
