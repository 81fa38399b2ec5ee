"""Sheets to be worked on by hand: their sections, and the five documents of an exercise."""
