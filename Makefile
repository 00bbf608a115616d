# make          set up the environment and regenerate every result from the facts in git
# make test     run all tests          make check    lint, format, types
# make verify   download the pinned logs and compare the facts with what they say
# make audit    check every result, down to the raw logs where they are there (ALL=true: all scores)
# make seal     pin the hashes of the results in dvc.lock
# make facts    parse the pinned logs anew into data/facts
# make crate    pack results, facts and code as one Workflow Run RO-Crate
# make fuzz     fuzz the line parser, led by coverage (SECONDS=60)
# make bench    measure speed and write docs/performance.md (raw files must be here)
# make vulnerabilities  ask the advisory databases about every locked package (needs pip-audit, network)
# make lock     renew both locks from pyproject.toml (needs uv)

PYTHON ?= python3
CORES ?= all
SECONDS ?= 60
ENVIRONMENT := .venv
READY := $(ENVIRONMENT)/ready
RUN := PATH="$(CURDIR)/$(ENVIRONMENT)/bin:$$PATH"
SNAKEMAKE := $(RUN) snakemake --cores $(CORES)
ROUNDS := $(basename $(notdir $(wildcard config/rounds/v*.yaml)))

.PHONY: all environment test check fuzzer fuzz verify audit seal facts crate bench lock vulnerabilities clean

all: $(READY)
	$(SNAKEMAKE)

environment: $(READY)

# The stamp comes last, so that an environment that was cut short is made again.
$(READY): requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "breakeven: needs Python 3.11 or newer, but $(PYTHON) is " + sys.version.split()[0] + "; try: make PYTHON=python3.11")'
	rm -rf $(ENVIRONMENT)
	$(PYTHON) -m venv $(ENVIRONMENT)
	$(ENVIRONMENT)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(ENVIRONMENT)/bin/python -m pip install --quiet --disable-pip-version-check --no-index --no-build-isolation --no-deps --editable .
	touch $(READY)

test: $(READY)
	$(RUN) pytest -n 2 --dist loadgroup

check: $(READY)
	$(RUN) ruff check .
	$(RUN) ruff format --check .
	$(RUN) snakefmt --check Snakefile rules
	$(RUN) snakemake --lint
	$(RUN) mypy

fuzzer: $(READY)
	$(ENVIRONMENT)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: -r tests/fuzz/requirements.lock

fuzz: fuzzer
	$(RUN) python -m tests.fuzz.fuzz_logs -max_total_time=$(SECONDS)

verify: $(READY)
	$(SNAKEMAKE) --no-hooks --forcerun verify -- $(ROUNDS:%=results/%/verification.txt)
	cat $(ROUNDS:%=results/%/verification.txt)

audit: $(READY)
	$(SNAKEMAKE) --no-hooks --forcerun audit $(if $(ALL),--config 'audit={all: true}') -- results/audit/passed.txt

seal: $(READY)
	$(RUN) dvc repro --force --single-item results

facts: $(READY)
	$(SNAKEMAKE) --no-hooks --forcerun parse -- $(ROUNDS:%=data/facts/%/files.parquet)

crate: $(READY)
	$(SNAKEMAKE) --no-hooks -- results/crate/breakeven.crate.zip

bench: $(READY)
	$(RUN) python -m scripts.bench

lock:
	uv pip compile pyproject.toml --extra cluster --group development --universal --generate-hashes --no-annotate --custom-compile-command "make lock" --quiet --output-file requirements.lock
	uv pip compile --group fuzz --universal --generate-hashes --no-annotate --custom-compile-command "make lock" --quiet --output-file tests/fuzz/requirements.lock

# Strict: a package that the service does not know of fails, and is not passed over.
vulnerabilities:
	pip-audit --strict --require-hashes --disable-pip --requirement requirements.lock

clean:
	rm -rf results logs .snakemake
