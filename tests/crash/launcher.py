"""The launcher: a program that has the product imported and makes a daemon of itself, again and again.

Importing takes most of a daemon's start (half a second of processor time); a life forked from here begins
in a few milliseconds. Every life is the product's own ``table-edge run`` from its first line on, in a program
of its own. Orders come as JSON lines on standard input; ``started PID`` and ``ended PID STATUS`` go to
standard output. When standard input ends, all lives end.
"""

import contextlib
import gc
import json
import os
import selectors
import signal
import sys
from typing import Any, Final

from edge.cli.app import main as table_edge
from tests.crash.ailments import Ailments, fall_ill
from tests.crash.fuses import Burning, Fuse, lay_fuses

ORDERS: Final = 0
ANSWERS: Final = 1


def serve() -> None:
    """Start what is ordered and tell what ended, until the orders end."""
    gc.freeze()
    waking, woken = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(woken)
    lives: set[int] = set()
    pending = b""
    with selectors.DefaultSelector() as ready:
        ready.register(ORDERS, selectors.EVENT_READ)
        ready.register(waking, selectors.EVENT_READ)
        while True:
            for key, _ in ready.select():
                octets = os.read(key.fd, 65_536)
                if key.fd == waking:
                    _bury(lives)
                    continue
                if not octets:
                    _end(lives)
                    return
                *orders, pending = (pending + octets).split(b"\n")
                for order in orders:
                    lives.add(_start(json.loads(order)))


def _start(order: dict[str, Any]) -> int:
    pid = os.fork()
    if pid == 0:
        _live(order)
    _say(f"started {pid}")
    return pid


def _live(order: dict[str, Any]) -> None:
    """Be a daemon to the end; never returns."""
    code = 70
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.setsid()
        log = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        nothing = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        for source, target in ((nothing, 0), (log, 1), (log, 2)):
            os.dup2(source, target)
        burning = Burning()
        if order["fuse"] is not None:
            notes = os.open(order["notes"], os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
            burning.light(Fuse(**order["fuse"]), notes)
            lay_fuses(burning)
        fall_ill(Ailments(**order["ailments"]))
        sys.argv = ["table-edge", *order["arguments"]]
        table_edge()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - nothing may escape into the launcher's own loop
        sys.excepthook(*sys.exc_info())
    finally:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _bury(lives: set[int]) -> None:
    for pid in tuple(lives):
        buried, status = os.waitpid(pid, os.WNOHANG)
        if buried:
            lives.discard(pid)
            _say(f"ended {pid} {os.waitstatus_to_exitcode(status)}")


def _end(lives: set[int]) -> None:
    for pid in lives:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def _say(line: str) -> None:
    with contextlib.suppress(BrokenPipeError):
        os.write(ANSWERS, line.encode() + b"\n")


if __name__ == "__main__":
    serve()
