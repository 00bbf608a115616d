# Pinned upstream commits -> raw files (owned by DVC) -> facts (kept in git).


rule download:
    """Bring a round's raw files: from DVC's cache, else its remote, else upstream."""
    output:
        manifest="data/raw/{round}.manifest.tsv",
    log:
        "logs/{round}/download.log",
    benchmark:
        "logs/{round}/download.benchmark.tsv"
    conda:
        f"../{ENVIRONMENT}"
    threads: 1
    resources:
        mem_mb=1000,
        dvc_lock=1,
    params:
        pin=lambda wildcards: PLAN.source(wildcards.round),
    message:
        "{wildcards.round}: asking DVC for the raw files (cache, then remote, then upstream)"
    # DVC does not replace files that it has not got in its cache: those of a run that was killed.
    # All that DVC says is in the log, which a failure shows; the terminal gets the progress only.
    shell:
        "({{ rm -rf data/raw/{wildcards.round}"
        " && dvc repro --single-item --pull download@{wildcards.round}"
        " && test -f {output.manifest:q}; }} || {{"
        " echo 'breakeven: {wildcards.round}: the raw files are not all here;"
        " the lines above say why; mend that, and run the same again'; exit 1; }}) 2>&1"
        " | tee {log:q} | (grep --line-buffered '^{wildcards.round}: ' || true) >&2"


# Facts are in git: neither the mtimes of a fresh clone nor raw files that are not there make this
# run. An edit of the parser does, through `parser`, where the facts were parsed in this checkout.
rule parse:
    """Read a round's raw files into its facts tables."""
    input:
        manifest=ancient("data/raw/{round}.manifest.tsv"),
        round=ancient("config/rounds/{round}.yaml"),
        descriptions=ancient("config/descriptions.yaml"),
        code=ancient(PLAN.code("parse")),
    output:
        files="data/facts/{round}/files.parquet",
        events="data/facts/{round}/events.parquet",
        systems="data/facts/{round}/systems.parquet",
        problems="data/facts/{round}/problems.parquet",
        source="data/facts/{round}/source.txt",
    log:
        "logs/{round}/parse.log",
    benchmark:
        "logs/{round}/parse.benchmark.tsv"
    conda:
        f"../{ENVIRONMENT}"
    threads: 2
    resources:
        mem_mb=1500,
    params:
        parser=PLAN.digest("parse", "config/descriptions.yaml"),
        pin=lambda wildcards: PLAN.source(wildcards.round),
    message:
        "{wildcards.round}: parsing the raw files into facts"
    shell:
        "python -m scripts.parse --round {input.round:q} --manifest {input.manifest:q}"
        " --descriptions {input.descriptions:q}"
        " --raw data/raw/{wildcards.round} --facts data/facts/{wildcards.round}"
        " --workers {threads} 2> {log:q}"


rule verify:
    """Parse a round's raw files anew and compare with its facts, row by row."""
    input:
        manifest="data/raw/{round}.manifest.tsv",
        round="config/rounds/{round}.yaml",
        descriptions="config/descriptions.yaml",
        code=PLAN.code("verify"),
    output:
        report="results/{round}/verification.txt",
    log:
        "logs/{round}/verify.log",
    benchmark:
        "logs/{round}/verify.benchmark.tsv"
    conda:
        f"../{ENVIRONMENT}"
    threads: 2
    resources:
        mem_mb=1500,
    params:
        # Not an input: the facts are what is judged, and must not be made anew on the way.
        facts="data/facts/{round}",
    message:
        "{wildcards.round}: comparing the facts with what upstream's files say"
    shell:
        "python -m scripts.verify --round {input.round:q} --manifest {input.manifest:q}"
        " --descriptions {input.descriptions:q}"
        " --raw data/raw/{wildcards.round} --facts {params.facts:q}"
        " --workers {threads} --output {output.report:q} 2> {log:q}"
