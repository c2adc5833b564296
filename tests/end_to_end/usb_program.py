"""``table-edge`` on a computer whose USB bus is a folder: ``python usb_program.py BUS run -c ...``.

The product itself has no such door: only this program, which is no part of it, puts another bus in libusb's
place.
"""

import sys
from pathlib import Path

from drivers import use_backend
from edge.cli import main
from sim_devices import SimulatedBus

if __name__ == "__main__":
    use_backend(SimulatedBus(Path(sys.argv.pop(1))))
    main()
