"""Hand-ins marked. Seconds go to standard error as in `benchmarks.pages`.

python -m benchmarks.verify hand_in 200      one right hand-in of three tokens, once all is loaded
python -m benchmarks.verify slips 100        the same with a wrong score and what follows from it
python -m benchmarks.verify terms 32         two forms of an output of so many terms compared
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from typing import Final

RIGHT: Final = """
Scores: [[1, 5, 3], [3, 3, 3], [2, 4, 3]]

Scaled = [[0.577, 2.887, 1.732], [1.732, 1.732, 1.732], [1.155, 2.309, 1.732]]

Weights = [[0.070, 0.707, 0.223], [0.333, 0.333, 0.333], [0.168, 0.533, 0.299]]

Output = [[1.000, 1.637, 0.070], [1.000, 1.000, 0.333], [1.000, 1.365, 0.168]]
"""
SLIPS: Final = """
Scores: [[1, 5, 3], [3, 3, 3], [2, 4, 2]]

Scaled = [[0.577, 2.887, 1.732], [1.732, 1.732, 1.732], [1.155, 2.309, 1.155]]

Weights = [[0.070, 0.707, 0.223], [0.333, 0.333, 0.333], [0.193, 0.613, 0.193]]

Output = [[1.000, 1.637, 0.070], [1.000, 1.000, 0.333], [0.999, 1.419, 0.193]]
"""


def hand_in(count: int) -> None:
    _marked(RIGHT, count)


def slips(count: int) -> None:
    _marked(SLIPS, count)


def _marked(text: str, count: int) -> None:
    from symattn import derive, load
    from symattn.verify.report import verify
    from symattn.views.feedback import Feedback
    from symattn.views.report_data import report_data

    derivation = derive(load("i-love-ai"))

    def one() -> None:
        json.dumps(report_data(verify(derivation, text, "plain"), Feedback()))

    _say(one, count)


def terms(count: int) -> None:
    """Σ v_k e^(s_k/√3) / Σ e^(s_k/√3), as it is and with e^(s_1/√3) divided out above and below."""
    from symattn.exact import decide
    from symattn.verify.reading.formats import read
    from symattn.verify.reading.written import Written

    scores = [(17 * k) % 97 - 40 for k in range(count)]
    plain, shifted = _output(scores, 0), _output(scores, scores[0])

    (a,), (b,) = read(plain, "latex"), read(shifted, "latex")
    assert isinstance(a.part, Written) and isinstance(b.part, Written)
    left, right = a.part.value, b.part.value

    def one() -> None:
        assert decide.equal(left, right)  # type: ignore[arg-type]

    _say(one, 3)


def _output(scores: list[int], less: int) -> str:
    powers = [rf"e^{{\frac{{{s - less}}}{{\sqrt{{3}}}}}}" for s in scores]
    top = "+".join(rf"{k % 5 + 1}\cdot {power}" for k, power in enumerate(powers))
    return rf"\frac{{{top}}}{{{'+'.join(powers)}}}"


def _say(work: Callable[[], None], count: int) -> None:
    work()
    start = time.process_time()
    for _ in range(count):
        work()
    print(json.dumps({"seconds": (time.process_time() - start) / count}), file=sys.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mode", choices=("hand_in", "slips", "terms"))
    parser.add_argument("count", type=int)
    asked = parser.parse_args()
    {"hand_in": hand_in, "slips": slips, "terms": terms}[asked.mode](asked.count)


if __name__ == "__main__":
    main()
