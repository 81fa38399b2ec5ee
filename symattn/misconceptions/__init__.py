"""The catalogue of known mistakes, one row each.

The same row gives the diagnosis, find-the-mistake sheets, the wrong options of multiple choice, the
warnings of the marking key and the tests. Mistakes with grouped queries, rotary positions, soft
caps and rounding policies are not rows: the first three are outside the problems carried here, the
last are no wrong law.
"""

from typing import Final

from symattn.misconceptions import joining, mask, mix, project, scale, score, softmax
from symattn.misconceptions.misconception import Misconception as Misconception

ALL: Final[tuple[Misconception, ...]] = (
    project.NO_BIAS_Q,
    project.NO_BIAS_K,
    project.NO_BIAS_V,
    project.TRANSPOSED,
    project.ELEMENTWISE,
    project.LEFT,
    project.NOT_Q,
    project.NOT_K,
    project.NOT_V,
    score.NO_TRANSPOSE,
    score.KTQ,
    score.TRANSPOSED,
    score.QQT,
    score.KKT,
    score.ELEMENTWISE,
    scale.NONE,
    scale.BY_D_K,
    scale.BY_ROOT_D_MODEL,
    scale.BY_D_MODEL,
    scale.BY_ROOT_N,
    scale.BY_N,
    scale.BY_TWO,
    scale.TIMES,
    scale.AFTER,
    mask.NONE,
    mask.MULTIPLIED,
    mask.ADDED_BOOLEAN,
    mask.MINUS_ONE,
    mask.FLIPPED,
    mask.STRICT,
    mask.TRANSPOSED,
    mask.OTHER_CORNER,
    mask.BIAS_SIGN,
    mask.AFTER,
    softmax.COLUMNS,
    softmax.GLOBAL,
    softmax.NO_EXPONENTIAL,
    softmax.NOT_NORMALISED,
    softmax.BASE_TWO,
    softmax.HARD,
    softmax.SIGMOID,
    softmax.BY_MAXIMUM,
    softmax.MAXIMUM_ONCE,
    softmax.TRANSPOSED,
    mix.KEYS,
    mix.QUERIES,
    mix.EMBEDDINGS,
    mix.TRANSPOSED,
    mix.WRONG_SIDE,
    mix.ELEMENTWISE,
    mix.LARGEST,
    mix.MEAN,
    mix.SUM,
    mix.OWN,
    joining.MEAN,
    joining.SUM,
    joining.ORDER,
    joining.RESHAPED,
    joining.NO_W_O,
    joining.W_O_TRANSPOSED,
    joining.FIRST_HEAD,
)

BY_TAG: Final = {row.tag: row for row in ALL}
