"""What a reporter makes of news that is not as it should be."""

import pytest

from drivers import Absence, DeviceDisconnected, DeviceSettings, EventsMissed
from drivers.commands import Commands
from drivers.reporter import GAP, Reporter
from firmware_protocols import Garbled, HostNews, Mark, Missed, Refused, Unanswered

ANOTHER_BOOT = Missed(boot=1, first=4, last=None, mark=Mark(boot=2, number=0))
A_HOLE = Missed(boot=1, first=4, last=6, mark=Mark(boot=1, number=6))


def reporter(faults: list[str], *, restart_matters: bool = True) -> Reporter:
    return Reporter(
        DeviceSettings(id="shoe", url="serial:/dev/shoe"),
        place="/dev/shoe",
        commands=Commands("shoe"),
        monotonic=lambda: 0.0,
        faulty=faults.append,
        restart_matters=lambda: restart_matters,
    )


@pytest.mark.parametrize(
    ("news", "matters", "trouble"),
    [
        (ANOTHER_BOOT, True, "gap"),
        (ANOTHER_BOOT, False, None),
        (Garbled(octets=0), False, None),
        (Garbled(octets=9), False, "gap"),
        (A_HOLE, False, "gap"),
    ],
)
def test_a_restart_is_no_trouble_while_nothing_can_have_been_missed(
    *, news: HostNews, matters: bool, trouble: str | None
) -> None:
    faults: list[str] = []
    it = reporter(faults, restart_matters=matters)
    (report,) = it.take(news, port_serial=None)
    assert isinstance(report, EventsMissed)  # the table hears of it in any case
    assert (it.trouble, faults) == (trouble, [GAP] if trouble else [])


def test_a_device_that_is_heard_and_does_not_answer_is_told_once() -> None:
    it = reporter([])
    (report,) = it.take(Unanswered(), port_serial=None)
    assert isinstance(report, DeviceDisconnected)
    assert report.absence is Absence.NO_ANSWER
    assert "heard but has not answered" in report.detail
    assert "(TX)" in report.detail
    assert it.take(Unanswered(), port_serial=None) == ()


def test_the_remedy_for_a_refused_device_is_one() -> None:
    it = reporter([])
    it.take(Refused(wanted="a", found="b", remedy="Switch it off and on"), port_serial=None)
    assert str(it.doom) == "/dev/shoe is not what belongs here: wanted a, found b. Switch it off and on."
