from tests.firmware_protocols.marathon import Course, Marathon


def test_twenty_thousand_events_over_a_bad_line_are_told_once_in_order_or_reported_lost() -> None:
    marathon = Marathon(course=Course(events=20_000, seed=1))
    marathon.run()
    assert marathon.lost_frames > 1000
    assert marathon.corrupted_frames > 200
    assert marathon.gaps >= 15
    assert marathon.told > 10_000
