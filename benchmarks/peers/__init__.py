"""What symattn is measured against. The peers read the same problem files and share no code."""
