# What people type. `make` alone lists the targets.

SHELL := bash
.DEFAULT_GOAL := help
SWIFT ?= swift
SOURCES := Package.swift Sources Tests Examples Benchmarks
# Sanitizers and the optimiser get folders of their own, so that everyday builds stay warm.
DEEP := .build/deep

.PHONY: help
help: ## List these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: setup
setup:
	@Scripts/setup

.PHONY: build
build: setup ## Build the programs, the examples and the benchmark, optimised
	$(SWIFT) build -c release

.PHONY: test
test: setup ## Run all tests
	$(SWIFT) test

.PHONY: check
check: setup ## Before every commit: format, build (a warning is an error), tests with the house rules
	$(SWIFT) format lint -s -r --configuration .swift-format $(SOURCES)
	$(SWIFT) build --build-tests
	$(SWIFT) test --skip-build

.PHONY: test-user
test-user: setup ## Run all tests as an ordinary user, which root becomes for this
	$(SWIFT) build --build-tests
	Scripts/test-user

# Thousands of rounds want the optimiser; under a sanitizer the usual number does. There one test runs at a time, because
# watchdogs go by the clock. A sanitizer and Swift's own report of a crash do not go together.
# The leak detector does not see through the weak references of Swift; a thread that a test leaves behind is no race.
SANITIZED := SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0 TSAN_OPTIONS=report_thread_leaks=0 $(SWIFT) test --disable-xctest --no-parallel
.PHONY: deep
deep: ## Before a release: long optimised tests, sanitizers, an ordinary user, linkage, manual pages
	@Scripts/setup deep
	PORTKIT_DEEP=1 $(SWIFT) test -c release -Xswiftc -enable-testing --scratch-path $(DEEP)/release
	$(SANITIZED) --sanitize=thread --scratch-path $(DEEP)/thread
	$(SANITIZED) --sanitize=address --scratch-path $(DEEP)/address
	$(MAKE) test-user
	Scripts/check-linkage $(DEEP)/release/release
	Scripts/check-manuals

.PHONY: format
format: ## Lay out the sources
	$(SWIFT) format -i -r --configuration .swift-format $(SOURCES)

# Seconds to search (a shell's own SECONDS does not count). What is new is kept in the scratch folder; input that breaks
# a promise goes to the kept corpus, which a unit test repeats.
FUZZ_TIME := $(if $(filter command line,$(origin SECONDS)),$(SECONDS),60)
.PHONY: fuzz
fuzz: setup ## Search for input that breaks a promise of the wires: make fuzz SECONDS=60
	PORTKIT_FUZZ=1 $(SWIFT) build -c release --product PortFuzz --scratch-path $(DEEP)/fuzz \
	  -Xswiftc -sanitize=fuzzer,address -Xswiftc -parse-as-library -Xswiftc -enable-testing -Xswiftc -use-ld=lld
	mkdir -p $(DEEP)/corpus
	SWIFT_BACKTRACE=enable=no $(DEEP)/fuzz/release/PortFuzz -max_total_time=$(FUZZ_TIME) -max_len=400 -timeout=20 \
	  -artifact_prefix=Tests/Fuzz/Corpus/found- $(DEEP)/corpus Tests/Fuzz/Corpus

.PHONY: bench
bench: setup ## Measure, beside other systems where their benchmarks are at hand
	$(SWIFT) build -c release --product portbench
	Scripts/bench

.PHONY: demo
demo: build ## Two clients, touches across processes, one killed under a finger: with latencies
	.build/release/Demo

.PHONY: clean
clean: ## Remove what was built
	rm -rf .build
