"""Operators' logs: one line a happening on standard error; the journal is for facts.

No card, no payload and no secret is ever logged. Under systemd a line is JSON, on a terminal it is
for eyes.
"""

import contextlib
import logging
import os
import sys
from typing import Final, TextIO, cast

import structlog

LEVELS: Final = {"debug": 10, "info": 20, "warning": 30, "error": 40}


class StandardError:
    """Standard error that may refuse: a log on a full disk loses lines, and the table goes on.

    Nothing is kept back for later: a line that was refused is gone.
    """

    def write(self, text: str) -> int:
        """Write a line; nothing is raised."""
        if sys.__stderr__ is not None:  # else it was closed, and its number is another file's by now
            with contextlib.suppress(OSError):
                os.write(sys.__stderr__.fileno(), text.encode(errors="backslashreplace"))
        return len(text)

    def flush(self) -> None:
        """Nothing waits."""


def set_up_logs(level: str) -> None:
    """Send structlog's lines to standard error.

    Args:
        level: debug, info, warning or error.
    """
    for_eyes = sys.__stderr__ is not None and sys.__stderr__.isatty()
    renderer: structlog.typing.Processor = (
        structlog.dev.ConsoleRenderer() if for_eyes else structlog.processors.JSONRenderer()
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            # Tracebacks without the values of variables: one of them could be a card.
            structlog.processors.format_exc_info,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        logger_factory=structlog.PrintLoggerFactory(file=cast("TextIO", StandardError())),
        cache_logger_on_first_use=True,
    )
    logging.captureWarnings(capture=True)
