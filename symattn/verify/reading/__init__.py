"""What somebody wrote, in LaTeX, Markdown, plain text or data, as exact values that remember how
they were written. Strict: what cannot be read is refused with a code, a place and a next step.
"""
