"""How fast symattn is, as ratios to what else can be run: `python -m benchmarks`."""
