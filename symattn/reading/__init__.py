"""What users hand in: typed expressions, problem files, Python values — read strictly."""
