"""The whole audit, and its report.

Each check looks at one link of the chain and names the file that broke it: a file that is found
to be altered is blamed for what later checks find wrong with it, so that one change gives one
finding.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jinja2

from breakeven import config, packing
from breakeven.audit.artefacts import check_artefacts, check_git, check_inputs, check_records
from breakeven.audit.case import Case, Check
from breakeven.audit.raw import check_facts, check_lock, check_raw
from breakeven.audit.scores import check_official, check_scores

TEMPLATES = Path(__file__).parent.parent / "templates"
# In the order in which a cause is found before its effects.
STEPS: tuple[Callable[[Case], Check], ...] = (
    check_git,
    check_records,
    check_artefacts,
    check_raw,
    check_inputs,
    check_lock,
    check_facts,
    check_scores,
)


def audit(root: Path, asked: config.AuditSettings, say: Callable[[str], None]) -> dict[str, Any]:
    """Audit a project's folder.

    Args:
        root: the project's folder.
        asked: of which systems the official summarizer's score is asked for.
        say: prints a line of progress.

    Returns:
        The report as JSON: whether all holds, the project's commit and whether its tree is dirty,
        and of each check what it examined, found, and skipped.
    """
    settings = config.load(config.Settings, root / "config" / "config.yaml")
    case = Case(root, sorted(settings.rounds, key=config.round_number), say)
    checks = []
    last: Callable[[Case], Check] = functools.partial(check_official, asked=asked)
    for step in (*STEPS, last):
        checks.append(step(case))
        found = len(checks[-1].findings)
        say(f"{checks[-1].name}: {checks[-1].examined} examined, {found or 'nothing'} wrong")
    revision = packing.revision(root)
    return {
        "holds": not any(check.findings for check in checks),
        "commit": revision.commit,
        "dirty": None if revision.tree == packing.UNKNOWN else revision.tree == "dirty",
        "checks": [dataclasses.asdict(check) for check in checks],
    }


def as_text(report: dict[str, Any]) -> str:
    """Write a report for people."""
    lines = [
        f"Audit of commit {report['commit']}" + (", with local changes" * bool(report["dirty"]))
    ]
    for check in report["checks"]:
        wrong = len(check["findings"])
        mark = "FAILS" if wrong else "holds" if check["examined"] else "not looked at"
        lines.append(f"  {mark}: {check['name']} ({check['examined']:,} examined)")
        lines += [f"    {finding['file']}: {finding['what']}" for finding in check["findings"]]
        lines += [f"    not looked at: {reason}" for reason in check["skipped"]]
    lines.append("THE AUDIT HOLDS" if report["holds"] else "THE AUDIT FAILS")
    return "\n".join(lines) + "\n"


def as_html(report: dict[str, Any]) -> str:
    """Write a report as a page that needs nothing beside it."""
    loader = jinja2.FileSystemLoader(TEMPLATES)
    environment = jinja2.Environment(
        loader=loader, autoescape=True, undefined=jinja2.StrictUndefined
    )
    return environment.get_template("audit.html").render(report=report)
