"""Audit every result, down to the raw logs where they are there; fail where anything is wrong."""

import argparse
import json
from pathlib import Path

from breakeven import config, files
from breakeven.audit import report
from breakeven.errors import BreakevenError
from breakeven.program import run, say, show


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--settings", help="JSON; default: `audit` of config/config.yaml")
    parser.add_argument("--json", type=Path, required=True, help="the report for machines")
    parser.add_argument("--html", type=Path, required=True, help="the report for people")
    parser.add_argument("--output", type=Path, required=True, help="written where all holds")
    arguments = parser.parse_args()
    # Nothing says that an audit held which did not run to its end.
    arguments.output.unlink(missing_ok=True)
    asked = config.section("audit", config.AuditSettings, arguments.settings)
    found = report.audit(Path.cwd(), asked, say)
    text = report.as_text(found)
    pages = {
        arguments.json: json.dumps(found, ensure_ascii=False, indent=1, sort_keys=True) + "\n",
        arguments.html: report.as_html(found),
    }
    for path, content in pages.items():
        with files.written_aside(path) as aside:
            aside.write_text(content, encoding="utf-8", newline="\n")
    show(text, end="")
    if not found["holds"]:
        wrong = sum(len(check["findings"]) for check in found["checks"])
        raise BreakevenError(f"the audit fails: {wrong} files are not what they should be")
    with files.written_aside(arguments.output) as aside:
        aside.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    run(main)
