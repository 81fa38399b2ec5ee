"""One reproducible Hypothesis profile; long campaigns only when asked for."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# The samples and tools of the writers are for all tests of pages.
sys.path.insert(0, str(Path(__file__).parent / "writers"))

settings.register_profile(
    "ci",
    derandomize=True,
    deadline=None,
    max_examples=100,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("long", settings.get_profile("ci"), derandomize=False, max_examples=3000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave tests marked slow out, unless -m names them."""
    if "slow" in config.option.markexpr:
        return
    skip = pytest.mark.skip(reason="a long campaign: run with -m slow")
    for item in items:
        if "slow" in item.keywords:
            item.add_marker(skip)
