"""The architecture's laws as checkers: each takes the project and yields one sentence per violation.

What each law is for stands in docs/architecture.md.
"""

import ast
import re
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from typing import Final

from tests.architecture.source import Module, Project

# Who may see whom -----------------------------------------------------------------------------------

MAY_SEE: Final = {
    "firmware_protocols": {"firmware_protocols"},
    "drivers": {"firmware_protocols", "drivers"},
    "edge": {"firmware_protocols", "drivers", "edge"},
    "sim_devices": {"firmware_protocols", "sim_devices"},
}
FACES_OF_EDGE: Final = {
    "sim_devices.whole_table": None,  # any public face: it starts and checks a whole table
    "sim_devices.game_server": {"edge.feed"},
}
"""The modules of the simulator that may see the edge, and what of it."""

FLOORS: Final[tuple[frozenset[str], ...]] = (
    frozenset(
        {
            "edge.aside",
            "edge.errors",
            "edge.huge_pages",
            "edge.irregular",
            "edge.logs",
            "edge.plain_json",
            "edge.status",
        }
    ),
    frozenset({"edge.concealed", "edge.requests"}),
    frozenset({"edge.deaths", "edge.systemd_notify"}),
    frozenset({"edge.events", "edge.inputs"}),
    frozenset({"edge.notes", "edge.envelope", "edge.hearing"}),
    frozenset({"edge.house_rules"}),
    frozenset({"edge.ruling"}),
    frozenset({"edge.journal", "edge.public_state", "edge.deadlines"}),
    frozenset({"edge.clock", "edge.fault_files", "edge.rehearsing", "edge.table", "edge.upkeep"}),
    frozenset({"edge.upstream", "edge.feed", "edge.settlement"}),
    frozenset(
        {
            "edge.config",
            "edge.control",
            "edge.following",
            "edge.host",
            "edge.orders",
            "edge.script",
            "edge.captures",
            "edge.replay",
        }
    ),
    frozenset({"edge.daemon", "edge.pumps", "edge.cli"}),
)
"""The rooms of the edge, ground floor first: imports go down or stay on the floor, never up."""


def imports_point_down(project: Project) -> Iterator[str]:
    """``firmware_protocols <- drivers <- edge``; the simulator sees the wire and, where named, the edge."""
    for module, line, target in _own_imports(project):
        source_package, target_package = module.name.partition(".")[0], target.partition(".")[0]
        if target_package in MAY_SEE[source_package]:
            continue
        if target_package == "edge" and module.name in FACES_OF_EDGE:
            allowed = FACES_OF_EDGE[module.name]
            if allowed is None or _unit(target) in allowed:
                continue
        yield f"{module.name}:{line} imports {target}, which {source_package} may not see"


def floors_are_kept(project: Project) -> Iterator[str]:
    """Inside edge: vocabularies, house rules, ruling, journal, upstream, daemon: each above the last."""
    floor_of = {unit: floor for floor, units in enumerate(FLOORS) for unit in units}
    units = {_unit(name) for name in project.modules if name.startswith("edge.")}
    yield from (
        f"{unit} has no floor: give it one in laws.FLOORS" for unit in sorted(units - floor_of.keys())
    )
    for module, line, target in _own_imports(project):
        source_unit, target_unit = _unit(module.name), _unit(target)
        if floor_of.get(target_unit, 0) > floor_of.get(source_unit, len(FLOORS)):
            yield f"{module.name}:{line} imports {target}, which is a floor above it"


def no_cycles(project: Project) -> Iterator[str]:
    """No module needs itself, not under TYPE_CHECKING or inside a function either."""
    graph: dict[str, set[str]] = {name: set() for name in project.modules}
    for module, _, target in _own_imports(project):
        if target != module.name:
            graph[module.name].add(target)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        yield "a cycle: " + " <- ".join(error.args[1])


def only_roots_across_packages(project: Project) -> Iterator[str]:
    """From outside, a package is its ``__init__`` and what ``__all__`` says; edge's roots are its modules."""
    for module in project.modules.values():
        for found in project.imports(module):
            unit = _unit(found.module)
            if unit == _unit(module.name):
                continue
            if found.module != unit:
                yield f"{module.name}:{found.line} reaches into {unit}: {found.module}"
            elif found.name is not None and unit in project.modules and project.modules[unit].package:
                public = project.modules[unit].spelled or []
                if found.name not in public:
                    yield f"{module.name}:{found.line} imports {found.name}, which {unit} does not offer"


def _own_imports(project: Project) -> Iterator[tuple[Module, int, str]]:
    for module in project.modules.values():
        for found in project.imports(module):
            yield module, found.line, found.module


def _unit(name: str) -> str:
    """What may be imported as a whole: a package, or in edge a module or a sub-package."""
    package, *rest = name.split(".")
    return f"edge.{rest[0]}" if package == "edge" and rest else package


# What a package offers ------------------------------------------------------------------------------


def faces_are_spelled(project: Project) -> Iterator[str]:
    """``__all__`` is sorted, and is exactly what the ``__init__`` brings in. Edge's face is its modules."""
    for module in project.modules.values():
        if not module.package:
            continue
        spelled = module.spelled
        offered = set(_bound(module))
        if spelled is None:
            if offered or (module.name != "edge" and _has_rooms(project, module.name)):
                yield f"{module.name} spells no __all__"
            continue
        if spelled != sorted(spelled, key=_order):
            yield f"{module.name}.__all__ is not sorted"
        yield from (
            f"{module.name}.__all__ names {name}, which is not there"
            for name in spelled
            if name not in offered and f"{module.name}.{name}" not in project.modules
        )
        yield from (
            f"{module.name} brings in {name} without offering it" for name in sorted(offered - set(spelled))
        )


def _has_rooms(project: Project, package: str) -> bool:
    return any(name.startswith(f"{package}.") for name in project.modules)


def _bound(module: Module) -> Iterator[str]:
    """The public names that the module's top level binds."""
    for node in module.tree.body:
        names: list[str] = []
        match node:
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                names = [alias.asname or alias.name.partition(".")[0] for alias in aliases]
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                names = [name]
            case ast.Assign(targets=targets):
                names = [target.id for target in targets if isinstance(target, ast.Name)]
            case ast.AnnAssign(target=ast.Name(id=name)):
                names = [name]
        yield from (name for name in names if not name.startswith("_"))


def _order(name: str) -> tuple[int, str]:
    """Constants, then classes, then functions: the order the linter sorts ``__all__`` in."""
    if name.isupper() and len(name) > 1:
        return 0, name
    return (1 if name[0].isupper() else 2), name


# What a pure module may not do ----------------------------------------------------------------------

PURE: Final = (
    "firmware_protocols",
    "edge.ruling",
    "edge.house_rules",
    "edge.settlement",
    "edge.concealed",
    "edge.envelope",
    "edge.events",
    "edge.inputs",
    "edge.notes",
    "edge.plain_json",
    "edge.requests",
    "edge.settlement",
)
IMPURE_ROOMS: Final = frozenset({"edge.house_rules.shelf"})
"""Modules of pure packages that read files: the house files that come with the program."""

IMPURE_MODULES: Final = frozenset(
    {
        *("asyncio", "concurrent", "multiprocessing", "queue", "sched", "signal", "subprocess", "threading"),
        *("logging", "structlog", "warnings", "traceback", "rich", "typer"),
        *("time", "random", "secrets", "uuid", "zoneinfo", "locale"),
        *("os", "io", "sys", "pathlib", "shutil", "tempfile", "glob", "fcntl", "importlib", "ctypes", "mmap"),
        *("socket", "select", "selectors", "ssl", "http", "urllib.request", "sqlite3"),
        *("serial", "usb", "paho", "iotcore", "termios", "pty", "tty"),
    }
)
IMPURE_CALLS: Final = frozenset({"open", "print", "input", "breakpoint", "exec", "eval", "__import__"})
CLOCK_READS: Final = frozenset({"now", "utcnow", "today"})


def the_pure_are_pure(project: Project) -> Iterator[str]:
    """No I/O, no clock, no randomness, no logging where the ruling lives: replay must be exact."""
    for module in project.modules.values():
        if not _within(module.name, PURE) or module.name in IMPURE_ROOMS:
            continue
        for node in ast.walk(module.tree):
            deed = _impure(node)
            if deed is not None:
                yield f"{module.name}:{getattr(node, 'lineno', 0)} {deed}, and is meant to be pure"


def _within(name: str, packages: tuple[str, ...]) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def _impure(node: ast.AST) -> str | None:
    match node:
        case ast.Import(names=aliases):
            imported = [alias.name for alias in aliases]
        case ast.ImportFrom(module=str() as module, names=aliases, level=0):
            imported = [f"{module}.{alias.name}" for alias in aliases]
        case ast.Call(func=ast.Name(id=name)) if name in IMPURE_CALLS:
            return f"calls {name}()"
        case (
            ast.Attribute(value=ast.Name(id="datetime" | "date"), attr=attr)
            | ast.Attribute(value=ast.Attribute(attr="datetime" | "date"), attr=attr)
        ) if attr in CLOCK_READS:
            return f"reads the clock by {attr}()"
        case _:
            return None
    guilty = (
        each for name in imported for each in sorted(IMPURE_MODULES) if f"{name}.".startswith(f"{each}.")
    )
    return next((f"imports {each}" for each in guilty), None)


# How things are called and told ---------------------------------------------------------------------

BANNED_NAMES: Final = frozenset({"manager", "handler", "helper", "util", "data", "info", "process"})
_WORDS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
# The groups keep this line from finding itself.
_LEFT_FOR_LATER: Final = re.compile(r"\b(TO(?:DO)|FIX(?:ME)|XX(?:X))\b")


def names_are_of_the_trade(project: Project) -> Iterator[str]:
    """No module and no class is called by a word that says nothing."""
    for module in project.modules.values():
        classes = [node.name for node in ast.walk(module.tree) if isinstance(node, ast.ClassDef)]
        for name in [module.name.rpartition(".")[2], *classes]:
            words = {word.lower() for word in _WORDS.findall(name)}
            singular = {word.removesuffix("s") for word in words - {"process"}} | words
            for banned in sorted(singular & BANNED_NAMES):
                yield f"{module.name}: {name!r} says {banned!r}"


def nothing_is_left_for_later(project: Project) -> Iterator[str]:
    """What is not done is an issue, not a comment."""
    for module in project.modules.values():
        for number, line in enumerate(module.text.splitlines(), start=1):
            found = _LEFT_FOR_LATER.search(line)
            if found:
                yield f"{module.name}:{number} says {found[0]}"


def modules_say_what_they_are(project: Project) -> Iterator[str]:
    """Every module opens with a docstring."""
    for module in project.modules.values():
        if not ast.get_docstring(module.tree):
            yield f"{module.name} has no docstring"


def a_cancellation_is_not_swallowed(project: Project) -> Iterator[str]:
    """No ``asyncio.wait_for``: on Python 3.11 it swallows a cancellation that comes with the result."""
    for module in project.modules.values():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Attribute | ast.ImportFrom) and _WAIT_FOR & _spelled(node):
                yield f"{module.name}:{node.lineno} uses wait_for: use asyncio.timeout"


def _spelled(node: ast.Attribute | ast.ImportFrom) -> set[str]:
    if isinstance(node, ast.Attribute):
        return {ast.unparse(node)}
    return {f"{node.module}.{each.name}" for each in node.names}


_WAIT_FOR: Final = frozenset({"asyncio.wait_for", "asyncio.tasks.wait_for"})


LAWS: Final = (
    a_cancellation_is_not_swallowed,
    imports_point_down,
    floors_are_kept,
    no_cycles,
    only_roots_across_packages,
    faces_are_spelled,
    the_pure_are_pure,
    names_are_of_the_trade,
    nothing_is_left_for_later,
    modules_say_what_they_are,
)
