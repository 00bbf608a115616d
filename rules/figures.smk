# Tables -> figures: two jobs a round, so that two cores share the work.


rule figures:
    """Draw a round's figures in the paper view and of its series."""
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
        "{wildcards.round}: drawing speedup and efficiency"
    shell:
        "python -m scripts.figures --round {input.round:q} --scaling {input.scaling:q}"
        " --breakeven {input.breakeven:q} --runs {input.runs:q} --views paper series"
        " --settings {params.settings:q} --output results/{wildcards.round}/figures 2> {log:q}"


rule details:
    """Draw a round's figures of time, runs, break-even points and what ate the efficiency."""
    input:
        round="config/rounds/{round}.yaml",
        scaling="results/{round}/scaling.parquet",
        breakeven="results/{round}/breakeven.parquet",
        runs="results/{round}/runs.parquet",
        code=PLAN.code("figures"),
    output:
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
        "logs/{round}/details.log",
    benchmark:
        "logs/{round}/details.benchmark.tsv"
    conda:
        f"../{ENVIRONMENT}"
    threads: 1
    resources:
        mem_mb=1000,
    params:
        settings=PLAN.section("figures"),
    message:
        "{wildcards.round}: drawing time, runs, break-even points and decomposition"
    shell:
        "python -m scripts.figures --round {input.round:q} --scaling {input.scaling:q}"
        " --breakeven {input.breakeven:q} --runs {input.runs:q}"
        " --views time runs breakeven decomposition"
        " --settings {params.settings:q} --output results/{wildcards.round}/figures 2> {log:q}"
