# Every target first sets up what it needs; a second call finds it done.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

CAMPAIGN ?= local
STUDIES ?=
SITE ?=
TARGET ?=
SIZE ?=
SECONDS ?=
REPETITIONS ?=
FOLDER ?= .
IOZONE ?=
NAME :=
QUICK ?=
CORES ?= $(shell nproc)
UV := 0.13.8

# A name that is mistyped must not measure something else.
variables := CAMPAIGN STUDIES SITE TARGET SIZE REPETITIONS FOLDER IOZONE NAME QUICK CORES \
	VERBOSE QUIET PEERS STORE LARGE TESTS TIMES SEED JOBS RUNS SECONDS SAMPLE ONLY UPGRADE DO FAST tools
unknown := $(strip $(foreach name,$(.VARIABLES),$(if $(findstring command line,$(origin $(name))),$(filter-out $(variables),$(name)))))
$(if $(unknown),$(error coldcache: unknown variable $(unknown); known are $(filter-out tools,$(variables))))

# Nor must a folder that a target does not read.
elsewhere := $(if $(filter .,$(FOLDER)),,$(filter-out study lab clean-campaign setup help,$(MAKECMDGOALS)))
$(if $(elsewhere),$(error coldcache: make $(firstword $(elsewhere)) works in this clone alone; FOLDER is for make study, lab and clean-campaign))

# The studies of a reference campaign.
studies := quick,dell-lustre,pixstor-nvme,fsx-metadata,sas-grid,anf-nfs

# What QUICK=1 measures of them on the scale model, and the sealed campaign that it is compared with.
again := studies=dell-lustre.sequential site=model-documents
sealed := dell-data
$(if $(and $(QUICK),$(if $(NAME),,none)),$(error coldcache: QUICK=1 measures a campaign: name it, as in make reference NAME=again QUICK=1))

# Recipes read these from the environment, so a space or a quote in a path does no harm.
export CAMPAIGN STUDIES SITE TARGET SIZE REPETITIONS FOLDER NAME CORES
# bash counts up a variable named SECONDS.
export DURATION := $(SECONDS)
export PATH := $(CURDIR)/.venv/bin:$(PATH)
export PLAYWRIGHT_BROWSERS_PATH := $(CURDIR)/.venv/browsers
export PYTHONNOUSERSITE := 1
unexport PYTHONPATH PYTHONHOME

tools := $(if $(filter-out 0 no,$(IOZONE)),iozone)
is_root := $(filter 0,$(shell id -u))

enter := { [ -d "$$FOLDER" ] || { echo "coldcache: FOLDER=$$FOLDER: there is no such folder; coldcache new makes one" >&2; exit 2; }; }

# The kernel releases this lock however the program ends. Snakemake's own lock would survive kill -9.
snakemake := $(enter) && mkdir -p "$$FOLDER/logs" && flock --nonblock --close --conflict-exit-code 75 "$$FOLDER/logs/snakemake.lock" \
	snakemake --cores "$$CORES" --nolock --rerun-incomplete --directory "$$FOLDER" \
	$(if $(VERBOSE),--verbose) $(if $(QUIET),--quiet progress)

# What is not given comes from config/config.yaml, or from the campaign once it has begun.
given := $${STUDIES:+studies="$$STUDIES"} $${SITE:+site="$$SITE"} $${TARGET:+target="$$TARGET"} $${SIZE:+size="$$SIZE"} $${DURATION:+seconds="$$DURATION"} $${REPETITIONS:+repetitions="$$REPETITIONS"}
busy := if [ $$status = 75 ]; then echo 'coldcache: another make in this folder is measuring or rendering: wait until it ends' >&2; fi; exit $$status

.PHONY: help
help: ## List the targets
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 24
	@echo
	@echo '  CAMPAIGN=local  STUDIES=quick  SITE=local  TARGET=/path/to/measure  SIZE=8GiB (total of each sweep)  SECONDS=3 (each timed part)  REPETITIONS=10'
	@echo '  FOLDER=my-study (python -m coldcache new my-study)  IOZONE=1 (also install IOzone)  CORES=$(CORES)'
	@echo '  QUIET=1 (print failures alone)  VERBOSE=1 (print what Snakemake prints by itself)'

.PHONY: venv
venv:
	@bash envs/setup.sh

# What the checks and tests need on top.
.PHONY: venv-test
venv-test:
	@bash envs/setup.sh test

.PHONY: setup
setup: ## Set up what measuring needs: .venv, fio, qemu-utils
	@bash envs/setup.sh packages $(tools)

.PHONY: study
study: setup ## Measure STUDIES on SITE (by default `quick` on this machine) and render the report
	@$(snakemake) --config "campaign=$$CAMPAIGN" $(given) || { status=$$?; $(busy); }
	@realpath --relative-to=. "$$FOLDER/results/$$CAMPAIGN/report/index.html"

.PHONY: reference
reference: tools += $(if $(QUICK),model iozone)
reference: $(if $(NAME),setup,venv) ## Rebuild every table and figure from raw/reference (NAME=x: measure the same studies as campaign x; QUICK=1: a curve on the model alone)
	@$(snakemake) --config campaign="$${NAME:-reference}" \
		$(if $(NAME),$(if $(QUICK),$(again),studies=$(studies) $${TARGET:+target="$$TARGET"})) || { status=$$?; $(busy); }
	@echo "results/$${NAME:-reference}/report/index.html"
	$(if $(QUICK),@python -m coldcache compare $(sealed) "$$NAME")

.PHONY: model
model: tools += model
model: setup ## Start the scale model of config/sites/model.yaml, or show it (DO=down: end it); needs root
	@python -m coldcache.measure.model $(or $(DO),up)

.PHONY: notebooks
notebooks: reference ## Execute the notebooks on the reference campaign, to commit them with their outputs
	@for notebook in notebooks/*.ipynb; do \
		python -m coldcache notebook --notebook "$$notebook" --output "$$notebook" --log "logs/$$notebook"; \
	done
	@python tests/fixtures/reference_outputs.py
	@python tests/fixtures/invented_outputs.py

.PHONY: docs
docs: venv ## Build the pages of the project as a site, results/docs/README.html; a broken link is an error
	@sphinx-build -q -W --keep-going -b html -c docs -d results/docs/.doctrees . results/docs
	@echo results/docs/README.html

# Tests also wait: three at a time keep two cores busy.
tests := pytest -rs --nbval tests notebooks

.PHONY: test
# The tests on Slurm, GlusterFS and tuned start daemons in namespaces and need root: only root installs their packages.
test: tools += test chromium break nfs commands $(if $(is_root),cluster settings)
test: tools += $(if $(is_root),$(if $(wildcard /dev/fuse),model))
test: $(if $(FAST),venv-test,setup) ## Run every check and every test (FAST=1: the linter, and tests of what changed since the last commit)
ifdef FAST
	@ruff check --quiet .
	@found=$$(python tests/fixtures/mirrors.py) && pytest -q -n 2 --dist loadscope -m 'not slow' $${found:---collect-only}
else
	@bash envs/rocrate.sh
	@$(MAKE) --no-print-directory lint reference
	@$(tests) -n 3 --dist loadscope || { [ $$? = 1 ] && echo 'coldcache: failed tests run once more, alone' && $(tests) --last-failed; }
endif

checks := check-lint check-format check-rules check-workflow check-imports check-types check-spelling check-schemas check-citation

.PHONY: lint
lint: venv-test ## Run all static checks; pre-commit runs the same
	@$(MAKE) --no-print-directory --keep-going --jobs=2 --output-sync $(checks)

# Each check is also a hook of .pre-commit-config.yaml. Checks without a quiet option print only when they fail.
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
	@$(call quietly,check-jsonschema --builtin-schema vendor.github-issue-forms $(filter-out %/config.yml,$(wildcard .github/ISSUE_TEMPLATE/*.yml)))
	@$(call quietly,check-jsonschema --builtin-schema vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml)
	@! command -v actionlint >/dev/null || actionlint .github/workflows/*.yml
	@$(call quietly,check-jsonschema --schemafile config/schema/claims.json $(filter-out %/contradictions.yaml,$(wildcard config/claims/*.yaml)))
check-citation:
	@$(call quietly,check-jsonschema --builtin-schema vendor.citation-file-format CITATION.cff)

.PHONY: hooks
hooks: venv-test ## Install the checks as a git hook that runs before each commit
	@pre-commit install

.PHONY: bench
bench: tools += $(if $(LARGE),test chromium)
bench: setup ## Print how fast the program is, with its goals and a bare loop (PEERS=1: also other programs; STORE=1: store the figures; LARGE=1: only a report of 100,000 trials; TESTS=1: only the tests)
	@python benchmarks/run.py $(if $(PEERS),--peers) $(if $(STORE),--store) $(if $(LARGE),large_report) $(if $(TESTS),checks)

.PHONY: break
break: tools += break
break: setup ## Inject each fault many times and print whether all held (TIMES=3: how often; SEED=1: the moments; JOBS=2: campaigns in parallel)
	@python faults/run.py --kept results/break.jsonl $(if $(TIMES),--times $(TIMES)) $(if $(SEED),--seed $(SEED)) $(if $(JOBS),--jobs $(JOBS))

.PHONY: fuzz
fuzz: venv ## Fuzz designs and, guided by coverage, the log parsers (RUNS=100000: inputs; SECONDS=3600: duration)
	@uv pip install --quiet --require-hashes -r envs/fuzz.lock
	@$(if $(SECONDS),,python fuzz/fuzz_designs.py --seconds=60)
	@python fuzz/run.py --kept results/fuzz.jsonl \
		$(if $(SECONDS),--seconds=$(SECONDS),--runs="$${RUNS:-100000}")

.PHONY: mutants
mutants: venv-test reference ## Change the code of analysis and verdicts in small ways and list what no test notices (SAMPLE=400 SEED=1 ONLY=tables)
	@python mutants/run.py $(if $(SAMPLE),--sample $(SAMPLE)) $(if $(SEED),--seed $(SEED)) $(if $(ONLY),--only $(ONLY))

.PHONY: lab
lab: ## Open JupyterLab with notebooks that read the dataset of CAMPAIGN
	@bash envs/setup.sh lab
	@$(enter) && cd -- "$$FOLDER" && notebooks=$$(python -m coldcache lab "$$CAMPAIGN") && \
		$(if $(is_root),echo 'coldcache: JupyterLab runs as root here as you do' >&2 &&) \
		jupyter lab --notebook-dir="$$notebooks" $(if $(is_root),--allow-root)

.PHONY: clean-campaign
clean-campaign: ## Remove raw/CAMPAIGN and results/CAMPAIGN, unless it is sealed; CAMPAIGN must be given
	@$(if $(filter file,$(origin CAMPAIGN)),echo 'coldcache: name the campaign to remove: make clean-campaign CAMPAIGN=local' >&2; exit 2)
	@case $$CAMPAIGN in \
	'' | . | .. | */* | reference | published) echo "coldcache: CAMPAIGN=$$CAMPAIGN: this campaign must not be removed" >&2; exit 2 ;; \
	esac; \
	$(enter) && cd -- "$$FOLDER"; \
	if [ ! -e "raw/$$CAMPAIGN" ] && [ ! -e "results/$$CAMPAIGN" ]; then \
		echo "coldcache: raw/$$CAMPAIGN: there is no such campaign" >&2; exit 2; \
	fi; \
	if [ -e "raw/$$CAMPAIGN/SHA256SUMS" ]; then \
		echo "coldcache: raw/$$CAMPAIGN: sealed: to delete it, remove the folder by hand" >&2; exit 2; \
	fi; \
	rm -rf -- "raw/$$CAMPAIGN" "results/$$CAMPAIGN"

.PHONY: lock
lock: venv ## Pin every dependency again after a change in pyproject.toml (UPGRADE=1: the newest of each; UPGRADE="NAME…": of those)
	@UPGRADE='$(UPGRADE)' bash envs/lock.sh $(UV)
