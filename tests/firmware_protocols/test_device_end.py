from typing import Final

from firmware_protocols import (
    DEVICE_MEMORY,
    WINDOW,
    Ack,
    Command,
    CommandCode,
    CutCardScan,
    Decoded,
    Decoder,
    DeviceEnd,
    DeviceIdentity,
    DeviceKind,
    Event,
    Heartbeat,
    Hello,
    HostMessage,
    Ping,
    Reply,
    ReplyResult,
    Resume,
    encode,
)

IDENTITY: Final = DeviceIdentity(kind=DeviceKind.SHOE, serial="TE-0042", firmware=(1, 4, 2))
BOOT: Final = 77


def device(*, events: int = 0, resumed: bool = True) -> DeviceEnd:
    end = DeviceEnd(identity=IDENTITY, boot=BOOT, now=0.0)
    end.opened(0.0)
    if resumed:
        tell(end, Resume(boot=BOOT, after=0))
    said(end)
    for _ in range(events):
        end.emit(CutCardScan(), 0.0)
    return end


def tell(end: DeviceEnd, message: HostMessage, now: float = 0.0) -> tuple[Command, ...]:
    return end.receive(encode(message), now)


def said(end: DeviceEnd) -> tuple[Decoded, ...]:
    return Decoder().receive(end.data_to_send())


def numbers(end: DeviceEnd) -> list[int]:
    return [item.number for item in said(end) if isinstance(item, Event)]


def test_it_introduces_itself_when_plugged_in_and_when_asked() -> None:
    end = DeviceEnd(identity=IDENTITY, boot=BOOT, now=0.0)
    greeting = Hello(
        kind=DeviceKind.SHOE, boot=BOOT, firmware=(1, 4, 2), oldest=1, newest=0, serial="TE-0042"
    )
    end.opened(0.0)
    assert said(end) == (greeting,)
    tell(end, Ping())
    assert said(end) == (greeting,)


def test_no_event_before_resume_on_a_connection() -> None:
    end = device(events=3, resumed=False)
    end.tick(0.5)
    assert numbers(end) == []
    tell(end, Resume(boot=BOOT, after=1))
    assert numbers(end) == [2, 3]
    end.closed()
    end.opened(1.0)
    assert numbers(end) == []


def test_eight_are_in_flight_and_the_rest_follow_the_acknowledgement() -> None:
    end = device(events=12)
    assert numbers(end) == list(range(1, WINDOW + 1))
    tell(end, Ack(boot=BOOT, number=3))
    assert numbers(end) == [9, 10, 11]


def test_what_is_not_acknowledged_goes_out_again_with_doubling_delays() -> None:
    end = device(events=2)
    said(end)
    at = []
    for step in range(1, 800):
        end.tick(step / 100)
        at += [step / 100 for number in numbers(end) if number == 1]
    assert at == [0.25, 0.75, 1.75, 3.75, 5.75, 7.75]
    tell(end, Ack(boot=BOOT, number=2), 8.0)
    end.tick(12.0)
    assert numbers(end) == []


def test_an_acknowledgement_of_another_boot_or_beyond_the_newest_is_ignored() -> None:
    end = device(events=3)
    for ack in (Ack(boot=BOOT + 1, number=3), Ack(boot=BOOT, number=4), Ack(boot=BOOT, number=0)):
        tell(end, ack)
        assert end.oldest == 1


def test_a_resume_forgets_nothing() -> None:
    end = device(events=3)
    tell(end, Resume(boot=BOOT, after=3))
    said(end)
    tell(end, Resume(boot=BOOT, after=0))
    assert numbers(end) == [1, 2, 3]


def test_a_resume_of_another_boot_is_answered_by_hello() -> None:
    end = device(events=1, resumed=False)
    tell(end, Resume(boot=BOOT + 1, after=0))
    (greeting,) = said(end)
    assert isinstance(greeting, Hello)
    assert not end.resumed


def test_the_memory_is_bounded_and_the_oldest_goes_first() -> None:
    end = device(events=DEVICE_MEMORY + 5, resumed=False)
    assert (end.oldest, end.newest) == (6, DEVICE_MEMORY + 5)
    tell(end, Resume(boot=BOOT, after=0))
    assert numbers(end) == list(range(6, 6 + WINDOW))


def test_a_reconnection_keeps_and_a_power_cycle_forgets() -> None:
    end = device(events=3)
    end.closed()
    end.opened(1.0)
    assert (end.boot, end.oldest, end.newest) == (BOOT, 1, 3)
    end.power_cycled(boot=78, now=2.0)
    assert (end.boot, end.oldest, end.newest) == (78, 1, 0)
    assert end.emit(CutCardScan(), 2.5) == 1
    tell(end, Resume(boot=78, after=0), 2.5)
    assert [item.at_ms for item in said(end) if isinstance(item, Event)] == [500]


def test_a_heartbeat_each_second() -> None:
    end = device(events=2, resumed=False)
    beats: list[Decoded] = []
    for step in range(1, 36):
        end.tick(step / 10)
        beats += said(end)
    assert [beat.uptime_s for beat in beats if isinstance(beat, Heartbeat)] == [1, 2, 3]
    assert all(isinstance(beat, Heartbeat) and beat.newest == 2 for beat in beats)


def test_a_command_is_handed_over_and_answered() -> None:
    end = device()
    (command,) = tell(end, Command(id=5, code=CommandCode.LOCK))
    end.reply(command, ReplyResult.REFUSED)
    assert said(end) == (Reply(id=5, result=ReplyResult.REFUSED),)


def test_noise_does_nothing() -> None:
    end = device(events=1)
    assert end.receive(b"\xff\x00" * 500 + b"\x01" * 5000, 0.0) == ()
