from itertools import pairwise

from drivers.patience import LONGEST_S, Patience


def test_the_first_retries_are_quick_and_the_last_are_capped() -> None:
    patience = Patience(lambda: 0.0)
    delays = [patience.next_delay() for _ in range(30)]
    assert delays[:8] == [0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 4.0, 8.0]
    assert delays[8:] == [LONGEST_S] * 22
    assert all(a <= b for a, b in pairwise(delays))


def test_jitter_shortens_by_half_at_most() -> None:
    assert Patience(lambda: 0.999).next_delay() > 0.025


def test_an_answer_makes_the_next_trouble_a_new_one() -> None:
    patience = Patience(lambda: 0.0)
    for _ in range(10):
        patience.next_delay()
    patience.reset()
    assert patience.next_delay() == 0.05
