# All rounds together.


rule overview:
    """Put all rounds together: history, resubmissions, problems, summary."""
    input:
        runs=expand("results/{round}/runs.parquet", round=PLAN.rounds),
        scores=expand("results/{round}/scores.parquet", round=PLAN.rounds),
        problems=expand("results/{round}/problems.parquet", round=PLAN.rounds),
        breakeven=expand("results/{round}/breakeven.parquet", round=PLAN.rounds),
        conclusions=expand("results/{round}/conclusions.parquet", round=PLAN.rounds),
        code=PLAN.code("overview"),
    output:
        multiext("results/history", ".parquet", ".csv", ".prov.json"),
        multiext("results/resubmissions", ".parquet", ".csv", ".prov.json"),
        multiext("results/problems", ".parquet", ".csv", ".prov.json"),
        summary=multiext("results/summary", ".txt", ".prov.json"),
    log:
        "logs/overview.log",
    benchmark:
        "logs/overview.benchmark.tsv"
    conda:
        f"../{ENVIRONMENT}"
    threads: 1
    resources:
        mem_mb=1000,
    params:
        rounds=" ".join(PLAN.rounds),
    message:
        "all rounds: history, resubmissions and problems"
    shell:
        "python -m scripts.overview {params.rounds} 2> {log:q}"


rule history:
    """Draw the history of each benchmark over all rounds."""
    input:
        history="results/history.parquet",
        code=PLAN.code("history"),
    output:
        report(
            directory("results/figures/history"),
            patterns=["{name}.svg"],
            category="All rounds",
            subcategory="history",
            caption="../docs/captions/history.rst",
        ),
    log:
        "logs/history.log",
    benchmark:
        "logs/history.benchmark.tsv"
    conda:
        f"../{ENVIRONMENT}"
    threads: 1
    resources:
        mem_mb=1000,
    params:
        settings=PLAN.section("figures"),
    message:
        "all rounds: drawing the history of each benchmark"
    shell:
        "python -m scripts.history --history {input.history:q} --settings {params.settings:q}"
        " --output {output:q} 2> {log:q}"
