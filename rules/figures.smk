# Tables -> figures: one job a round, since to start costs as much as to draw ten of them.


rule figures:
    """Draw a round's figures in all views."""
    input:
        round="config/rounds/{round}.yaml",
        scaling="results/{round}/scaling.parquet",
        breakeven="results/{round}/breakeven.parquet",
        runs="results/{round}/runs.parquet",
        code=PLAN.code("figures"),
    output:
        paper=report(
            directory("results/{round}/figures/paper"),
            patterns=["{name}-efficiency.svg"],
            category="{round}",
            subcategory="paper",
            caption="../docs/captions/paper.rst",
        ),
        series=report(
            directory("results/{round}/figures/series"),
            patterns=["{name}-efficiency.svg", "{name,cover}.svg"],
            category="{round}",
            subcategory="series",
            caption="../docs/captions/series.rst",
        ),
        time=directory("results/{round}/figures/time"),
        runs=directory("results/{round}/figures/runs"),
        breakeven=report(
            directory("results/{round}/figures/breakeven"),
            patterns=["{name}.svg"],
            category="{round}",
            subcategory="breakeven",
            caption="../docs/captions/breakeven.rst",
        ),
        decomposition=report(
            directory("results/{round}/figures/decomposition"),
            patterns=["{name}.svg"],
            category="{round}",
            subcategory="decomposition",
            caption="../docs/captions/decomposition.rst",
        ),
    log:
        "logs/{round}/figures.log",
    benchmark:
        "logs/{round}/figures.benchmark.tsv"
    conda:
        f"../{ENVIRONMENT}"
    threads: 1
    resources:
        mem_mb=1000,
    params:
        settings=PLAN.section("figures"),
    message:
        "{wildcards.round}: drawing figures"
    shell:
        "python -m scripts.figures --round {input.round:q} --scaling {input.scaling:q}"
        " --breakeven {input.breakeven:q} --runs {input.runs:q}"
        " --settings {params.settings:q} --output results/{wildcards.round}/figures 2> {log:q}"
