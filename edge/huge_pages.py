"""Huge pages: the memory that a card touches, on few pages.

Between two cards others fill the processor's caches, that of its page tables too, and looking an address up
anew costs about as much as fetching what is there. Python's memory lies on thousands of pages of 4 KiB; on
pages of 2 MiB it is a dozen. Since Linux 6.1 a process can ask for that at once (madvise(2),
MADV_COLLAPSE). Where the kernel does not know it, everything is as before.
"""

import ctypes
import re
from pathlib import Path
from typing import Final

HUGE: Final = 2 * 1024 * 1024
"""Bytes of a huge page on x86-64, and on ARM64 with pages of 4 KiB."""
MADV_COLLAPSE: Final = 25
MAPS: Final = Path("/proc/self/maps")
OWN: Final = re.compile(r"([0-9a-f]+)-([0-9a-f]+) rw-p \S+ \S+ 0 +(?:\[heap\])?\n", re.ASCII)
"""Memory of the process's own, behind which there is no file (proc(5))."""


def use_huge_pages() -> int:
    """Put what memory the process has by now on huge pages, as far as it fills them.

    Returns:
        How many huge pages it lies on; 0 where the kernel gives none.
    """
    try:
        madvise = ctypes.CDLL(None).madvise
        regions = OWN.findall(MAPS.read_text(encoding="ascii", errors="replace"))
    except (AttributeError, MemoryError, OSError):  # another C library, no memory for ctypes, no /proc
        return 0
    madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    taken = 0
    for first, end in ((int(first, 16), int(end, 16)) for first, end in regions):
        for page in range(-(-first // HUGE) * HUGE, end - HUGE + 1, HUGE):
            taken += madvise(page, HUGE, MADV_COLLAPSE) == 0
    return taken
