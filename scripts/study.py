"""Print the simulation study of the knee, as docs/methods.md has it."""

import argparse

from breakeven import study
from breakeven.program import run, show


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    show(study.table(study.results()), end="")


if __name__ == "__main__":
    run(main)
