"""The project's own source, read as text: what the laws of :mod:`tests.architecture.laws` judge."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
PACKAGES: Final = ("firmware_protocols", "drivers", "edge", "sim_devices")
_OURS: Final = (*PACKAGES, "tests", "scripts")


@dataclass(frozen=True, kw_only=True)
class Module:
    """One Python file, under the name it is imported by."""

    name: str
    text: str
    package: bool = False
    """It is a package's ``__init__``."""

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @cached_property
    def spelled(self) -> list[str] | None:
        """Its ``__all__``; None: it has none."""
        for node in self.tree.body:
            match node:
                case (
                    ast.Assign(targets=[ast.Name(id="__all__")], value=value)
                    | ast.AnnAssign(target=ast.Name(id="__all__"), value=ast.expr() as value)
                ):
                    return [str(name) for name in ast.literal_eval(value)]
        return None


@dataclass(frozen=True, kw_only=True)
class Import:
    """One name brought in from one module, wherever in the file it stands."""

    line: int
    module: str
    """The module named in the statement."""
    name: str | None = None
    """The name taken from it; None: the module itself."""


class Project:
    """All modules together: only then is it known whether ``from a import b`` takes a module."""

    def __init__(self, *modules: Module) -> None:
        self.modules: Final = {module.name: module for module in modules}

    @classmethod
    def read(cls) -> "Project":
        """The four packages as they lie on disk."""
        return cls(*(_read(path) for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))))

    def imports(self, module: Module) -> Iterator[Import]:
        """Every import of the project's own code, those in functions and under TYPE_CHECKING included."""
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Import):
                found = [Import(line=node.lineno, module=alias.name) for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                base = _absolute(module, node)
                found = [self._taken(node.lineno, base, alias.name) for alias in node.names]
            else:
                continue
            yield from (each for each in found if each.module.partition(".")[0] in _OURS)

    def _taken(self, line: int, base: str, name: str) -> Import:
        submodule = f"{base}.{name}"
        if submodule in self.modules and not self._offers(base, name):
            return Import(line=line, module=submodule)
        return Import(line=line, module=base, name=name)

    def _offers(self, package: str, name: str) -> bool:
        """A package may offer a function that is called as its module is; then the function is meant."""
        return package in self.modules and name in (self.modules[package].spelled or ())


def _absolute(module: Module, node: ast.ImportFrom) -> str:
    if node.level == 0:
        return node.module or ""
    parts = module.name.split(".")
    keep = len(parts) - node.level + (1 if module.package else 0)
    return ".".join([*parts[:keep], *([node.module] if node.module else [])])


def _read(path: Path) -> Module:
    parts = path.relative_to(ROOT).with_suffix("").parts
    package = parts[-1] == "__init__"
    return Module(
        name=".".join(parts[:-1] if package else parts),
        text=path.read_text(encoding="utf-8"),
        package=package,
    )
