"""What killed a part of the daemon, told without its values: an exception's text could name a card.

An exception that is no :class:`~edge.errors.EdgeError` is a bug. Of a bug only its type and the places it
went through are told, never its message, its variables or the objects it was about. That holds for tasks and
for what runs outside them: callbacks of the loop, threads, finalizers.
"""

import asyncio
import sys
import threading
import traceback
from collections.abc import Awaitable, Iterator, Mapping
from types import TracebackType
from typing import Final, Self

import structlog

from edge.errors import EdgeError, PartDied

HINT: Final = (
    "This is a bug: report it with these words. Where a service runs it, it is started again at once."
)

log = structlog.get_logger("edge.daemon")


def death(part: str, error: BaseException) -> EdgeError:
    """The one thing to be told of an exception that ended a part, and logs where it came from.

    Of a group the first is told; an :class:`~edge.errors.EdgeError` speaks for itself.
    """
    first = next(_leaves(error))
    if isinstance(first, EdgeError):
        return first
    kind, places = type(first).__name__, _places(first.__traceback__)
    log.critical("part.died", part=part, error=kind, places=places)
    where = f" at {places[-1]}" if places else ""
    return PartDied(f"The part {part} of the daemon died of {kind}{where}.", hint=HINT)


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for each in error.exceptions:
            yield from _leaves(each)
    else:
        yield error


def _places(trace: TracebackType | None) -> list[str]:
    """Module, line and function of every step, outermost first."""
    return [
        f"{frame.f_globals.get('__name__', '?')}:{line} {frame.f_code.co_name}"
        for frame, line in traceback.walk_tb(trace)
    ]


class Deaths:
    """Hears what dies outside any task, while it is entered; :meth:`first` raises it."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._first: asyncio.Future[None] = self._loop.create_future()
        self._before = threading.excepthook, sys.unraisablehook

    def __enter__(self) -> Self:
        self._loop.set_exception_handler(self._on_loop)
        threading.excepthook = self._in_thread
        sys.unraisablehook = self._in_finalizer
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # the loop keeps us: what it still says while it is being closed may show no values either
        threading.excepthook, sys.unraisablehook = self._before
        self._first.cancel()

    async def first(self) -> None:
        """Wait, for ever if all is well.

        Raises:
            EdgeError: of what died.
        """
        await self._first

    def _on_loop(self, _: asyncio.AbstractEventLoop, told: Mapping[str, object]) -> None:
        error = told.get("exception")
        if not isinstance(error, BaseException):
            log.warning("loop.complained", about=str(told.get("message", "")).partition("\n")[0])
        elif "handle" in told:
            self._tell(death("callback", error))
        else:  # of a task or future that nobody waits for any more, so it holds nothing up
            log.warning("loop.unheard", error=type(error).__name__, places=_places(error.__traceback__))

    def _in_thread(self, told: threading.ExceptHookArgs) -> None:
        if told.exc_value is None:
            return
        died = death(f"thread {told.thread.name if told.thread else '?'}", told.exc_value)
        self._loop.call_soon_threadsafe(self._tell, died)

    @staticmethod
    def _in_finalizer(told: "sys.UnraisableHookArgs") -> None:
        if told.exc_value is not None:
            places = _places(told.exc_value.__traceback__)
            log.warning("finalizer.failed", error=type(told.exc_value).__name__, places=places)

    def _tell(self, died: EdgeError) -> None:
        if not self._first.done():
            self._first.set_exception(died)


async def for_ever(part: str, work: Awaitable[None]) -> None:
    """Do what has no end.

    Raises:
        EdgeError: it ended, by an exception or by itself.
    """
    await mortal(part, work)
    raise PartDied(f"The part {part} of the daemon ended by itself.", hint=HINT)


async def mortal(part: str, work: Awaitable[None]) -> None:
    """Do what may end.

    Raises:
        EdgeError: it ended by an exception.
    """
    try:
        await work
    except Exception as error:  # noqa: BLE001 - whatever it was is told, without its values
        raise death(part, error) from None
