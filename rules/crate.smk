# Everything -> one Workflow Run RO-Crate, on request.


rule crate:
    """Pack results, facts, configuration and code with where they come from."""
    input:
        results=rules.all.input,
        project=PLAN.packed(),
        code=PLAN.code("crate"),
    output:
        crate="results/crate/breakeven.crate.zip",
    log:
        "logs/crate.log",
    benchmark:
        "logs/crate.benchmark.tsv"
    conda:
        f"../{ENVIRONMENT}"
    threads: 1
    resources:
        mem_mb=1000,
    params:
        rounds=" ".join(PLAN.rounds),
        # The crate names the commit, and says whether the tree is as committed.
        revision=lambda wildcards: PLAN.revision(),
    message:
        "all rounds: packing results, facts and code as an RO-Crate"
    shell:
        "python -m scripts.crate {params.rounds} --output {output.crate:q} 2> {log:q}"
