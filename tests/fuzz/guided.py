"""One target under atheris: a program of its own, because libFuzzer ends the process that it runs in.

To make a corpus small, libFuzzer starts itself again by its first argument: AGAIN in the environment is a
program that starts this one.
"""

import os
import sys

import atheris  # type: ignore[import-not-found,import-untyped,unused-ignore]  # only scripts/fuzz installs it

with atheris.instrument_imports(include=["firmware_protocols"]):
    from tests.fuzz.targets import TARGETS


def main() -> None:
    """Fuzz the target that is named first; the rest is libFuzzer's."""
    name = sys.argv.pop(1)
    sys.argv[0] = os.environ.get("AGAIN", sys.argv[0])
    atheris.Setup(sys.argv, TARGETS[name])
    atheris.Fuzz()


if __name__ == "__main__":
    main()
