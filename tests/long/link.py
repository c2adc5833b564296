"""A million table_link events over a bad line, 100 reconnects, 20 restarts: told once, or reported lost."""

import sys
import time

from tests.firmware_protocols.marathon import Course, Marathon


def test_a_million_events_are_told_once_in_order_or_reported_lost() -> None:
    begun = time.monotonic()
    marathon = Marathon(course=Course(events=1_000_000, seed=7))
    marathon.run()
    here_s = time.monotonic() - begun
    sys.stdout.write(
        f"\n{sum(marathon.emitted.values())} events, {marathon.told} told, {marathon.missed} reported lost "
        f"in {marathon.gaps} gaps; {marathon.lost_frames} frames lost, "
        f"{marathon.corrupted_frames} corrupted; "
        f"{marathon.now:.0f} s at the table, {here_s:.0f} s here\n"
    )
    assert marathon.told > 900_000
