import pytest

import haichi

SHAPE_1 = "1x2x4x2x3x2"


@pytest.fixture(scope="session")
def cg64() -> haichi.Workload:
    return haichi.Workload.from_pattern("cg", ranks=64)


@pytest.fixture(scope="session")
def on_shape_1() -> dict[str, str]:
    """The paper's first job shape: 96 nodes of the 768."""
    return {"machine": "fx10-kyushu", "shape": SHAPE_1}
