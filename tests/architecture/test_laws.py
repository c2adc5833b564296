"""The project keeps its laws; and each checker is shown a breach on purpose: its silence means something."""

import ast
from collections.abc import Callable, Iterator

import pytest

from tests.architecture import laws
from tests.architecture.source import PACKAGES, ROOT, Module, Project

Law = Callable[[Project], Iterator[str]]

LATER = "DOTO"[2:] + "DOTO"[:2]
"""The word that this file, too, must not say."""
TELLS = '"""Says what it is."""\n'


@pytest.fixture(scope="module")
def project() -> Project:
    return Project.read()


@pytest.mark.parametrize("law", laws.LAWS, ids=lambda law: str(law.__name__))
def test_the_project_keeps_the_law(law: Law, project: Project) -> None:
    assert list(law(project)) == []


def test_the_project_that_is_judged_is_the_whole_project(project: Project) -> None:
    assert {name.partition(".")[0] for name in project.modules} == set(PACKAGES)
    assert len(project.modules) == sum(1 for package in PACKAGES for _ in (ROOT / package).rglob("*.py"))


def test_tests_and_scripts_leave_nothing_for_later_either() -> None:
    paths = [path for place in ("tests", "scripts") for path in sorted((ROOT / place).rglob("*.py"))]
    read = Project(*(Module(name=str(path), text=path.read_text(encoding="utf-8")) for path in paths))
    assert list(laws.nothing_is_left_for_later(read)) == []


def package(name: str, text: str = TELLS) -> Module:
    return Module(name=name, text=text, package=True)


def module(name: str, text: str = TELLS) -> Module:
    return Module(name=name, text=text)


BREACHES: list[tuple[Law, str, list[Module]]] = [
    (
        laws.imports_point_down,
        "firmware_protocols.cards:1 imports drivers, which firmware_protocols may not see",
        [module("firmware_protocols.cards", "import drivers")],
    ),
    (
        laws.imports_point_down,
        "drivers.pump:1 imports edge.inputs, which drivers may not see",
        [module("drivers.pump", "from edge import inputs"), module("edge.inputs")],
    ),
    (
        laws.imports_point_down,
        "edge.daemon:2 imports sim_devices, which edge may not see",
        [module("edge.daemon", "def run():\n    import sim_devices")],
    ),
    (
        laws.imports_point_down,
        "sim_devices.shoe:1 imports edge.feed, which sim_devices may not see",
        [module("sim_devices.shoe", "from edge.feed import TableFeed"), module("edge.feed")],
    ),
    (
        laws.imports_point_down,
        "sim_devices.game_server:1 imports edge.journal, which sim_devices may not see",
        [module("sim_devices.game_server", "from edge.journal import Journal"), package("edge.journal")],
    ),
    (
        laws.imports_point_down,
        "drivers.pump:1 imports tests.lab, which drivers may not see",
        [module("drivers.pump", "from tests.lab import Line")],
    ),
    (
        laws.floors_are_kept,
        "edge.ruling.decide:1 imports edge.journal, which is a floor above it",
        [module("edge.ruling.decide", "from edge.journal import Journal"), package("edge.journal")],
    ),
    (
        laws.floors_are_kept,
        "edge.events:3 imports edge.notes, which is a floor above it",
        [
            module(
                "edge.events",
                "import typing as t\nif t.TYPE_CHECKING:\n    from edge.notes import Note",
            ),
            module("edge.notes"),
        ],
    ),
    (
        laws.floors_are_kept,
        "edge.attic has no floor: give it one in laws.FLOORS",
        [module("edge.attic")],
    ),
    (
        laws.no_cycles,
        "a cycle: drivers.pump <- drivers.ports <- drivers.pump",
        [
            module("drivers.pump", "from drivers.ports import open_port"),
            module(
                "drivers.ports",
                "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from drivers import pump\n",
            ),
        ],
    ),
    (
        laws.no_cycles,
        "a cycle: drivers.pump <- drivers.ports <- drivers.pump",
        [
            module("drivers.pump", "from .ports import open_port"),
            module("drivers.ports", "def patience():\n    from . import pump\n"),
            package("drivers"),
        ],
    ),
    (
        laws.only_roots_across_packages,
        "edge.inputs:1 reaches into drivers: drivers.reports",
        [
            module("edge.inputs", "from drivers.reports import Signal"),
            module("drivers.reports"),
            package("drivers"),
        ],
    ),
    (
        laws.only_roots_across_packages,
        "edge.journal.store:1 reaches into edge.ruling: edge.ruling.decide",
        [module("edge.journal.store", "import edge.ruling.decide"), module("edge.ruling.decide")],
    ),
    (
        laws.only_roots_across_packages,
        "edge.inputs:1 imports Secret, which drivers does not offer",
        [
            module("edge.inputs", "from drivers import Secret, Signal"),
            package("drivers", "from drivers.reports import Signal\n__all__ = ['Signal']"),
        ],
    ),
    (
        laws.faces_are_spelled,
        "drivers.__all__ is not sorted",
        [package("drivers", "from drivers.reports import A1, B1\n__all__ = ['B1', 'A1']")],
    ),
    (
        laws.faces_are_spelled,
        "drivers.__all__ names Ghost, which is not there",
        [package("drivers", "__all__ = ['Ghost']")],
    ),
    (
        laws.faces_are_spelled,
        "drivers brings in Signal without offering it",
        [package("drivers", "from drivers.reports import Signal\n__all__ = []")],
    ),
    (
        laws.faces_are_spelled,
        "edge.ruling spells no __all__",
        [package("edge.ruling"), module("edge.ruling.decide")],
    ),
    *(
        (
            laws.the_pure_are_pure,
            f"edge.ruling.decide:1 {deed}, and is meant to be pure",
            [module("edge.ruling.decide", text)],
        )
        for text, deed in [
            ("import asyncio", "imports asyncio"),
            ("import logging.config", "imports logging"),
            ("from structlog import get_logger", "imports structlog"),
            ("import time", "imports time"),
            ("from random import random", "imports random"),
            ("import secrets", "imports secrets"),
            ("from os import urandom", "imports os"),
            ("import io", "imports io"),
            ("import socket", "imports socket"),
            ("import threading", "imports threading"),
            ("from urllib import request", "imports urllib.request"),
            ("from datetime import datetime; datetime.now()", "reads the clock by now()"),
            ("import datetime; datetime.datetime.utcnow()", "reads the clock by utcnow()"),
            ("import datetime; datetime.date.today()", "reads the clock by today()"),
            ("open('x')", "calls open()"),
            ("print('x')", "calls print()"),
        ]
    ),
    (
        laws.the_pure_are_pure,
        "firmware_protocols.framing:2 imports time, and is meant to be pure",
        [module("firmware_protocols.framing", "def stamp():\n    import time")],
    ),
    (
        laws.the_pure_are_pure,
        "edge.events:1 imports random, and is meant to be pure",
        [module("edge.events", "import random")],
    ),
    (
        laws.names_are_of_the_trade,
        "drivers.port_utils: 'port_utils' says 'util'",
        [module("drivers.port_utils")],
    ),
    (
        laws.names_are_of_the_trade,
        "drivers.pump: 'PumpManager' says 'manager'",
        [module("drivers.pump", "class PumpManager: ...")],
    ),
    (
        laws.names_are_of_the_trade,
        "drivers.pump: 'ShoeInfo' says 'info'",
        [module("drivers.pump", "def f():\n    class ShoeInfo: ...")],
    ),
    (
        laws.names_are_of_the_trade,
        "drivers.process: 'process' says 'process'",
        [module("drivers.process")],
    ),
    (
        laws.nothing_is_left_for_later,
        f"drivers.pump:2 says {LATER}",
        [module("drivers.pump", f"x = 1\n# {LATER}: y")],
    ),
    (
        laws.a_cancellation_is_not_swallowed,
        "drivers.pump:1 uses wait_for: use asyncio.timeout",
        [module("drivers.pump", "import asyncio; f = asyncio.wait_for")],
    ),
    (
        laws.a_cancellation_is_not_swallowed,
        "drivers.pump:1 uses wait_for: use asyncio.timeout",
        [module("drivers.pump", "from asyncio import wait_for")],
    ),
    (
        laws.modules_say_what_they_are,
        "drivers.pump has no docstring",
        [module("drivers.pump", "x = 1")],
    ),
]


@pytest.mark.parametrize(
    ("law", "sentence", "breach"), BREACHES, ids=[sentence for _, sentence, _ in BREACHES]
)
def test_a_breach_is_seen(law: Law, sentence: str, breach: list[Module]) -> None:
    assert list(law(Project(*breach))) == [sentence]


def test_every_law_was_shown_a_breach() -> None:
    assert {law for law, _, _ in BREACHES} == set(laws.LAWS)


def test_what_is_allowed_is_not_called_a_breach() -> None:
    lawful = Project(
        package(
            "firmware_protocols", f"{TELLS}from firmware_protocols.cards import Card\n__all__ = ['Card']"
        ),
        module("firmware_protocols.cards"),
        package("drivers", f"{TELLS}from drivers.pump import Pump\n__all__ = ['Pump']"),
        module(
            "drivers.pump",
            f"{TELLS}import asyncio, time\nfrom firmware_protocols import Card\nclass Pump: ...",
        ),
        package("edge"),
        module("edge.events", f"{TELLS}from firmware_protocols import Card"),
        package("edge.ruling", f"{TELLS}from edge.ruling.decide import decide\n__all__ = ['decide']"),
        module("edge.ruling.decide", f"{TELLS}import datetime, urllib.parse\nfrom edge.events import Event"),
        module(
            "edge.daemon", f"{TELLS}from drivers import Pump\nfrom edge.ruling import decide\nimport logging"
        ),
        module("edge.feed"),
        package("sim_devices", f"{TELLS}__all__ = []"),
        module("sim_devices.game_server", f"{TELLS}from edge.feed import TableFeed"),
        module("sim_devices.whole_table", f"{TELLS}from edge.daemon import run"),
    )
    assert [sentence for law in laws.LAWS for sentence in law(lawful)] == []


def test_relative_imports_are_followed() -> None:
    project = Project(
        package("edge"), package("edge.ruling"), module("edge.ruling.decide", "from ..events import E")
    )
    (found,) = project.imports(project.modules["edge.ruling.decide"])
    assert (found.module, found.name) == ("edge.events", "E")
    assert isinstance(project.modules["edge"].tree, ast.Module)
