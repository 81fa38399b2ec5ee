"""The recipes, one line each."""

from typing import Final

from symattn.generate.recipe import Recipe
from symattn.generate.recipes import full_attention

RECIPES: Final[tuple[Recipe, ...]] = (full_attention.RECIPE,)

BY_NAME: Final = {recipe.name: recipe for recipe in RECIPES}
