# Every target sets up what it needs first; a second call finds it there.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

CAMPAIGN ?= local
TARGET ?=
IOZONE ?=
NAME :=
CORES ?= $(shell nproc)
UV := 0.13.8

# What a reference campaign consists of.
studies := quick,dell-lustre,pixstor-nvme,fsx-metadata,sas-grid,anf-nfs

# Recipes read these from the environment, so that a blank or a quote in a path does no harm.
export CAMPAIGN TARGET NAME CORES
export PATH := $(CURDIR)/.venv/bin:$(PATH)
export PLAYWRIGHT_BROWSERS_PATH := $(CURDIR)/.venv/browsers
export PYTHONNOUSERSITE := 1
unexport PYTHONPATH PYTHONHOME

tools := $(if $(filter-out 0 no,$(IOZONE)),iozone)

# A lock that the kernel releases whatever ends the program takes the place of Snakemake's, which kill -9 leaves behind.
snakemake := mkdir -p logs && flock --nonblock --close --conflict-exit-code 75 logs/snakemake.lock \
	snakemake --cores "$$CORES" --nolock --rerun-incomplete
busy := if [ $$status = 75 ]; then echo 'coldcache: another make in this folder is measuring or rendering: wait for its end' >&2; fi; exit $$status

.PHONY: help
help: ## Print the targets
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 24
	@echo
	@echo '  CAMPAIGN=local  TARGET=/path/to/measure  IOZONE=1 (install IOzone, too)  CORES=$(CORES)'

.PHONY: venv
venv:
	@bash envs/setup.sh

.PHONY: setup
setup: ## Set up what measuring needs: .venv, fio, qemu-utils
	@bash envs/setup.sh packages $(tools)

.PHONY: study
study: setup ## Measure with the study `quick` and render its report
	@$(snakemake) --config campaign="$$CAMPAIGN" $${TARGET:+target="$$TARGET"} || { status=$$?; $(busy); }
	@echo "results/$$CAMPAIGN/report/index.html"

.PHONY: reference
reference: $(if $(NAME),setup,venv) ## Rebuild every table and figure from raw/reference; with NAME=x measure such a campaign
	@$(snakemake) --config campaign="$${NAME:-reference}" \
		$(if $(NAME),studies=$(studies) $${TARGET:+target="$$TARGET"}) || { status=$$?; $(busy); }
	@echo "results/$${NAME:-reference}/report/index.html"

.PHONY: notebooks
notebooks: reference ## Execute the notebooks anew on the reference campaign, to be committed with their outputs
	@for notebook in notebooks/*.ipynb; do \
		python -m coldcache notebook --notebook "$$notebook" --output "$$notebook" --log "logs/$$notebook"; \
	done

tests := pytest -rs --nbval tests notebooks

.PHONY: test
# A cluster, a volume and a daemon of tuned in namespaces need root: their packages are installed where they can run.
test: tools += chromium break nfs $(if $(filter 0,$(shell id -u)),cluster settings)
test: setup ## Run every check and every test
	@bash envs/rocrate.sh
	@$(MAKE) --no-print-directory lint reference
	@$(tests) -n 2 --dist loadscope || { [ $$? = 1 ] && echo 'coldcache: what failed beside other tests runs once more, alone' && $(tests) --last-failed; }

checks := check-lint check-format check-rules check-workflow check-imports check-types check-spelling check-schemas check-citation

.PHONY: lint
lint: venv ## Run the checks that read the sources; pre-commit runs the same
	@$(MAKE) --no-print-directory --keep-going --jobs=2 --output-sync $(checks)

# Each check is one hook of .pre-commit-config.yaml, too. Those that cannot be told to be quiet speak only when they fail.
quietly = said=$$($(1) 2>&1) || { echo "$$said"; exit 1; }
.PHONY: $(checks)
check-lint:
	@ruff check --quiet .
check-format:
	@ruff format --quiet --check . || { ruff format --diff .; exit 1; }
check-rules:
	@$(call quietly,snakefmt --check Snakefile workflow)
check-workflow:
	@$(call quietly,snakemake --lint)
check-imports:
	@$(call quietly,lint-imports)
check-types:
	@mypy --no-error-summary
check-spelling:
	@codespell
check-schemas:
	@$(call quietly,check-jsonschema --schemafile config/schema/study.json config/studies/*.yaml)
	@$(call quietly,check-jsonschema --schemafile config/schema/site.json config/sites/*.yaml)
	@$(call quietly,check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml)
	@! command -v actionlint >/dev/null || actionlint .github/workflows/*.yml
	@$(call quietly,check-jsonschema --schemafile config/schema/claims.json $(filter-out %/contradictions.yaml,$(wildcard config/claims/*.yaml)))
check-citation:
	@$(call quietly,cffconvert --validate)

.PHONY: hooks
hooks: venv ## Let git run the same checks before each commit
	@pre-commit install

.PHONY: bench
bench: setup ## Print how fast the program is, beside its goals and a bare loop (PEERS=1: beside other programs, too; STORE=1: keep it)
	@python benchmarks/run.py $(if $(PEERS),--peers) $(if $(STORE),--store)

.PHONY: break
break: tools += break
break: setup ## Stage each fault many times and print whether all held (TIMES=3 SEED=1 JOBS=2: so often, these moments, so many at once)
	@python faults/run.py --kept results/break.jsonl $(if $(TIMES),--times $(TIMES)) $(if $(SEED),--seed $(SEED)) $(if $(JOBS),--jobs $(JOBS))

.PHONY: fuzz
fuzz: venv ## Fuzz designs, and the readers of logs guided by coverage (RUNS=100000, or SECONDS=3600 for so long)
	@uv pip install --quiet --require-hashes -r envs/fuzz.lock
	@$(if $(SECONDS),,python fuzz/fuzz_designs.py --seconds=60)
	@python fuzz/run.py --kept results/fuzz.jsonl \
		$(if $(SECONDS),--seconds=$(SECONDS),--runs="$${RUNS:-100000}")

.PHONY: mutants
mutants: venv ## Change the code of analysis and verdicts in small ways and list what no test notices (SAMPLE=400 SEED=1 ONLY=tables)
	@python mutants/run.py $(if $(SAMPLE),--sample $(SAMPLE)) $(if $(SEED),--seed $(SEED)) $(if $(ONLY),--only $(ONLY))

.PHONY: lab
lab: venv ## Open JupyterLab on notebooks that read the dataset of CAMPAIGN
	@folder=$$(python -m coldcache lab "$$CAMPAIGN") && jupyter lab --notebook-dir="$$folder"

.PHONY: clean-campaign
clean-campaign: ## Remove raw/CAMPAIGN and results/CAMPAIGN, unless it is sealed
	@case $$CAMPAIGN in \
	'' | . | .. | */* | reference | published) echo "coldcache: CAMPAIGN=$$CAMPAIGN: not a campaign that may be removed" >&2; exit 2 ;; \
	esac
	@if [ -e "raw/$$CAMPAIGN/SHA256SUMS" ]; then \
		echo "coldcache: raw/$$CAMPAIGN: sealed: to be rid of it, remove the folder by hand" >&2; exit 2; \
	fi
	@rm -rf -- "raw/$$CAMPAIGN" "results/$$CAMPAIGN"

.PHONY: lock
lock: venv ## Pin every dependency anew where pyproject.toml asks for it (UPGRADE=1: the newest of each)
	@uv pip compile --quiet $(if $(UPGRADE),--upgrade) --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-header --extra test pyproject.toml -o envs/requirements.lock
	@echo 'uv==$(UV)' | uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-header --no-annotate - -o envs/uv.lock
	@printf '%s\n' iops-benchmark reframe-hpc | uv pip compile --quiet $(if $(UPGRADE),--upgrade) --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-header --no-annotate - -o envs/peers.lock
	@echo 'atheris<3.1' | uv pip compile --quiet $(if $(UPGRADE),--upgrade) --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-header --no-annotate - -o envs/fuzz.lock
	@echo roc-validator | uv pip compile --quiet $(if $(UPGRADE),--upgrade) --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-header --no-annotate - -o envs/rocrate.lock
	@python envs/conda.py
