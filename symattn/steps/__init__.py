"""The laws of attention, one short file each."""

from typing import Final

from symattn.derivation import RuleBook
from symattn.steps.concat import CONCAT
from symattn.steps.mask import MASK
from symattn.steps.mix import MIX
from symattn.steps.output import OUTPUT
from symattn.steps.project import KEY, QUERY, VALUE
from symattn.steps.scale import SCALE
from symattn.steps.score import SCORE
from symattn.steps.softmax import SOFTMAX

CORRECT: Final = RuleBook(
    query=QUERY,
    key=KEY,
    value=VALUE,
    score=SCORE,
    scale=SCALE,
    mask=MASK,
    softmax=SOFTMAX,
    mix=MIX,
    concat=CONCAT,
    output=OUTPUT,
)
