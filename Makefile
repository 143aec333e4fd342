# Tasks for working with roomcode. `make` alone lists them.

.DEFAULT_GOAL := help
.PHONY: help setup run test test-fast check format bench evals pictures pin clean

BIN := .venv/bin
DIR ?= .
TASK ?=
ARGS ?=
# Pages, terminals and processes are real in many tests: one that fails on a busy machine is run again, and counted.
RERUNS ?= --reruns 2
export TASK

help: ## list the tasks
	@echo "make run                             set up, fetch the model, open the app"
	@echo "make run DIR=folder TASK=\"Make …\"    … or run one task in that folder without the app"
	@echo
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' Makefile | while IFS='|' read -r task what; do \
		printf 'make %-14s %s\n' "$$task" "$$what"; done

setup: ## virtual environment, packages, browser: everything but the models
	@scripts/setup.sh

run: setup ## open roomcode in DIR, or run TASK there
	@$(BIN)/roomcode models pull --quiet
	@mkdir -p "$(DIR)"
	@if [ -n "$$TASK" ]; then exec $(BIN)/roomcode run --yes --dir "$(DIR)" $(ARGS) -- "$$TASK"; \
	else exec $(BIN)/roomcode app "$(DIR)" $(ARGS); fi

test: setup ## all tests, with real models and a real browser
	@$(BIN)/roomcode models pull --quiet qwen2.5-coder-0.5b smollm2-135m
	$(BIN)/python -m pytest $(RERUNS) $(ARGS)

test-fast: setup ## the tests that need no model and no browser
	$(BIN)/python -m pytest -m "not model and not browser and not slow" $(ARGS)

check: setup ## style, types and all tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --strict
	@$(MAKE) --no-print-directory test

format: setup ## put all files into the house style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: setup ## speed and memory, on the default model
	@$(BIN)/roomcode models pull --quiet
	$(BIN)/python -m benchmarks $(ARGS)

evals: setup ## what the models get done
	@$(BIN)/roomcode models pull --quiet
	$(BIN)/python -m evals $(ARGS)

pictures: setup ## take the README's pictures anew, from a real run
	@$(BIN)/roomcode models pull --quiet
	$(BIN)/python scripts/pictures.py

pin: setup ## write the installed versions to constraints.txt
	$(BIN)/python scripts/pin.py

clean: ## throw away what tools left behind (not .venv, not the models)
	rm -rf build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis snapshot_report.html
	find src tests scripts evals -name __pycache__ -type d -prune -exec rm -rf {} +
