"""The steps of ``scripts/long service``: what a service goes through, each with what must be true."""

import asyncio
import re
import signal
import time
from pathlib import Path
from typing import Final

from edge.journal import read_journal
from sim_devices.audit import Auditor, Taken
from sim_devices.comparison import departed, differences
from sim_devices.event_log import read_events
from tests.systemd.container import Said
from tests.systemd.service_bench import (
    CHECKOUT,
    CONFIGURATION,
    CONTROL,
    JOURNAL,
    PORT,
    PROGRAM,
    ROOT,
    ROUNDS,
    TABLE,
    UNIT,
    Bench,
)

WATCHDOG_S: Final = 30.0
"""As the unit has it."""
CARDS: Final = 15
"""Dealt between two troubles."""
POISON: Final = Path("/opt/stuck")
STICKS: Final = """
import signal
import time

def never_returns(number, frame):
    time.sleep(1e6)

signal.signal(signal.SIGUSR2, never_returns)
"""
OPERATIONS: Final = ROOT / "docs" / "operations.md"


def documented(heading: str, *, block: int = 0) -> str:
    """The commands below a heading of docs/operations.md."""
    section = OPERATIONS.read_text(encoding="utf-8").split(f"\n### {heading}\n", 1)[1].split("\n### ", 1)[0]
    blocks: list[str] = re.findall(r"```sh\n(.*?)```", section, re.DOTALL)
    return blocks[block]


async def install(bench: Bench) -> None:
    """As the document says."""
    script = f"set -e\ncd {CHECKOUT}\n{documented('The program')}"
    await bench.run("bash", "-c", script)
    bench.steps.passed("installed, by the commands of docs/operations.md")
    await bench.run("chgrp", "table-edge", str(PORT))
    await bench.run("chmod", "0660", str(PORT))  # as the udev rule does where there is a udev
    masked = await bench.run(
        "systemctl", "mask", "--now", "brltty.service", "brltty-udev.service", check=False
    )
    assert masked.code == 0, masked.all


async def no_configuration(bench: Bench) -> None:
    """Without one a start fails, with the sentence that says what to write."""
    started = await bench.run("systemctl", "start", UNIT, check=False)
    assert started.code != 0, "it started without a configuration"
    said = await bench.journalctl()
    sentence = next((line for line in said.splitlines() if line.startswith("table-edge: ")), "")
    assert str(CONFIGURATION) in sentence, said
    assert "Write it" in sentence, said
    assert f'table = "{TABLE}"' in sentence, said
    assert "Traceback" not in said, said
    bench.steps.passed("without its configuration a start fails", sentence)


async def start_without_broker(bench: Bench) -> None:
    """Once the configuration is there it comes up by itself, whatever the broker does."""
    text = (
        f'table = "{TABLE}"\nhouse = "deluxe"\n\n[mqtt]\nhost = "127.0.0.1"\nport = {bench.broker.port}\n\n'
        f'[[device]]\nid = "shoe"\nurl = "serial:{PORT}"\nserial = "TE-0042"\n\n[[operator]]\nname = "mina"\n'
    )
    (bench.container.root / CONFIGURATION.relative_to("/")).write_text(text, encoding="utf-8")
    mended = [line for line in documented("Its table").splitlines() if line.startswith("ch")]
    await bench.run("bash", "-c", "set -e\n" + "\n".join(mended))
    waited = await bench.shows(within_s=10, ActiveState="active", SubState="running")
    bench.steps.passed(f"configured: systemd starts it again by itself, {waited:.2f} s later it is active")
    for command in ("stop", "start"):
        began = time.monotonic()
        await bench.run("systemctl", command, UNIT)
        bench.steps.passed(f"systemctl {command} returns after {time.monotonic() - began:.2f} s")
    await bench.run("systemctl", "enable", UNIT)
    await bench.shows(within_s=10, StatusText=f"Table {TABLE}: shoe connected, broker not connected.")
    shown = await bench.show("Type", "ActiveState", "SubState", "StatusText", "NRestarts", "WatchdogUSec")
    bench.steps.passed("notify: active without a broker", *(f"{key}={value}" for key, value in shown.items()))


async def sandbox(bench: Bench) -> None:
    """What the kernel and the file system say of it."""
    pid = await _main_pid(bench)
    status = (await bench.run("cat", f"/proc/{pid}/status")).out
    said = dict(line.split(":", 1) for line in status.splitlines())
    assert said["NoNewPrivs"].strip() == "1", status
    assert said["Seccomp"].strip() == "2", status
    assert said["CapBnd"].strip() == "0" * 16, status
    limits = (await bench.run("cat", f"/proc/{pid}/limits")).out
    assert re.search(r"Max core file size +0 +0 ", limits), limits
    rights = (await bench.run("stat", "--format=%U:%G %a", str(JOURNAL.parent), str(JOURNAL))).out.split("\n")
    assert rights[:2] == ["table-edge:table-edge 700", "table-edge:table-edge 600"], rights
    touch = "touch /usr/x 2>&1; touch /etc/x 2>&1; true"
    refused = (await bench.run("nsenter", "-t", str(pid), "-m", "--", "sh", "-c", touch)).out
    assert refused.count("Read-only file system") == 2, refused
    bench.steps.passed(
        "sandboxed: no capability, system calls filtered, no core files, the rest of the disk read-only",
        "journal " + rights[1],
    )


async def supervisor(bench: Bench) -> None:
    """A member of the pit may use the table's computer for the pit's commands and for nothing else."""
    await bench.run("useradd", "-m", "-G", "table-edge-pit", "mina")
    await bench.run("useradd", "-m", "otto")
    rights = await bench.run("stat", "--format=%U:%G %a", str(CONTROL.parent), str(CONTROL))
    assert rights.out.split("\n")[:2] == ["table-edge:table-edge 711", "table-edge:table-edge-pit 660"], (
        rights
    )

    async def as_(user: str, *command: str) -> Said:
        return await bench.run("runuser", "-u", user, "--", PROGRAM, *command, check=False)

    seen = await as_("mina", "status")
    assert seen.code == 0, seen.all
    assert f"{'shoe':<10}connected" in seen.out, seen.out
    refused = await as_("mina", "pit", "void", "--reason", "a trial")
    assert (refused.code, "(no_round)" in refused.err) == (1, True), refused.all
    stranger = await as_("otto", "pit", "-t", TABLE)
    assert (stranger.code, "You may not use" in stranger.err) == (1, True), stranger.all
    for path in (CONFIGURATION, JOURNAL):
        closed = await bench.run("runuser", "-u", "mina", "--", "cat", str(path), check=False)
        assert "Permission denied" in closed.err, closed.all
    said = await bench.journalctl()
    assert '"user": "mina"' in next(line for line in said.splitlines() if '"control.asked"' in line), said
    bench.steps.passed("the pit may use its socket and nothing else", "socket " + rights.out.split("\n")[1])


async def deal(bench: Bench) -> None:
    """A broker comes; cards go from the shoe to the server."""
    await bench.open_table()
    waited = await bench.shows(within_s=40, StatusText=f"Table {TABLE}: shoe connected, broker connected.")
    bench.steps.passed(f"the broker is up; the status says so {waited:.2f} s later")
    bench.chore(bench.dealer.deal(), "dealer")
    bench.chore(bench.server.run(), "server")
    bench.chore(bench.supervise(), "supervisor")
    await _more_cards(bench)


async def kill(bench: Bench) -> None:
    """kill -9 in the middle of a round: systemd starts it again, and the deal goes on."""
    old = await _main_pid(bench)
    began = time.monotonic()
    bench.container.signal(old, signal.SIGKILL)
    await _started_again(bench, restarts=1, within_s=20)
    new = await _main_pid(bench)
    assert new != old
    took = time.monotonic() - began
    bench.steps.passed(f"kill -9 of {old}: {new} is active {took:.2f} s later, RestartSec=2 included")
    await _more_cards(bench)


async def freeze(bench: Bench) -> None:
    """The whole program is stopped by SIGSTOP, and nobody tells systemd but the silence."""
    old = await _main_pid(bench)
    took = await _watched(bench, signal.SIGSTOP, restarts=2)
    bench.steps.passed(f"SIGSTOP of {old}: the watchdog ended it, active again {took:.2f} s later")
    await _more_cards(bench)


async def stick(bench: Bench) -> None:
    """Only the loop is stuck: a signal that the product does not know finds something that never returns.

    It comes from outside, by a drop-in and a module that Python imports at its start.
    """
    poison = bench.container.root / POISON.relative_to("/")
    poison.mkdir(parents=True)
    (poison / "sitecustomize.py").write_text(STICKS, encoding="utf-8")
    drop_in = bench.container.root / f"etc/systemd/system/{UNIT}.d/stuck.conf"
    drop_in.parent.mkdir()
    drop_in.write_text(f"[Service]\nEnvironment=PYTHONPATH={POISON}\n", encoding="utf-8")
    await bench.run("systemctl", "daemon-reload")
    await bench.run("systemctl", "restart", UNIT)
    old = await _main_pid(bench)
    took = await _watched(bench, signal.SIGUSR2, restarts=1)
    told = await bench.journalctl()
    assert "never_returns" in told, told[-3000:]
    bench.steps.passed(
        f"the loop of {old} stuck: the watchdog ended it, active again {took:.2f} s later",
        *(line for line in told.splitlines() if "Watchdog timeout" in line or "never_returns" in line),
    )
    drop_in.unlink()
    await bench.run("systemctl", "daemon-reload")
    await bench.run("systemctl", "restart", UNIT)
    bench.steps.passed("restarted without it")
    await _more_cards(bench)


async def stop(bench: Bench) -> None:
    """In good order, once the programme is through."""
    await bench.until(lambda: bench.server.finished, "the programme is through", within_s=120)
    bench.steps.passed(f"{ROUNDS} rounds are through; {bench.dealer.pulled} cards left the shoe")
    began = time.monotonic()
    await bench.run("systemctl", "stop", UNIT)
    took = time.monotonic() - began
    shown = await bench.show("ActiveState", "Result", "ExecMainCode", "ExecMainStatus", "NRestarts")
    assert shown["ActiveState"] == "inactive", shown
    assert shown["Result"] == "success", shown
    assert shown["ExecMainStatus"] == "0", shown
    await bench.until(lambda: bench.statuses[-1]["status"] == "offline", "offline is said", within_s=5)
    last = bench.statuses[-1]
    assert last["reason"] == "SIGTERM", last
    assert last["since"] is not None, last
    bench.steps.passed(
        f"systemctl stop returns after {took:.2f} s; retained: {last['status']}, {last['reason']}",
        *(f"{key}={value}" for key, value in shown.items()),
    )


async def the_books_agree(bench: Bench) -> None:
    """The journal proves itself; journal, server and shoe tell one story."""
    as_user = ("runuser", "-u", "table-edge", "--", PROGRAM, "journal", "verify", "-c", str(CONFIGURATION))
    verified = await bench.run(*as_user)
    with read_journal(bench.container.root / JOURNAL.relative_to("/")) as journal:
        journaled = [raw for _, raw in journal.events_between(1, journal.last_sequence)]
    received = read_events(bench.server.book)
    await bench.until(
        lambda: len(read_events(bench.server.book)) >= len(journaled), "the server has all", within_s=10
    )
    received = read_events(bench.server.book)
    assert received == journaled, f"{len(received)} events received, {len(journaled)} journaled"
    auditor = Auditor()
    events = [Taken.read(raw) for raw in received]
    for event in events:
        auditor.take(event)
    assert auditor.faults == []
    assert bench.server.faults == []
    shoe = departed(bench.shoe_log)
    assert differences(shoe, events) == []
    bench.steps.passed(
        f"{len(journaled)} events and {len(shoe.cards)} cards: nothing lost, nothing doubled",
        verified.out.strip(),
    )


async def stop_without_broker(bench: Bench) -> None:
    """Nothing to wait for, nothing waited for."""
    await asyncio.to_thread(bench.broker.kill)
    began = time.monotonic()
    await bench.run("systemctl", "start", UNIT)
    up = time.monotonic() - began
    began = time.monotonic()
    await bench.run("systemctl", "stop", UNIT)
    down = time.monotonic() - began
    assert down < 2, f"a stop without a broker took {down:.2f} s"
    bench.steps.passed(f"without a broker: start returns after {up:.2f} s, stop after {down:.2f} s")


async def power_off(bench: Bench) -> None:
    """The computer goes down with the service running."""
    await bench.run("systemctl", "start", UNIT)
    began = time.monotonic()
    await asyncio.to_thread(bench.container.power_off)
    bench.steps.passed(f"powered off in {time.monotonic() - began:.2f} s with the service running")
    with read_journal(bench.container.root / JOURNAL.relative_to("/")) as journal:
        last = Taken.read(
            next(raw for _, raw in journal.events_between(journal.last_sequence, journal.last_sequence))
        )
    assert last.type == "edge.stopped", last.type
    bench.steps.passed("the last event is edge.stopped")


async def _main_pid(bench: Bench) -> int:
    return int((await bench.show("MainPID"))["MainPID"])


async def _started_again(bench: Bench, *, restarts: int, within_s: float) -> None:
    """systemd counts restarts from the last start that somebody asked for."""
    await bench.shows(within_s=within_s, NRestarts=str(restarts), ActiveState="active", SubState="running")


async def _watched(bench: Bench, number: signal.Signals, *, restarts: int) -> float:
    """This signal makes the daemon silent; the seconds until it is active again."""
    before = (await bench.journalctl()).count("Watchdog timeout")
    began = time.monotonic()
    bench.container.signal(await _main_pid(bench), number)
    await _started_again(bench, restarts=restarts, within_s=WATCHDOG_S + 20)
    took = time.monotonic() - began
    assert took > WATCHDOG_S / 2, f"{took:.1f} s is too early for a watchdog"
    told = await bench.journalctl()
    assert told.count("Watchdog timeout") == before + 1, told[-3000:]
    assert "Fatal Python error: Aborted" in told, told[-3000:]
    return took


async def _more_cards(bench: Bench) -> None:
    pulled, taken = bench.dealer.pulled, bench.server.game.sequence
    await bench.until(
        lambda: bench.dealer.pulled >= pulled + CARDS and bench.server.game.sequence > taken,
        "cards are dealt",
    )
    bench.steps.passed(
        f"dealt on: {bench.dealer.pulled} cards, the server has event {bench.server.game.sequence}"
    )
