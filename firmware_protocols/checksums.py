"""Checksums, each with its published check value: the checksum of the ASCII text ``123456789``."""

from binascii import crc_hqx
from typing import Final

CRC16_CCITT_FALSE_CHECK: Final = 0x29B1
"""Check value of CRC-16/CCITT-FALSE (also CRC-16/IBM-3740): poly 1021, init FFFF, no reflection, no xor."""

_CCITT_FALSE_INIT: Final = 0xFFFF


def crc16_ccitt_false(octets: bytes) -> int:
    """CRC-16/CCITT-FALSE of ``octets``, 0..FFFF.

    ``binascii.crc_hqx`` is this polynomial without the initial value; given FFFF it is this checksum.
    """
    return crc_hqx(octets, _CCITT_FALSE_INIT)
