"""Seed -> exercise: recipes, the promises they keep, and the short ids that bring sheets back."""
