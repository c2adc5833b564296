"""Whatever kills a part of the daemon is told without its values, wherever it was raised."""

import asyncio
import contextlib
import gc
import threading
from collections.abc import Awaitable, Callable

import pytest
from structlog.testing import CapturingLogger

from edge import deaths
from edge.deaths import Deaths, death, for_ever, mortal
from edge.errors import EdgeError, JournalCorrupt, PartDied

CARD = "the hole card is 7h"


class HiddenCardError(Exception):
    pass


def _raise_it() -> None:
    raise HiddenCardError(CARD)


async def _poisoned() -> None:
    await asyncio.sleep(0)
    _raise_it()


@pytest.fixture(autouse=True)
def log(monkeypatch: pytest.MonkeyPatch) -> CapturingLogger:
    log = CapturingLogger()
    monkeypatch.setattr(deaths, "log", log)
    return log


def _killed(work: Awaitable[None]) -> EdgeError:
    with pytest.raises(EdgeError) as died:
        asyncio.run(mortal("device:shoe", work))
    return died.value


def _said(log: CapturingLogger, capfd: pytest.CaptureFixture[str]) -> str:
    """Everything that came out anywhere."""
    out, err = capfd.readouterr()
    return f"{log.calls}{out}{err}"


def test_a_bug_is_told_by_its_type_and_place(log: CapturingLogger, capfd: pytest.CaptureFixture[str]) -> None:
    died = _killed(_poisoned())
    assert isinstance(died, PartDied)
    place = f"{__name__}:{_raise_it.__code__.co_firstlineno + 1} _raise_it"
    assert str(died).startswith(f"The part device:shoe of the daemon died of HiddenCardError at {place}.")
    assert died.__cause__ is None
    assert died.__suppress_context__
    (call,) = log.calls
    assert call.args == ("part.died",)
    assert call.kwargs["error"] == "HiddenCardError"
    assert call.kwargs["places"][-1] == place
    assert CARD not in _said(log, capfd)


def test_what_is_meant_for_people_speaks_for_itself(log: CapturingLogger) -> None:
    async def corrupt() -> None:
        raise JournalCorrupt("The journal cannot be trusted.", hint="Call the supervisor.")

    assert str(_killed(corrupt())) == "The journal cannot be trusted. Call the supervisor."
    assert log.calls == []


def test_of_a_group_the_first_is_told() -> None:
    async def nested() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(_poisoned())
            group.create_task(asyncio.sleep(9))

    assert "HiddenCardError" in str(_killed(nested()))


def test_an_exception_that_was_never_raised_has_no_place() -> None:
    assert str(death("daemon", ValueError(CARD))).startswith(
        "The part daemon of the daemon died of ValueError."
    )


def test_what_has_no_end_may_not_end() -> None:
    with pytest.raises(PartDied, match="ended by itself"):
        asyncio.run(for_ever("vigil", asyncio.sleep(0)))


def test_an_end_that_was_asked_for_is_none() -> None:
    async def asked() -> None:
        task = asyncio.create_task(for_ever("vigil", asyncio.sleep(9)))
        await asyncio.sleep(0)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        assert task.cancelled()

    asyncio.run(asked())


def _outside(kill: Callable[[], None]) -> str:
    async def body() -> str:
        with Deaths() as heard:
            kill()
            with pytest.raises(EdgeError) as died:
                await asyncio.wait_for(heard.first(), 5)
            return str(died.value)

    return asyncio.run(body())


def test_a_callback_that_dies_is_heard(log: CapturingLogger, capfd: pytest.CaptureFixture[str]) -> None:
    def soon() -> None:
        asyncio.get_running_loop().call_soon(_raise_it)

    told = _outside(soon)
    assert "The part callback of the daemon died of HiddenCardError" in told
    assert CARD not in told + _said(log, capfd)


def test_a_thread_that_dies_is_heard(log: CapturingLogger, capfd: pytest.CaptureFixture[str]) -> None:
    told = _outside(threading.Thread(target=_raise_it, name="usb:shoe").start)
    assert "The part thread usb:shoe of the daemon died of HiddenCardError" in told
    assert CARD not in told + _said(log, capfd)


def test_a_task_nobody_waits_for_and_a_finalizer_are_logged_without_values(
    log: CapturingLogger, capfd: pytest.CaptureFixture[str]
) -> None:
    class Finalized:
        def __del__(self) -> None:
            _raise_it()

    async def body() -> None:
        with Deaths():
            orphan = asyncio.create_task(_poisoned())
            await asyncio.sleep(0.01)
            del orphan
            gc.collect()
            Finalized()
            gc.collect()
            asyncio.get_running_loop().call_exception_handler({"message": f"odd\n{CARD}"})

    asyncio.run(body())
    events = sorted(call.args[0] for call in log.calls)
    assert events == ["finalizer.failed", "loop.complained", "loop.unheard"]
    assert CARD not in _said(log, capfd)


def test_only_the_first_death_is_raised() -> None:
    def twice() -> None:
        loop = asyncio.get_running_loop()
        loop.call_soon(_raise_it)
        loop.call_soon(_raise_it)

    assert "HiddenCardError" in _outside(twice)


def test_the_hooks_are_given_back() -> None:
    before = threading.excepthook

    async def body() -> None:
        with Deaths():
            assert threading.excepthook is not before

    asyncio.run(body())
    assert threading.excepthook is before
