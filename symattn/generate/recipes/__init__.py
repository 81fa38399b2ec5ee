"""The recipes, one line each."""

from typing import Final

from symattn.generate.recipe import Recipe
from symattn.generate.recipes import (
    causal_mask,
    cross_attention,
    find_the_mistake,
    first_steps,
    full_attention,
    kv_cache,
    letters,
    multiple_choice,
    padding_mask,
    reverse,
    scale_softmax,
    scores,
    shapes,
    tidy_weights,
    two_heads,
    which_mask,
)

RECIPES: Final[tuple[Recipe, ...]] = (
    first_steps.RECIPE,
    scores.RECIPE,
    scale_softmax.RECIPE,
    full_attention.RECIPE,
    causal_mask.RECIPE,
    padding_mask.RECIPE,
    cross_attention.RECIPE,
    two_heads.RECIPE,
    kv_cache.RECIPE,
    tidy_weights.RECIPE,
    letters.RECIPE,
    find_the_mistake.RECIPE,
    which_mask.RECIPE,
    shapes.RECIPE,
    multiple_choice.RECIPE,
    reverse.RECIPE,
)

BY_NAME: Final = {recipe.name: recipe for recipe in RECIPES}
