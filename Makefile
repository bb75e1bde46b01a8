# SPDX-License-Identifier: Apache-2.0
# Weir: every job has one name. `make help` lists them.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# SETUP=no changes nothing outside the repository: it neither checks for packages nor installs any.
SETUP ?= yes
# Seconds that each fuzzer runs in `make sanitize` and `make fuzz`.
FUZZ_SECONDS ?= 30
export FUZZ_SECONDS
# Random networks that `make hunt` tries.
HUNT ?= 100000
# The form of the rows that `make reproduce` runs: quick, or full.
FORM ?= quick

setup = $(if $(filter no,$(SETUP)),:,tools/setup)
first_build = $(if $(filter no,$(SETUP)),:,tools/first_build)

.PHONY: help run build test sanitize test-all format reference tidy fuzz hunt digests reproduce report-test site bench bench-real lossless clean

help: ## list the jobs
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

run: ## compare flow control on one incast, from scratch: install, build, run
	@$(first_build) build
	@tools/build release apps
	build/release/weir compare scenarios/incast_leaf_spine.toml --out results/incast_leaf_spine --continue --set-aside
	@build/release/weir report results/incast_leaf_spine

build: ## build everything in build/release
	@$(setup) build
	@tools/build release

test: ## style, documentation and all tests, some of them on random networks with fresh seeds
	@$(first_build) test
	@tools/test release

sanitize: ## the tests under AddressSanitizer and UndefinedBehaviorSanitizer, fuzzers, equal digests by compiler
	@$(setup) test
	@tools/test sanitize

test-all: ## everything a change must pass: test and sanitize
	@$(setup) test
	@tools/test all

format: ## format all sources
	@$(setup) test
	@tools/format --write

reference: ## generate docs/scenario_reference.md from the program: schemes, keys and parameters
	@$(setup) build
	@tools/build release apps
	build/release/weir list --reference > build/scenario_reference.md
	mv build/scenario_reference.md docs/scenario_reference.md

tidy: ## clang-tidy over all sources; a warning is an error
	@$(setup) tidy
	@tools/build tidy

fuzz: ## run each fuzzer for FUZZ_SECONDS
	@$(setup) test
	@tools/build sanitize fuzzers
	ctest --preset fuzz

hunt: ## search for counterexamples to the properties in HUNT random networks, with fresh seeds, on all cores
	@$(setup) test
	@tools/hunt $(HUNT)

digests: ## check that all compilers and build types give the same digests
	@$(setup) test
	@tools/digest_matrix tests/digest_matrix/*.toml

reproduce: ## evaluate the papers' claims on all cores, continuing an interrupted run; FORM=full: at the papers' scale
	@$(setup) build
	@tools/build release apps
	build/release/weir reproduce --all --jobs 0 $(if $(filter full,$(FORM)),--full)

report-test: ## test a report in a real browser
	@$(setup) browser
	@tools/report_test

site: ## build the documentation in build/site
	@$(setup) test
	@tools/site

bench: ## build Release and print the table of speeds
	@$(setup) build
	@tools/build release
	tools/bench

bench-real: ## build Release and print what forwarding a real frame costs, next to dpdk-testpmd
	@$(setup) bench-real
	@tools/build release frame_forwarding
	tools/bench_real

lossless: ## overload two switches with real packets for a minute, with PFC and with BFC (needs root)
	@$(setup) test
	@tools/build release apps
	for scheme in pfc bfc; do tests/real_ports/lossless_test.sh build/release/weir \
	  examples/testbed/lossless_$$scheme.toml 60; done

clean: ## remove build output; results/ stays
	rm -rf build
