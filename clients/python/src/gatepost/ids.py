"""Ids of events."""

import os
import time
import uuid


def new_id() -> str:
    """A UUID of version 7 (RFC 9562): later ids sort after earlier ones, so that the database appends them."""
    milliseconds = time.time_ns() // 1_000_000
    value = milliseconds << 80 | int.from_bytes(os.urandom(10))
    value = value & ~(0xF << 76) & ~(0x3 << 62) | 0x7 << 76 | 0x2 << 62
    return str(uuid.UUID(int=value))
