# Scores -> speedup and efficiency -> break-even points -> the summary people read first.


rule scaling:
    """Derive speedup and efficiency in the paper view and the series view."""
    input:
        scores="results/{round}/scores.parquet",
        runs="results/{round}/runs.parquet",
        code=PLAN.code("scaling"),
    output:
        multiext("results/{round}/scaling", ".parquet", ".csv", ".prov.json"),
    log:
        "logs/{round}/scaling.log",
    benchmark:
        "logs/{round}/scaling.benchmark.tsv"
    conda:
        f"../{ENVIRONMENT}"
    threads: 1
    resources:
        mem_mb=500,
    params:
        settings=PLAN.section("uncertainty"),
    message:
        "{wildcards.round}: deriving speedup and efficiency"
    shell:
        "python -m scripts.scaling --scores {input.scores:q} --runs {input.runs:q}"
        " --settings {params.settings:q}"
        " --output results/{wildcards.round} 2> {log:q}"


rule breakeven:
    """Ask every configured method where adding accelerators stops paying."""
    input:
        scaling="results/{round}/scaling.parquet",
        scores="results/{round}/scores.parquet",
        runs="results/{round}/runs.parquet",
        code=PLAN.code("breakeven"),
    output:
        multiext("results/{round}/breakeven", ".parquet", ".csv", ".prov.json"),
        multiext("results/{round}/probabilities", ".parquet", ".csv", ".prov.json"),
        multiext("results/{round}/conclusions", ".parquet", ".csv", ".prov.json"),
        summary=multiext("results/{round}/summary", ".txt", ".prov.json"),
    log:
        "logs/{round}/breakeven.log",
    benchmark:
        "logs/{round}/breakeven.benchmark.tsv"
    conda:
        f"../{ENVIRONMENT}"
    threads: 1
    resources:
        mem_mb=500,
    params:
        settings=PLAN.section("breakeven"),
        noise=PLAN.section("uncertainty"),
    message:
        "{wildcards.round}: finding break-even points"
    shell:
        "python -m scripts.breakeven --scaling {input.scaling:q} --scores {input.scores:q}"
        " --runs {input.runs:q} --settings {params.settings:q} --noise {params.noise:q}"
        " --output results/{wildcards.round} 2> {log:q}"
