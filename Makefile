# Weaklink. `make run` is the place to start; everything lives in .venv, nothing is installed
# outside of it except by `make services` (apt, root).

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

.DEFAULT_GOAL := help
.PHONY: help setup run test check golden bench cases services drills drills-quick soak clean

help:
	@echo "make run       set up, look at this machine now, then replay a recorded incident"
	@echo "make test      set up and run the tests; what lacks a server is skipped, with the reason"
	@echo "make check     ruff, format, mypy, import contracts, golden files"
	@echo "make golden    write the golden files, schemas and docs/catalogue.md anew"
	@echo "make bench     measure; a table and bench/results.json"
	@echo "make cases     score the reading of pasted output, where the corpus is there"
	@echo "make drills    break the lab in every way, ask blind, score (root, hours, resumable)"
	@echo "make drills-quick  six faults (root, eight minutes)"
	@echo "make soak      kill the black box 200 times; every fault hurts, mending heals (root, an hour)"
	@echo "make services  install the servers that the tests and the lab need (apt, root)"
	@echo "make clean     remove what was made here"

# What `weaklink` itself needs: two packages.
$(VENV)/.run: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

# What working on it needs: the lab, linters, test tools.
$(VENV)/.dev: pyproject.toml lab/pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]' -e ./lab
	@touch $@ $(VENV)/.run

setup: $(VENV)/.dev

run: $(VENV)/.run
	@echo; echo "This machine, now:"; echo
	@$(BIN)/weaklink diagnose; code=$$?; [ $$code -ne 2 ]
	@echo; echo "A recorded incident, judged again:"; echo
	@$(BIN)/weaklink replay

test: setup
	$(BIN)/python -m pytest

check: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python -m pytest -p no:randomly tests/report/test_golden_files.py tests/test_texts.py

golden: setup
	WEAKLINK_GOLDEN=write $(BIN)/python -m pytest tests/report/test_golden_files.py

bench: setup
	$(BIN)/python bench/run.py
	cd bench && ../$(BIN)/python watch.py

# Real outputs of tools with the right readings, where that folder lies beside the project.
cases: setup
	$(BIN)/python bench/cases.py

# SHARD=1/4 runs a quarter; what a file has of this commit is not run again.
SHARD ?= 1/1
SEEDS ?= 1,2
DRILL := $(BIN)/weaklink-lab drill --healthy 28 --shard $(SHARD)
QUICK := cache-mass-expiry worker-frozen upstream-down slow-command oom-killed healthy
PAIRS := cache-mass-expiry+upstream-down slow-command+worker-crash-loop oom-killed+gateway-limit

drills: setup
	mkdir -p build/drills
	$(DRILL) --seeds $(SEEDS) --out build/drills/all-$(subst /,-,$(SHARD)).json
	$(DRILL) --seeds $(SEEDS) --out build/drills/pairs-$(subst /,-,$(SHARD)).json $(PAIRS)
	for blind in no-root no-log no-cache; do \
	  $(DRILL) --blindfold $$blind --seeds $(SEEDS) $(QUICK) \
	    --out build/drills/$$blind-$(subst /,-,$(SHARD)).json || exit 1; done
	$(BIN)/python packaging/drills_page.py build/drills/*.json

drills-quick: setup
	mkdir -p build/drills
	$(DRILL) --seeds 1 --out build/drills/quick.json $(QUICK)

soak: setup
	WEAKLINK_ROUNDS=200 WEAKLINK_STORM_SECONDS=60 $(BIN)/python -m pytest -q tests/watch/test_survives.py
	$(BIN)/weaklink-lab prove

services:
	sh packaging/services.sh

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build dist
	find src tests lab bench -name __pycache__ -type d -prune -exec rm -rf {} +
