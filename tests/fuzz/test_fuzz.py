"""The corpus of each codec again, and some hundred inputs made of it; ``scripts/fuzz`` looks further."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.inputs import FOLDER, corpus
from tests.fuzz.run import main, mutated
from tests.fuzz.targets import TARGETS


@pytest.mark.parametrize("name", TARGETS)
def test_what_was_once_found_is_read(name: str) -> None:
    kept = corpus(name)
    assert kept
    for octets in kept:
        TARGETS[name](octets)


@pytest.mark.parametrize("name", TARGETS)
def test_what_is_made_of_it_is_read(name: str) -> None:
    kept = corpus(name)

    @settings(derandomize=True, deadline=None, max_examples=150)
    @given(
        st.binary(max_size=200) | st.integers(0, 2**32).map(lambda seed: mutated(random.Random(seed), kept))
    )
    def anything(octets: bytes) -> None:
        TARGETS[name](octets)

    anything()


def test_a_fault_is_told_with_its_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def faulty(octets: bytes) -> None:
        raise ValueError(len(octets))

    monkeypatch.setitem(TARGETS, "barcode", faulty)
    monkeypatch.setattr("tests.fuzz.run.keep", lambda name, inputs: len(inputs))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert main(["barcode", "--seconds", "1"]) == 1
    assert "input: " in capsys.readouterr().out


def test_every_corpus_has_its_target() -> None:
    assert {each.stem for each in FOLDER.glob("*.hex")} == set(TARGETS)
