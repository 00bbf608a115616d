# Speedup, efficiency and break-even points of AI training, from public MLPerf Training results.
# Data walk one way: rules/inputs.smk -> tables.smk -> analysis.smk -> figures.smk,
# overview.smk puts all rounds together, and report.smk writes the page over all of them. What
# crate.smk packs is asked for by name alone.

from pathlib import Path

from snakemake.utils import min_version

from breakeven import locks, program
from breakeven.workflow import plan_or_exit

min_version("9.27")


configfile: "config/config.yaml"


PLAN = plan_or_exit(Path(workflow.basedir), config)
# Held as long as this process lives, however it ends.
ALIVE = locks.take_over(program.say)
PLAN.settle_times()
ENVIRONMENT = "environment.yaml"
FIGURE_VIEWS = ["paper", "series", "time", "runs", "breakeven", "decomposition"]


# On a cluster too, these run where Snakemake does: a computing node may have neither the network,
# which `download` needs, nor git, which all three ask.
localrules:
    download,
    audit,
    crate,


wildcard_constraints:
    round=r"v\d+\.\d+",


include: "rules/inputs.smk"
include: "rules/tables.smk"
include: "rules/analysis.smk"
include: "rules/figures.smk"
include: "rules/overview.smk"
include: "rules/report.smk"
include: "rules/audit.smk"


rule all:
    default_target: True
    input:
        "results/summary.txt",
        "results/figures/history",
        "results/report/index.html",
        expand("results/{round}/summary.txt", round=PLAN.rounds),
        expand("results/{round}/figures/{view}", round=PLAN.rounds, view=FIGURE_VIEWS),


# Behind `all`, whose inputs it takes.
include: "rules/crate.smk"


onsuccess:
    PLAN.show_summary()
