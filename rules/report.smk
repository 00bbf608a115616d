# All tables of all rounds -> one interactive page.


rule report:
    """Write the interactive page, which needs nothing beside itself."""
    input:
        rounds=expand("config/rounds/{round}.yaml", round=PLAN.rounds),
        tables=expand(
            "results/{round}/{table}.parquet",
            round=PLAN.rounds,
            table=[
                "scaling",
                "breakeven",
                "conclusions",
                "runs",
                "scores",
                "reconciliation",
            ],
        ),
        history="results/history.parquet",
        problems="results/problems.parquet",
        templates=multiext("breakeven/templates/report", ".html", ".css", ".js"),
        code=PLAN.code("report"),
    output:
        page="results/report/index.html",
        record="results/report/index.prov.json",
    log:
        "logs/report.log",
    benchmark:
        "logs/report.benchmark.tsv"
    conda:
        f"../{ENVIRONMENT}"
    threads: 1
    resources:
        mem_mb=1000,
    params:
        rounds=" ".join(PLAN.rounds),
        settings=PLAN.section("breakeven"),
        noise=PLAN.section("uncertainty"),
    message:
        "all rounds: writing the interactive page"
    shell:
        "python -m scripts.report {params.rounds} --settings {params.settings:q}"
        " --noise {params.noise:q} --output {output.page:q} 2> {log:q}"
