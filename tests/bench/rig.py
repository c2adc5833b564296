"""A whole table to be measured: Mosquitto, the daemon as a program, a shoe on a pty, and a server that plays.

Everything on this side is one thread that does one thing at a time, so that nothing of it runs while a card
is on its way. Players stand on 17 and take no insurance; shoes are changed at the cut card.
"""

import json
import os
import signal
import subprocess
import time
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from sim_devices.broker import BrokerAddress
from sim_devices.daemon import TableSettings, program
from sim_devices.decks import CutCard, ShoeContents, ShoeItem
from tests.bench.cable import Cable, CableShoe
from tests.bench.figures import Usage
from tests.bench.listener import Listener, Message
from tests.mosquitto import Mosquitto

BASE: Final = "tables/t1"
EVENTS: Final = f"{BASE}/events"
STATE: Final = f"{BASE}/state"
SEATS: Final = [1, 2, 3, 4, 5, 6, 7]
PATIENCE_S: Final = 20.0
STANDS_ON: Final = 17
DECKS: Final = 8
BEHIND_CUT_CARD: Final = 60


class Program:
    """The daemon, started and ended."""

    def __init__(self, settings: TableSettings) -> None:
        self.settings = settings
        self._running: subprocess.Popen[bytes] | None = None

    def start(self, **environment: str) -> None:
        """Start it."""
        self.settings.write()
        with self.settings.log.open("ab") as log:
            self._running = subprocess.Popen(
                [program(), "run", "-c", str(self.settings.configuration)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, **environment},
            )

    @property
    def usage(self) -> Usage:
        """What it has used so far."""
        assert self._running is not None, "the daemon was not started"
        return Usage.of(self._running.pid)

    def stop(self) -> None:
        """End it in good order."""
        running, self._running = self._running, None
        if running is not None:
            running.send_signal(signal.SIGTERM)
            code = running.wait(timeout=PATIENCE_S)
            assert code == 0, f"the daemon ended with {code}:\n{self.said}"

    @property
    def said(self) -> str:
        """Its last words."""
        return self.settings.log.read_text("utf-8", errors="replace")[-2000:]


class Rig:
    """``with Rig(folder) as rig:`` starts it all; ``rig.next_card()`` plays until a card is due."""

    def __init__(self, folder: Path, *, seed: int = 1, topics: Sequence[str] = ()) -> None:
        self.broker = Mosquitto(folder)
        settings = TableSettings(
            folder=folder,
            broker=BrokerAddress(port=self.broker.port),
            port=folder / "shoe",
            log_level="warning",
        )
        self.daemon = Program(settings)
        self._cable = Cable(folder / "shoe")
        self._shoe = CableShoe(self._cable)
        self.listener = Listener(self.broker.port, [EVENTS, STATE, f"{BASE}/replies", *topics])
        self._seed = seed
        self._items: list[ShoeItem] = []
        self._state: dict[str, Any] = {}
        self._sequence = 0
        self._asked_at = -1

    def __enter__(self) -> Self:
        self.broker.start()
        self.listener.__enter__()
        self.daemon.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.daemon.stop()
        finally:
            self.listener.__exit__(kind, error, trace)
            self._cable.__exit__(kind, error, trace)
            self.broker.kill()

    def next_card(self) -> None:
        """Play on until a card is due and everything is quiet."""
        self.until(lambda: self._settled and self._card_is_due())

    def draw(self) -> int:
        """The card that is due leaves; when its frame was about to be written."""
        return self._shoe.draw(self._items.pop(0))

    def await_event(self) -> int:
        """Until the next event is here; when it came. Nothing else is looked at meanwhile."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            assert time.monotonic() < deadline, f"no event came:\n{self.daemon.said}"
            self.listener.step(1)
            first = next((each for each in self.listener.messages if each.topic == EVENTS), None)
            if first is not None:
                return first.at_ns

    def idle(self, seconds: float) -> None:
        """Let the time pass; the shoe beats."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self._step(min(left, 0.2))

    def until(self, reached: Callable[[], bool]) -> None:
        """Go on until it is so."""
        deadline = time.monotonic() + PATIENCE_S
        while not reached():
            assert time.monotonic() < deadline, f"it did not come about: {self._state}\n{self.daemon.said}"
            self._step(0.02)

    # --- inside

    @property
    def _settled(self) -> bool:
        shown = self._state.get("as_of", -2)
        return bool(shown >= self._sequence and not self._shoe.unacknowledged)

    def _step(self, timeout_s: float) -> None:
        self.listener.step(timeout_s)
        self._shoe.step()
        while self.listener.messages:
            self._take(self.listener.messages.popleft())

    def _take(self, message: Message) -> None:
        if message.topic == STATE and message.payload:
            self._state = json.loads(message.payload)
        elif message.topic == EVENTS:
            self._sequence = int(json.loads(message.payload)["sequence"])

    def _card_is_due(self) -> bool:
        """True if it is; else what the table waits for instead is done."""
        state = self._state
        if state["phase"] == "no_shoe" and not any(each["online"] for each in state["devices"]):
            return False
        if state["expected"] is None:
            if self._asked_at != state["as_of"]:
                self._asked_at = state["as_of"]
                self._ask(*self._wish(state))
            return False
        if self._items[0] is CutCard.CUT_CARD:  # nobody measures that
            self.draw()
            return False
        return True

    def _wish(self, state: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        match state["phase"]:
            case "no_shoe":
                self._seed += 1
                shoe = ShoeContents.shuffled(decks=DECKS, seed=self._seed, cut_from_back=BEHIND_CUT_CARD)
                self._items = list(shoe.items)
                return "shoe.install", {"decks": DECKS}
            case "ready":
                return "round.open", {"round_id": f"bench-{state['as_of']}", "seats": SEATS}
            case "insurance":
                return "insurance.close", {"insured": []}
            case "decision":
                offer = state["offer"]
                seat, hand = offer["seat"], offer["hand"]
                total = next(
                    each["total"]
                    for each in state["round"]["hands"]
                    if (each["seat"], each["hand"]) == (seat, hand)
                )
                hits = total < STANDS_ON and "hit" in offer["actions"]
                return "hand.decide", {"seat": seat, "hand": hand, "action": "hit" if hits else "stand"}
            case phase:
                raise AssertionError(f"nothing is to be done at a table that is {phase}: {state}")

    def _ask(self, command: str, content: dict[str, Any]) -> None:
        payload = {"id": str(uuid.uuid4()), "command": command, "data": content}
        self.listener.publish(f"{BASE}/commands", json.dumps(payload).encode())
