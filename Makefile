# What people type. `make` alone lists the targets.

SHELL := bash
.DEFAULT_GOAL := help
SWIFT ?= swift
SOURCES := Package.swift Sources Tests Examples Benchmarks
# Sanitizers and the optimiser get folders of their own, so that everyday builds stay warm.
DEEP := .build/deep

.PHONY: help
help: ## List these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

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

.PHONY: deep
deep: ## Before a release: optimised tests, thread and address sanitizer, linkage, manual pages
	@Scripts/setup deep
	$(SWIFT) test -c release -Xswiftc -enable-testing --scratch-path $(DEEP)/release
	$(SWIFT) test --sanitize=thread --scratch-path $(DEEP)/thread
	$(SWIFT) test --sanitize=address --disable-xctest --scratch-path $(DEEP)/address
	Scripts/check-linkage $(DEEP)/release/release
	Scripts/check-manuals

.PHONY: format
format: ## Lay out the sources
	$(SWIFT) format -i -r --configuration .swift-format $(SOURCES)

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
