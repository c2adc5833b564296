"""What a device reports is committed at once and acknowledged afterwards, never before."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import NoReturn, cast

from drivers import Absence, CardPassed, DeviceConnected, DeviceDisconnected, Position, Pump, Report, Take
from edge.following import follow_device
from edge.hearing import NO_KEYS
from edge.inputs import CardDrawn, Input
from edge.status import StatusBoard
from firmware_protocols import Card, FaceDownCard

SHOE = DeviceConnected(
    device="shoe",
    kind="shoe",
    serial="S1",
    firmware="1.0.0",
    position=Position(boot=7, number=0),
    skipped=0,
)


def card(number: int) -> CardPassed:
    return CardPassed(
        device="shoe",
        position=Position(boot=7, number=number),
        device_ms=number * 400,
        card=FaceDownCard(Card("Ks")),
        reread=False,
    )


class ScriptedPump:
    """Hands its batches on, each until it is taken; writes down in which order things were done."""

    def __init__(self, done: list[str], *batches: tuple[Report, ...]) -> None:
        self.done = done
        self.batches = batches

    async def run(self, take: Take) -> NoReturn:
        for batch in self.batches:
            while not take(batch):  # noqa: ASYNC110 - as a pump does
                await asyncio.sleep(0.01)
            self.done.append("taken")
        await asyncio.Event().wait()
        raise AssertionError("nobody sets it")

    def acknowledge(self, position: Position) -> None:
        self.done.append(f"acknowledged {position.number}")


def follow(
    *batches: tuple[Report, ...], refused: int = 0
) -> tuple[list[str], list[Input], Counter[str], StatusBoard]:
    done: list[str] = []
    inputs: list[Input] = []
    tries: Counter[str] = Counter()
    board = StatusBoard(wall_ms=lambda: 0)

    def take(heard: Sequence[Input]) -> bool:
        if tries["shoe"] < refused:
            done.append("refused")
            return False
        done.append("committed")
        inputs.extend(heard)
        return True

    async def run() -> None:
        pump = cast("Pump", ScriptedPump(done, *batches))
        told = partial(done.append, "told")
        task = asyncio.create_task(follow_device("shoe", pump, take, board, tries, tell=told, keys=NO_KEYS))
        await asyncio.sleep(0.1)
        task.cancel()

    asyncio.run(run())
    return done, inputs, tries, board


def test_each_batch_is_acknowledged_after_its_commit_up_to_its_last_report() -> None:
    done, inputs, _, _ = follow((card(1), card(2)))

    assert done == ["committed", "taken", "acknowledged 2", "told"]
    assert [type(each) for each in inputs] == [CardDrawn, CardDrawn]
    first, second = (each.nonce for each in inputs if isinstance(each, CardDrawn))
    assert first != second
    assert len(first) == 32
    assert bytes.fromhex(first)


def test_acknowledgements_keep_the_order_of_commits() -> None:
    done, _, _, _ = follow((card(1),), (card(2),), (card(3),))

    acknowledged = [each for each in done if each.startswith("ack")]
    assert acknowledged == ["acknowledged 1", "acknowledged 2", "acknowledged 3"]
    for number in (1, 2, 3):
        assert done[: done.index(f"acknowledged {number}")].count("committed") >= number


def test_what_the_disk_refuses_is_not_acknowledged_and_counts_as_a_try() -> None:
    done, inputs, tries, _ = follow((card(1),), refused=2)

    assert done == ["refused", "refused", "committed", "taken", "acknowledged 1", "told"]
    assert len(inputs) == 1
    assert tries["shoe"] == 2


def test_the_status_tells_whether_the_device_is_there() -> None:
    gone = DeviceDisconnected(device="shoe", absence=Absence.LOST, detail="It is gone: look at its cable.")

    *_, away = follow((SHOE,), (gone,))
    *_, back = follow((gone,), (SHOE,))

    assert [(each.reason, each.sentence) for each in away.reasons] == [("device:shoe", gone.detail)]
    assert back.reasons == ()
