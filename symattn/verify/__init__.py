"""Somebody's calculation -> verdicts: reading it, judging every cell, saying what happened."""
