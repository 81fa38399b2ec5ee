"""The recipes, one line each."""

from typing import Final

from symattn.generate.recipe import Recipe
from symattn.generate.recipes import (
    causal_mask,
    cross_attention,
    first_steps,
    full_attention,
    kv_cache,
    padding_mask,
    scale_softmax,
    scores,
    tidy_weights,
    two_heads,
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
)

BY_NAME: Final = {recipe.name: recipe for recipe in RECIPES}
