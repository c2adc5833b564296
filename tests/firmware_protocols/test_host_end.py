import itertools
from typing import Final

import pytest

from firmware_protocols import (
    LOST_AFTER_S,
    SILENT_AFTER_S,
    Ack,
    Card,
    CardScan,
    Command,
    CommandCode,
    CutCardScan,
    Decoded,
    Decoder,
    DeviceKind,
    Event,
    FaceDownCard,
    ForeignHello,
    Heartbeat,
    Hello,
    HostEnd,
    HostNews,
    Mark,
    Missed,
    NotReceived,
    Ping,
    Refused,
    Reply,
    ReplyResult,
    Resume,
    Resumed,
    Unanswered,
    WasLost,
    WentSilent,
    encode,
)

BOOT: Final = 0x1A2B3C4D
SEVEN: Final = CardScan(card=FaceDownCard(Card.S7), face_up=False, reread=False, confidence=100)


def hello(*, boot: int = BOOT, oldest: int = 1, newest: int = 0, serial: str = "TE-0042") -> Hello:
    return Hello(
        kind=DeviceKind.SHOE, boot=boot, firmware=(1, 4, 2), oldest=oldest, newest=newest, serial=serial
    )


def card(number: int) -> Event:
    return Event(number=number, at_ms=number * 1000, what=SEVEN)


def beat(newest: int, uptime_s: int) -> Heartbeat:
    return Heartbeat(newest=newest, uptime_s=uptime_s, supply_mv=5000, lamp_percent=100)


class Bench:
    """A host end whose device is the test."""

    def __init__(self, resume_from: Mark | None, *, serial: str | None = None) -> None:
        self.end = HostEnd(kind=DeviceKind.SHOE, serial=serial, resume_from=resume_from)
        self.now = 100.0
        self.end.opened(self.now)

    def said(self) -> tuple[Decoded, ...]:
        return Decoder().receive(self.end.data_to_send())

    def hear(self, *messages: Hello | ForeignHello | Event | Heartbeat | Reply) -> tuple[HostNews, ...]:
        return self.end.receive(b"".join(map(encode, messages)), self.now)

    def wait(self, seconds: float) -> tuple[HostNews, ...]:
        """Let the deadlines pass one by one, as a pump does."""
        until = self.now + seconds
        news: tuple[HostNews, ...] = ()
        while (due := self.end.deadline) is not None and due <= until:
            self.now = due
            news += self.end.tick(due)
        self.now = until
        return news


def running(number: int = 0) -> Bench:
    bench = Bench(Mark(boot=BOOT, number=number))
    bench.hear(hello(oldest=number + 1, newest=number))
    bench.said()
    return bench


def test_it_asks_on_opening_and_resumes_from_what_was_committed() -> None:
    bench = Bench(Mark(boot=BOOT, number=7))
    assert bench.said() == (Ping(),)
    greeting = hello(oldest=8, newest=9)
    assert bench.hear(greeting) == (Resumed(hello=greeting, mark=Mark(boot=BOOT, number=7), skipped=0),)
    assert bench.said() == (Resume(boot=BOOT, after=7),)


def test_an_unanswered_ping_is_repeated_with_growing_delays() -> None:
    bench = Bench(None)
    assert bench.said() == (Ping(),)
    times = []
    while bench.now < 107.0:
        bench.now += 0.0625  # exact in binary
        bench.end.tick(bench.now)
        times += [bench.now - 100.0 for _ in bench.said()]
    assert times[:3] == [0.25, 0.75, 1.75]
    assert all(b - a <= 2.1 for a, b in itertools.pairwise(times))


def test_first_contact_resumes_after_the_newest_and_counts_what_it_skips() -> None:
    bench = Bench(None)
    bench.said()
    (news,) = bench.hear(hello(oldest=3, newest=12))
    assert isinstance(news, Resumed)
    assert (news.mark, news.skipped) == (Mark(boot=BOOT, number=12), 10)
    assert bench.said() == (Resume(boot=BOOT, after=12),)


def test_nothing_is_acknowledged_before_it_is_committed() -> None:
    bench = running()
    assert bench.hear(card(1), card(2)) == (card(1), card(2))
    assert bench.said() == ()
    bench.hear(card(1))
    assert bench.said() == ()
    bench.end.acknowledge(Mark(boot=BOOT, number=2))
    assert bench.said() == (Ack(boot=BOOT, number=2),)


def test_acknowledgements_are_coalesced() -> None:
    bench = running()
    bench.hear(card(1), card(2), card(3))
    for number in (1, 2, 3):
        bench.end.acknowledge(Mark(boot=BOOT, number=number))
    assert bench.said() == (Ack(boot=BOOT, number=3),)


def test_seven_identical_cards_in_a_row_are_seven_cards() -> None:
    bench = running()
    assert len(bench.hear(*map(card, range(1, 8)))) == 7


def test_a_repeated_frame_is_one_card_and_is_acknowledged_again() -> None:
    bench = running()
    assert bench.hear(card(1), card(1)) == (card(1),)
    bench.end.acknowledge(Mark(boot=BOOT, number=1))
    bench.said()
    assert bench.hear(card(1)) == ()
    assert bench.said() == (Ack(boot=BOOT, number=1),)
    assert bench.end.counts.repeats == 2


def test_an_event_out_of_order_waits_for_the_resend() -> None:
    bench = running()
    assert bench.hear(card(2), card(3)) == ()
    assert bench.said() == (Ping(),)
    bench.hear(hello(oldest=1, newest=3))
    assert bench.said() == (Resume(boot=BOOT, after=0),)
    assert bench.hear(card(1), card(2), card(3)) == (card(1), card(2), card(3))
    assert bench.end.counts.early == 2
    assert bench.end.counts.gaps == 0


def test_events_pushed_out_of_the_memory_in_mid_connection_are_a_gap() -> None:
    bench = running()
    bench.hear(card(1), card(9))
    news = bench.hear(hello(oldest=6, newest=9))
    assert news == (Missed(boot=BOOT, first=2, last=5, mark=Mark(boot=BOOT, number=5)),)
    assert bench.hear(card(6)) == (card(6),)


def test_a_number_the_device_never_sends_is_a_gap_in_the_end() -> None:
    bench = running()
    found: list[HostNews] = []
    for _ in range(20):
        found += bench.hear(card(2))
        bench.now += 2.0
        bench.end.tick(bench.now)
        found += bench.hear(hello(oldest=1, newest=2))
    assert found == [Missed(boot=BOOT, first=1, last=1, mark=Mark(boot=BOOT, number=1)), card(2)]


def test_what_the_device_no_longer_holds_is_a_gap() -> None:
    bench = Bench(Mark(boot=BOOT, number=7))
    greeting = hello(oldest=11, newest=20)
    mark = Mark(boot=BOOT, number=10)
    assert bench.hear(greeting) == (
        Missed(boot=BOOT, first=8, last=10, mark=mark),
        Resumed(hello=greeting, mark=mark, skipped=0),
    )
    assert bench.said()[-1] == Resume(boot=BOOT, after=10)


def test_another_boot_is_a_gap_of_unknown_size() -> None:
    bench = Bench(Mark(boot=BOOT, number=7))
    greeting = hello(boot=5, oldest=3, newest=4)
    mark = Mark(boot=5, number=2)
    assert bench.hear(greeting) == (
        Missed(boot=BOOT, first=8, last=None, mark=mark),
        Resumed(hello=greeting, mark=mark, skipped=0),
    )
    assert bench.said()[-1] == Resume(boot=5, after=2)
    assert bench.end.counts.gaps == 1


def test_a_restart_in_mid_connection_is_a_gap_after_what_was_already_told() -> None:
    bench = running()
    bench.hear(card(1), card(2))
    bench.end.acknowledge(Mark(boot=BOOT, number=1))
    bench.said()
    news = bench.hear(hello(boot=5, oldest=1, newest=1), card(1))
    assert news[0] == Missed(boot=BOOT, first=3, last=None, mark=Mark(boot=5, number=0))
    assert isinstance(news[1], Resumed)
    assert news[2] == card(1)
    bench.end.acknowledge(Mark(boot=BOOT, number=2))  # committed late: no concern of the new boot
    assert bench.said() == (Resume(boot=5, after=0),)
    bench.end.acknowledge(Mark(boot=5, number=1))
    assert bench.said() == (Ack(boot=5, number=1),)


@pytest.mark.parametrize("sign", [beat(newest=0, uptime_s=90), beat(newest=2, uptime_s=1)])
def test_a_restart_whose_hello_was_lost_shows_in_the_heartbeat(sign: Heartbeat) -> None:
    bench = running()
    bench.hear(card(1), card(2), beat(newest=2, uptime_s=60))
    assert bench.said() == ()
    bench.hear(sign)
    assert bench.said() == (Ping(),)


def test_a_restart_that_shows_in_nothing_is_found_by_asking() -> None:
    bench = running()
    bench.hear(card(1))
    for _ in range(6):
        bench.hear(beat(newest=1, uptime_s=1))  # of the new boot, which also has one event
        bench.wait(1.0)
    assert Ping() in bench.said()
    assert isinstance(bench.hear(hello(boot=5, oldest=1, newest=1))[0], Missed)
    assert bench.hear(card(1)) == (card(1),)


def test_idle_time_is_no_reason_to_believe_in_a_hole() -> None:
    bench = running()
    for uptime_s in range(100):
        bench.hear(beat(newest=0, uptime_s=uptime_s), hello())
        bench.wait(1.0)
    assert bench.hear(card(2)) == ()
    assert bench.hear(card(1), card(2)) == (card(1), card(2))


def test_a_lost_resume_shows_in_the_heartbeat() -> None:
    bench = running()
    bench.hear(beat(newest=1, uptime_s=60))
    assert bench.said() == (Ping(),)


def test_a_reconnection_tells_nothing_twice_even_what_was_not_yet_committed() -> None:
    bench = running()
    bench.hear(card(1), card(2))
    bench.end.acknowledge(Mark(boot=BOOT, number=1))
    bench.end.closed()
    bench.end.opened(bench.now)
    news = bench.hear(hello(oldest=2, newest=3))
    assert isinstance(news[0], Resumed)
    assert news[0].mark == Mark(boot=BOOT, number=2)
    assert bench.said() == (Ping(), Resume(boot=BOOT, after=1))
    assert bench.hear(card(2), card(3)) == (card(3),)


def test_an_acknowledgement_that_was_lost_with_the_cable_is_given_again() -> None:
    bench = running()
    bench.hear(card(1))
    bench.end.closed()
    bench.end.acknowledge(Mark(boot=BOOT, number=1))
    assert bench.said() == ()
    bench.end.opened(bench.now)
    bench.hear(hello(oldest=1, newest=1))
    assert bench.said() == (Ping(), Resume(boot=BOOT, after=1), Ack(boot=BOOT, number=1))


def test_silence_is_told_once_then_the_loss() -> None:
    bench = running()
    assert bench.wait(SILENT_AFTER_S - 0.1) == ()
    assert bench.wait(0.2) == (WentSilent(octets=0),)
    assert not bench.end.running
    assert bench.wait(LOST_AFTER_S) == (WasLost(octets=0),)
    assert bench.end.deadline is None


def test_a_device_that_speaks_again_is_asked_and_resumed_anew() -> None:
    bench = running()
    bench.wait(SILENT_AFTER_S + 1)
    bench.said()
    assert bench.hear(card(1)) == ()
    assert Ping() in bench.said()
    (news,) = bench.hear(hello(newest=1))
    assert isinstance(news, Resumed)
    assert bench.hear(card(1)) == (card(1),)


@pytest.mark.parametrize("resumed", [False, True])
def test_a_device_that_is_heard_and_does_not_answer_is_told(*, resumed: bool) -> None:
    bench = Bench(Mark(boot=BOOT, number=0))
    if resumed:
        bench.hear(hello())
    told: list[HostNews] = []
    for second in range(1, 17):
        bench.now += 1
        told += bench.hear(beat(0, 10 + second))
        told += bench.end.tick(bench.now)
    assert told.count(Unanswered()) == 1
    assert not bench.end.running
    assert any(isinstance(each, Resumed) for each in bench.hear(hello()))
    assert bench.end.running


def test_bytes_without_a_frame_are_told_with_the_silence() -> None:
    bench = running()
    for _ in range(20):
        bench.end.receive(b"\xa5\x5a\x00", bench.now)
    assert bench.wait(SILENT_AFTER_S) == (WentSilent(octets=60),)


@pytest.mark.parametrize(
    ("stranger", "wanted", "found"),
    [
        (ForeignHello(version=2), "table_link version 1", "version 2"),
        (
            Hello(kind=DeviceKind.SHUFFLER, boot=1, firmware=(1, 0, 0), oldest=1, newest=0, serial="TE-0042"),
            "shoe",
            "shuffler",
        ),
        (
            Hello(kind=9, boot=1, firmware=(1, 0, 0), oldest=1, newest=0, serial="TE-0042"),
            "shoe",
            "kind 9",
        ),
        (hello(serial="TE-0043"), "serial number TE-0042", "serial number TE-0043"),
        (hello(serial=""), "serial number TE-0042", "serial number (none)"),
    ],
)
def test_another_device_is_refused_and_nothing_is_taken_from_it(
    stranger: Hello | ForeignHello, wanted: str, found: str
) -> None:
    bench = Bench(None, serial="TE-0042")
    bench.said()
    assert bench.hear(stranger, card(1)) == (Refused(wanted=wanted, found=found),)
    assert bench.said() == ()
    assert bench.end.deadline is None


def test_a_device_that_lost_its_memory_without_a_new_boot_is_refused() -> None:
    # Resuming would take its next card for one that is already on disk, and drop it.
    bench = Bench(Mark(boot=BOOT, number=7))
    (news,) = bench.hear(hello(oldest=1, newest=0))
    assert isinstance(news, Refused)


def test_what_was_never_told_cannot_be_acknowledged() -> None:
    bench = running()
    bench.hear(card(1))
    with pytest.raises(NotReceived):
        bench.end.acknowledge(Mark(boot=BOOT, number=2))


def test_frames_at_the_wrong_time_do_nothing() -> None:
    end = HostEnd(kind=DeviceKind.SHOE, serial=None, resume_from=None)
    assert end.receive(encode(card(1)), 0.0) == ()
    end.opened(0.0)
    assert end.receive(encode(card(1)) + encode(Ping()) + encode(Ack(boot=1, number=1)), 0.0) == ()
    reply = Reply(id=1, result=ReplyResult.DONE)
    assert end.receive(encode(reply), 0.0) == (reply,)
    assert end.counts.strangers == 2
    assert end.counts.early == 1


def test_a_cut_card_is_an_event_like_any_other() -> None:
    bench = running()
    cut = Event(number=1, at_ms=5, what=CutCardScan())
    assert bench.hear(cut) == (cut,)


def test_a_command_is_sent_once_and_never_kept_for_later() -> None:
    lock = Command(id=1, code=CommandCode.LOCK)
    bench = running()
    assert bench.end.send(lock)
    assert bench.said() == (lock,)
    bench.end.closed()
    assert not bench.end.send(lock)
    bench.end.opened(bench.now)
    assert bench.said() == (Ping(),)
