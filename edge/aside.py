"""What may block, done aside: in a thread of its own, so that neither the loop nor the end waits for it."""

import asyncio
import threading
from collections.abc import Callable


def _nothing() -> None:
    pass


async def aside(work: Callable[[], None], *, name: str, abandoned: Callable[[], None] = _nothing) -> None:
    """Await ``work`` done in a daemon thread: one that hangs must not hold up the end.

    Args:
        work: what may block. What it raises is raised here.
        name: the thread's.
        abandoned: called when the work is done and nobody waits any more, to clean up after it.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()

    def finish(error: Exception | None) -> None:
        if done.cancelled():
            abandoned()
        elif error is not None:
            done.set_exception(error)
        else:
            done.set_result(None)

    def body() -> None:
        error: Exception | None = None
        try:
            work()
        except Exception as caught:  # noqa: BLE001 - it is handed to whoever waits
            error = caught
        try:
            loop.call_soon_threadsafe(finish, error)
        except RuntimeError:  # the loop is gone
            abandoned()

    threading.Thread(target=body, name=name, daemon=True).start()
    await done
