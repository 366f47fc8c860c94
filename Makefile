# What a person does here; each recipe's work stands in scripts/.

.DEFAULT_GOAL := help
.PHONY: help build run servers guest check test verify lint docs bench protocol wheel clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## set up this host and build: .venv/bin/pronghorn and .venv/bin/pronghorn-engine
	@scripts/build

run: build ## the default experiment: is HTTP/3 faster, and where?
	@.venv/bin/pronghorn run

servers: build ## nginx and HAProxy with HTTP/3: the system's if new enough, else Debian's in ~/.cache/pronghorn
	@scripts/servers

guest: build ## the kernel of virtual time, once, into ~/.cache/pronghorn: some minutes
	@.venv/bin/pronghorn guest

check: build ## form, lint, types, Rust's library tests and Python's unit tests
	@scripts/check

test: build ## all tests of Rust and Python but the long ones
	@scripts/test

verify: build ## the long tests, and the fuzzer
	@scripts/verify

lint: ## rustfmt, clippy, ruff, mypy, the words, and the links of the documentation
	@scripts/lint

docs: ## the documentation as a site that needs no network: build/docs/index.html
	@scripts/docs

bench: build ## measurements of the parts
	@scripts/bench

protocol: build ## write the engine's protocol again from its types: docs/engine-protocol.md and its JSON Schema
	@scripts/protocol

wheel: build ## build the wheel from what is committed and prove it in a fresh environment
	@scripts/check-wheel

clean: ## remove what was built; runs stay
	@rm -rf .venv build dist python/*.egg-info .mypy_cache .pytest_cache .ruff_cache $${CARGO_TARGET_DIR:-target}
