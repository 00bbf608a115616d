"""What every program shares: messages for people, and errors without a traceback."""

from __future__ import annotations

import sys
from collections.abc import Callable

from breakeven.errors import BreakevenError


def say(line: str) -> None:
    """Print one line of progress at once."""
    print(line, file=sys.stderr, flush=True)


def run(main: Callable[[], None]) -> None:
    """Run ``main``; end with the message alone where it raised a BreakevenError."""
    try:
        main()
    except BreakevenError as error:
        print(f"breakeven: {error}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        print("breakeven: interrupted", file=sys.stderr)
        sys.exit(130)
