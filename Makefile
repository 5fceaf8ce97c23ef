# The front door. The build itself is CMakeLists.txt, its variants are in CMakePresets.json.

PREFIX ?= /usr/local
DESTDIR ?=
BENCH_ARGS ?=
FUZZ_SECONDS ?= 600
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

C_FILES = $(wildcard $(addsuffix /*.c,src module tests tests/fuzz bench examples))
H_FILES = $(wildcard $(addsuffix /*.h,include src module tests tests/fuzz bench examples))

# $(call build,preset,options): configure and compile one preset.
build = cmake --preset $(1) --log-level=WARNING $(2) && cmake --build --preset $(1) -j $(JOBS)
ctest = ctest --preset $(1) -j $(JOBS)

.PHONY: all module run test check fuzz bench fmt fmt-check lint install clean help deps-build deps-test deps-redis
.NOTPARALLEL:
MAKEFLAGS += --no-print-directory

all: deps-build ## build the library, the module, the examples and the benchmark (build/release)
	$(call build,release,-DGUIRA_TESTS=OFF)

module: deps-build ## build the module for Redis and Valkey alone (build/release/module/guira.so)
	cmake --preset release --log-level=WARNING -DGUIRA_TESTS=OFF
	cmake --build --preset release -j $(JOBS) --target guira_module

run: all ## build, then run the example examples/flows.c
	build/release/examples/flows

test: deps-build deps-test deps-redis fmt-check ## all tests, a build by clang, quick tests under sanitizers
	$(call build,release,-DGUIRA_TESTS=ON)
	$(call ctest,release)
	if command -v clang >/dev/null; then $(call build,clang); else echo "no clang: not built with it"; fi
	$(call build,asan)
	GUIRA_QUICK=1 $(call ctest,asan)

check: deps-build deps-test deps-redis ## all tests in full under ASan and UBSan
	$(call build,asan)
	$(call ctest,asan)

fuzz: deps-build deps-test ## fuzz loading and operations, $(FUZZ_SECONDS) seconds each; finds are kept in build/fuzz
	$(call build,fuzz)
	for name in load ops; do \
		mkdir -p build/fuzz/corpus-$$name && \
		build/fuzz/tests/fuzz/fuzz_$$name -max_total_time=$(FUZZ_SECONDS) -max_len=16384 -timeout=60 -print_final_stats=1 \
			-artifact_prefix=build/fuzz/$$name- build/fuzz/corpus-$$name tests/fuzz/corpus/$$name || exit 1; \
	done

bench: all ## build, then run the benchmark with $(BENCH_ARGS)
	build/release/bench/guira-bench $(BENCH_ARGS)

fmt: deps-test ## format every source file in place
	clang-format -i $(C_FILES) $(H_FILES)

fmt-check: deps-test
	clang-format --dry-run -Werror $(C_FILES) $(H_FILES)

lint: deps-build deps-test fmt-check ## clang-tidy, cppcheck, clang-format: no finding is allowed
	cmake --preset release --log-level=WARNING -DGUIRA_TESTS=ON
	printf '%s\n' $(C_FILES) | xargs -P $(JOBS) -n 1 clang-tidy --quiet -p build/release
	cppcheck --quiet --error-exitcode=1 --enable=warning,performance,portability --inline-suppr -j $(JOBS) \
		--project=build/release/compile_commands.json

install: all ## install below $(DESTDIR)$(PREFIX)
	DESTDIR="$(DESTDIR)" cmake --install build/release --prefix "$(PREFIX)"

clean: ## remove everything that was built
	rm -rf build

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 12

deps-build:
	@sh scripts/deps.sh build

deps-test:
	@sh scripts/deps.sh test

deps-redis:
	@sh scripts/deps.sh redis
