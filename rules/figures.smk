# Scaling and break-even tables -> figures.


rule figures:
    """Draw a round's figures of one view, as Vega-Lite JSON, SVG and PNG."""
    input:
        round="config/rounds/{round}.yaml",
        scaling="results/{round}/scaling.parquet",
        breakeven="results/{round}/breakeven.parquet",
        code=PLAN.code("figures"),
    output:
        directory("results/{round}/figures/{view}"),
    log:
        "logs/{round}/figures-{view}.log",
    benchmark:
        "logs/{round}/figures-{view}.benchmark.tsv"
    conda:
        f"../{ENVIRONMENT}"
    threads: 1
    resources:
        mem_mb=1000,
    params:
        settings=PLAN.section("figures"),
    message:
        "{wildcards.round}: drawing the figures of the {wildcards.view} view"
    shell:
        "python -m scripts.figures --round {input.round:q} --scaling {input.scaling:q}"
        " --breakeven {input.breakeven:q} --view {wildcards.view} --settings {params.settings:q}"
        " --output {output:q} 2> {log:q}"
