"""``python -m edge.cli``: the same as ``table-edge``."""

from edge.cli.app import main

main()
