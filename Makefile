# Weaklink. `make run` is the place to start; everything lives in .venv, nothing is installed
# outside of it except by `make services` (apt, root).

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

.DEFAULT_GOAL := help
.PHONY: help setup run test check golden bench cases services clean

help:
	@echo "make run       set up, look at this machine now, then replay a recorded incident"
	@echo "make test      set up and run the tests; what lacks a server is skipped, with the reason"
	@echo "make check     ruff, format, mypy, import contracts, golden files"
	@echo "make golden    write the golden files, schemas and docs/catalogue.md anew"
	@echo "make bench     measure; a table and bench/results.json"
	@echo "make cases     score the reading of pasted output, where the corpus is there"
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

# Real outputs of tools with the right readings, where that folder lies beside the project.
cases: setup
	$(BIN)/python bench/cases.py

services:
	sh packaging/services.sh

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build dist
	find src tests lab bench -name __pycache__ -type d -prune -exec rm -rf {} +
