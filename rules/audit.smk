# Everything that was made -> whether it is what it says it is.


# Nothing is an input: what is judged must not be made anew on the way. The reports are logs, which
# stay where the audit fails.
rule audit:
    """Audit every result, down to the raw logs where they are there."""
    output:
        passed="results/audit/passed.txt",
    log:
        json="results/audit/report.json",
        html="results/audit/report.html",
        said="logs/audit.log",
    benchmark:
        "logs/audit.benchmark.tsv"
    conda:
        f"../{ENVIRONMENT}"
    threads: 2
    resources:
        mem_mb=1500,
    params:
        settings=PLAN.section("audit"),
    message:
        "auditing results, facts and raw files"
    shell:
        "python -m scripts.audit --settings {params.settings:q} --json {log.json:q} --html {log.html:q}"
        " --output {output.passed:q} 2> {log.said:q}"
