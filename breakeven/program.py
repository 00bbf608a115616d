"""What every program shares: messages for people, and errors without a traceback."""

from __future__ import annotations

import sys
from collections.abc import Callable

from breakeven import locks, text
from breakeven.errors import BreakevenError


def show(words: str, end: str = "\n") -> None:
    """Print what was asked for, with nothing in it that a terminal obeys or cannot print."""
    encoding = sys.stdout.encoding or "utf-8"
    known = text.plain(words, keep="\n\t").encode(encoding, "backslashreplace").decode(encoding)
    print(known, end=end, flush=True)


def say(line: str) -> None:
    """Print one line of progress at once."""
    print(text.plain(line, keep="\t"), file=sys.stderr, flush=True)


def fail(message: str) -> None:
    """Print an error, which may have several lines."""
    print("breakeven: " + text.plain(message, keep="\n\t"), file=sys.stderr)


def run(main: Callable[[], None], *, job: bool = True) -> None:
    """Run ``main``; end with the message alone where it failed for a reason outside the program.

    Args:
        main: the program.
        job: whether it writes what Snakemake asks for, so that no run may start beside it.
    """
    alive = locks.share() if job else None
    try:
        main()
    except BreakevenError as error:
        fail(str(error))
        sys.exit(1)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        fail(
            f"{where}{error.strerror or error}. Make room or give access there, then run the same "
            "command again"
        )
        sys.exit(1)
    except KeyboardInterrupt:
        fail("interrupted")
        sys.exit(130)
    finally:
        if alive is not None:
            alive.close()
