# Facts -> runs and official scores.


rule scores:
    """Judge a round's runs, and recompute its official scores."""
    input:
        facts=multiext(
            "data/facts/{round}/",
            "files.parquet",
            "events.parquet",
            "systems.parquet",
            "problems.parquet",
            "source.txt",
        ),
        round="config/rounds/{round}.yaml",
        benchmarks="config/benchmarks.yaml",
        vocabulary="config/vocabulary.yaml",
        accelerators="config/accelerators.yaml",
        code=PLAN.code("scores"),
    output:
        multiext("results/{round}/runs", ".parquet", ".csv", ".prov.json"),
        multiext("results/{round}/scores", ".parquet", ".csv", ".prov.json"),
        multiext("results/{round}/reconciliation", ".parquet", ".csv", ".prov.json"),
        multiext("results/{round}/problems", ".parquet", ".csv", ".prov.json"),
    log:
        "logs/{round}/scores.log",
    benchmark:
        "logs/{round}/scores.benchmark.tsv"
    conda:
        f"../{ENVIRONMENT}"
    threads: 1
    resources:
        mem_mb=1000,
    params:
        raw=lambda wildcards: PLAN.raw(wildcards.round),
    message:
        "{wildcards.round}: judging runs and recomputing scores"
    shell:
        "python -m scripts.scores --round {input.round:q} --facts data/facts/{wildcards.round}"
        " --benchmarks {input.benchmarks:q} --vocabulary {input.vocabulary:q}"
        " --accelerators {input.accelerators:q} --raw={params.raw:q}"
        " --output results/{wildcards.round} 2> {log:q}"
