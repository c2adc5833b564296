"""How long the control socket waits for whom."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """Seconds."""

    idle_s: float = 30.0
    """A client that has said no whole line for so long is let go; the next may be waiting for its place."""
    write_s: float = 5.0
    """A client that does not take its answer for so long is let go."""
    pace_s: float = 0.05
    """From one line to the next, of all clients together: a card goes first, and no client fills the disk."""
    look_s: float = 5.0
    """How often the socket's file is looked at, and how long it takes until it is made anew."""
