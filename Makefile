# Two commands on a fresh machine: `make demo` and `make test`. Both make the environment they need.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
DEPS   := pyproject.toml constraints.txt
JOBS   ?= 2
EVAL   ?=

.PHONY: help demo test eval check format docs clean

help:
	@echo "make demo    stream a generated scene through the daemon and show its alerts"
	@echo "make test    run every test"
	@echo "make eval    measure the fast tier on generated scenes (EVAL=--quick for two minutes)"
	@echo "make check   formatting, lint, types, architecture"
	@echo "make format  format and fix what can be fixed"
	@echo "make docs    write the generated documents"
	@echo "make clean   remove the environment and build outputs"

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed; say which one with: make PYTHON=python3.12 …" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip

$(VENV)/.base: $(BIN)/python $(DEPS)
	$(BIN)/pip install --quiet --constraint constraints.txt --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.base
	$(BIN)/pip install --quiet --constraint constraints.txt --group dev
	@touch $@

demo: $(VENV)/.base
	$(BIN)/arwarden demo

test: $(VENV)/.dev
	$(BIN)/pytest -n $(JOBS) --dist loadgroup

# What scenes are drawn with is fetched once, 106 MB; that needs npm.
eval: $(VENV)/.dev
	$(BIN)/python -m models.assets.fetch --out build/assets
	$(BIN)/python -m benchmarks eval $(EVAL)

check: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: $(VENV)/.base
	$(BIN)/arwarden schema --out configs/contract
	$(BIN)/python -m arwarden.config.reference > docs/configuration.md

clean:
	rm -rf $(VENV) build dist
