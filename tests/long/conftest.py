"""What the long runs share: seeds to be given by hand, so that a run can go on where another ended."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--seeds", metavar="FIRST-LAST", help="Which seeds to run, as in 4-20.")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "episode" not in metafunc.fixturenames:
        return
    given: str = metafunc.config.getoption("--seeds") or metafunc.module.SEEDS
    first, _, last = given.partition("-")
    metafunc.parametrize("episode", range(int(first), int(last or first) + 1))
