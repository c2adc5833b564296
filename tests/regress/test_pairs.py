"""Each capture is heard as its .chk has it: all by replay, one of each protocol by the real daemon."""

import asyncio
import os
import random
from collections import Counter
from pathlib import Path

import pytest

from sim_devices.player import load_capture
from tests.regress.pairs import captures, expectation, heard_of, main
from tests.regress.through_daemon import heard_by_daemon

CAPTURES = captures()
SEED = int(os.environ.get("REGRESS_SEED", "1"))
PROTOCOLS = ("table_link", "angel_eye", "barcode", "hid_pos")


@pytest.mark.parametrize("log", CAPTURES, ids=lambda log: log.stem)
def test_a_capture_is_heard_as_its_chk_has_it(log: Path) -> None:
    assert expectation(log).exists(), (
        f"run scripts/regress --rebuild {log.stem}, read what it wrote, commit it"
    )
    assert heard_of(log) == expectation(log).read_text(encoding="utf-8").splitlines()


def test_every_protocol_has_its_captures_and_every_chk_its_capture() -> None:
    told = Counter(load_capture(log).provenance.protocol for log in CAPTURES)
    assert set(told) == set(PROTOCOLS)
    assert min(told.values()) >= 5
    for protocol in PROTOCOLS:
        names = " ".join(log.stem for log in CAPTURES if log.stem.startswith(f"{protocol}-"))
        for wanted in ("noise-at-start", "mid-", "restart"):
            assert wanted in names, (protocol, wanted)
    assert {log.stem for log in CAPTURES} == {chk.stem for chk in CAPTURES[0].parent.glob("*.chk")}
    assert all(load_capture(log).provenance.date for log in CAPTURES)


def test_a_capture_without_a_chk_and_one_that_differs_are_faulty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "x.log"
    log.write_text((CAPTURES[0]).read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr("tests.regress.pairs.FOLDER", tmp_path)
    assert main([]) == 1
    assert "no .chk  x.log" in capsys.readouterr().out
    assert main(["--rebuild"]) == 0
    assert main([]) == 0
    log.with_suffix(".chk").write_text("", encoding="utf-8")
    assert main(["x"]) == 1
    assert "differs  x.log" in capsys.readouterr().out
    assert main(["no-such"]) == 1


def test_one_capture_of_each_protocol_is_heard_by_the_daemon_through_a_pty(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    chosen = [
        chance.choice([log for log in CAPTURES if log.stem.startswith(f"{protocol}-")])
        for protocol in PROTOCOLS
    ]
    daemons_hear(chosen, tmp_path)


def daemons_hear(logs: list[Path], folder: Path) -> None:
    async def one(log: Path) -> None:
        place = folder / log.stem
        place.mkdir()
        wanted = expectation(log).read_text(encoding="utf-8").splitlines()
        assert (await heard_by_daemon(log, place, lines=len(wanted)))[: len(wanted)] == wanted, log.name

    async def all_of_them() -> None:
        async with asyncio.TaskGroup() as tasks:
            for log in logs:
                tasks.create_task(one(log))

    asyncio.run(all_of_them())
