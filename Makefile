# Every check and chore of the workspace, one target each. `make` alone lists them.
#
# A target ends non-zero whenever what it checks is wrong, and also whenever it could not check:
# nothing here is skipped in silence.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
MAKEFLAGS += --no-builtin-rules --warn-undefined-variables
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# Cargo uses all cores by itself; two of them at once only wait for each other's lock.
.NOTPARALLEL:

# Tools the toolchain does not bring, at pinned versions, built from source when missing. The folder
# carries the version, so a new number here is a new install.
TOOLS := .tools
CARGO_DENY_VERSION := 0.20.2
CARGO_MUTANTS_VERSION := 27.1.0
CARGO_DENY := $(TOOLS)/cargo-deny-$(CARGO_DENY_VERSION)/bin/cargo-deny
CARGO_MUTANTS := $(TOOLS)/cargo-mutants-$(CARGO_MUTANTS_VERSION)/bin/cargo-mutants

# More arguments for cargo-mutants, for example: make mutants MUTANTS_ARGS='--file card.rs'
MUTANTS_ARGS ?=

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z][a-z-]*:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

# Checks

.PHONY: test
test: fmt clippy unit doc deny ## Run every check that must pass before a change lands: the five below
	@echo "make test: every check passed"

.PHONY: fmt
fmt: ## Check that the code is formatted (cargo fmt --all puts it right)
	cargo fmt --all --check

.PHONY: clippy
clippy: ## Lint everything; a warning is an error
	cargo clippy --workspace --all-targets --all-features --locked -- -D warnings

.PHONY: unit
unit: ## Run the unit, integration and documentation tests
	cargo test --workspace --all-features --locked

.PHONY: doc
doc: ## Build the documentation; a broken link is an error
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --all-features --locked

.PHONY: deny
deny: $(CARGO_DENY) ## Check the dependencies: bans, licenses, sources (deny.toml)
	$(CARGO_DENY) --workspace --all-features --locked check bans licenses sources

# Beyond the checks

# What to watch, for example: make run GAME=gap PLAYERS=3 SEED=7 LANG_=de
GAME ?= no_dice
PLAYERS ?= 4
SEED ?= 1
LANG_ ?= en

.PHONY: run
run: ## Watch a game between players who choose at random (GAME, PLAYERS, SEED, LANG_)
	@cargo run --quiet --locked --release -p parlor-engine --example watch -- $(GAME) $(PLAYERS) --seed $(SEED) --lang $(LANG_)

.PHONY: audit
audit: $(CARGO_DENY) ## Look the dependencies up in the advisory database (needs the network)
	@GIT_TERMINAL_PROMPT=0 $(CARGO_DENY) --workspace --all-features --locked fetch db || { \
		echo "make audit: NOT DONE. The advisory database could not be fetched: no dependency was looked up." >&2; \
		exit 1; }
	GIT_TERMINAL_PROMPT=0 $(CARGO_DENY) --workspace --all-features --locked check -D index-failure advisories

.PHONY: bench
bench: ## Measure how fast the engine plays random games to the end, and how strong the house bots are
	cargo bench -p parlor-engine --bench playout --locked
	cargo bench -p parlor-bots --bench strength --locked

.PHONY: mutants
mutants: $(CARGO_MUTANTS) ## Break the engine in small ways and see whether its tests notice (slow)
	$(CARGO_MUTANTS) mutants --package parlor-engine --all-features --cargo-arg=--locked $(MUTANTS_ARGS)

.PHONY: clean-tools
clean-tools: ## Remove the locally installed tools
	rm -rf $(TOOLS)

# A debug build without debug information takes a third to a half of the time of a release build, and
# these tools mostly wait for cargo.
$(CARGO_DENY) $(CARGO_MUTANTS): INSTALL = CARGO_PROFILE_DEV_DEBUG=0 cargo install --debug --locked --root

$(CARGO_DENY):
	$(INSTALL) $(TOOLS)/cargo-deny-$(CARGO_DENY_VERSION) --version $(CARGO_DENY_VERSION) cargo-deny

$(CARGO_MUTANTS):
	$(INSTALL) $(TOOLS)/cargo-mutants-$(CARGO_MUTANTS_VERSION) --version $(CARGO_MUTANTS_VERSION) cargo-mutants
