"""The technician's commands."""

from edge.cli.app import main

__all__ = ["main"]
