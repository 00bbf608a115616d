"""Foreign text made harmless to terminals, to file systems and to those who read it.

Names, descriptions and logs are written by others. Control characters (a terminal takes them for
commands) and marks that change the direction of writing have no place in any of them.
"""

from __future__ import annotations

import hashlib
import re

CONTROL = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)
LONGEST_NAME = 120


def plain(text: str, keep: str = "") -> str:
    """Return text with each control character written out (``\\x1b``), but those in ``keep``."""
    return CONTROL.sub(
        lambda found: found[0] if found[0] in keep else ascii(found[0])[1:-1],
        text,
    )


def file_name(name: str) -> str:
    """Return a name that is one part of a path, and its own where it already was a plain one."""
    safe = re.sub(r"[^\w.-]+", "-", name, flags=re.ASCII).lstrip(".-")[:LONGEST_NAME]
    if safe and safe == name:
        return name
    # Two odd names must not become one.
    return f"{safe}-{hashlib.sha256(name.encode()).hexdigest()[:8]}".lstrip("-")
