# Rigor's everyday commands; CMake does the work. `make help` lists them.
#
# Variables: JOBS (parallel jobs), PREFIX and DESTDIR (make install), FUZZ_TIME (seconds per fuzzer), SCENE (make run),
# ORACLE_PAIRS, IMPACT_PAIRS (make oracle), PEERS, MOTION (options of rigor-bench-contact and rigor-bench-motion, make bench-peers), LOCATED (options of
# rigor-bench-located, make bench-located), LAW (of rigor-bench-law), GRASPS (of rigor-bench-grasps), RECORD (of rigor-bench-record), ARM (of rigor-bench-arm), BATCH (of rigor-bench-batch), THREADS (of rigor-bench-threads), PRECISION (options of rigor-bench-precision, make bench-precision), REPRODUCE (what make reproduce runs),
# TRACE (options of make trace-step).
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
PREFIX ?= /usr/local
FUZZ_TIME ?= 60
PRECISION ?= --quick
TRACE ?= --demand quick=120,rigid=500
ORACLE_PAIRS ?= 1000000
IMPACT_PAIRS ?= 100000
SCENE ?= models/default.yaml
LOCATED ?= --quick
RECORD ?= models/quadruped.sdf
REPRODUCE ?= --all --quick
PYTHON := /usr/bin/python3
export JOBS

.DEFAULT_GOAL := help
.PHONY: help run build test test-all test-viewer reproduce oracle towers determinism bench bench-located bench-law bench-grasps bench-arm bench-batch bench-threads bench-precision bench-record bench-view bench-peers check trace-step sanitize sanitize-threads fuzz format install clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' Makefile

run: build ## build, run the default scene, show what a standing robot carries and how well an arm follows, throw a die and verify it, set two experiments beside their papers, sweep over steps (SCENE=file: run that)
	@echo '$$ build/rigor run $(SCENE)'; build/rigor run $(SCENE)
	@[ $(SCENE) != models/default.yaml ] || { printf '\n$$ build/rigor run models/standing.yaml --contacts\n'; \
		build/rigor run models/standing.yaml --contacts; \
		printf '\n$$ build/rigor run models/arm_sinusoid.yaml\n'; build/rigor run models/arm_sinusoid.yaml; \
		printf '\n$$ build/rigor run models/die_rigid.yaml --certificate build/die.cert && build/rigor verify build/die.cert\n'; \
		build/rigor run models/die_rigid.yaml --certificate build/die.cert && build/rigor verify build/die.cert; \
		printf '\n$$ build/rigor reproduce 001-A 004-a --quick\n'; build/rigor reproduce 001-A 004-a --quick --quiet; \
		printf '\n$$ build/rigor sweep models/sweeps/steps.yaml --out build/steps && build/rigor plot build/steps.csv --x step --y drift --by stepper --log xy\n'; \
		build/rigor sweep models/sweeps/steps.yaml --out build/steps --fresh; \
		! command -v gnuplot >/dev/null || build/rigor plot build/steps.csv --x step --y drift --by stepper --log xy; \
		printf '\nAll experiments of the papers, with pages: make reproduce\n'; \
		printf '\nSee it in the browser: build/rigor view $(SCENE)\n'; }

build: ## build a release; leaves build/rigor
	@tools/setup.sh run
	@tools/build.sh release rigor_products

test: ## build and run the tests, all but the two longest; ends with "N passed, N failed"
	@tools/setup.sh test
	@tools/build.sh release tests
	@$(PYTHON) tools/run_tests.py build $(JOBS) -LE long

test-all: ## all tests: also the same bits by six builds, and sweeps whose processes are killed under MPI
	@tools/setup.sh test
	@tools/build.sh release tests
	@$(PYTHON) tools/run_tests.py build $(JOBS)

test-viewer: ## build the page and test it, decoders alone and all of it in a browser (needs Node.js 18; installs chromium)
	@tools/setup.sh viewer
	@tools/build.sh release rigor_products
	@tools/test_viewer.sh build

reproduce: ## the experiments of the papers beside their published numbers, in a little over 2 minutes on two cores; pages in build/reproduce (REPRODUCE="--all": the whole, 13 minutes)
	@tools/setup.sh figures
	@tools/build.sh release rigor_products
	@build/rigor reproduce $(REPRODUCE) --demand 90 --report build/reproduce

oracle: ## a million distances and 100,000 times of impact of random shapes against the tests' oracle
	@tools/setup.sh test
	@tools/build.sh release test.identity.distance_million test.identity.time_of_impact
	@RIGOR_ORACLE_PAIRS=$(ORACLE_PAIRS) build/test/test.identity.distance_million --jobs=1
	@RIGOR_IMPACT_PAIRS=$(IMPACT_PAIRS) build/test/test.identity.time_of_impact --jobs=1

towers: ## 60,000 steps of 10 ms of the towers of 102 planks with solver cone, set down exactly and carelessly: they stand
	@tools/setup.sh test
	@tools/build.sh release test.analytic.towers
	@RIGOR_TOWER_STEPS=60000 build/test/test.analytic.towers --jobs=1 --verbose=1 --filter='towers/of_102_planks*'

determinism: ## 2,000 steps of 666 balls: the same bits by gcc and clang at -O0 to -O3, by 1 to 8 threads, from a saved state
	@tools/setup.sh test
	@tools/build.sh release tests
	@RIGOR_LONG_RUNS=1 build/test/test.determinism.contact_bits --jobs=1 --filter='contact_bits/long_run'
	@RIGOR_LONG_RUNS=1 ctest --test-dir build -R '^same_bits$$' --timeout 3600 --output-on-failure

bench: ## build and run the benchmarks
	@tools/setup.sh run
	@tools/build.sh release rigor_bench
	@build/rigor-bench

bench-located: ## steppers that locate events: throws, thin things at high speed, stacks (LOCATED="options"; default a quick look)
	@tools/setup.sh run
	@tools/build.sh release rigor_bench_located
	@build/rigor-bench-located $(LOCATED)

bench-law: ## one step of ten scenes by every solver in both forms: velocities and work must be the same (LAW="options")
	@tools/setup.sh run
	@tools/build.sh release rigor_bench_law
	@build/rigor-bench-law $(LAW)

bench-record: ## speed of recordings: MCAP written, read, exported (RECORD="MODEL FILE.npz...": another model; NPZ files read)
	@tools/setup.sh run
	@tools/build.sh release rigor_bench_record
	@build/rigor-bench-record $(RECORD)

bench-grasps: ## 5 g to 2 kg held by two jaws with 1 to 200 N at steps of 1 to 20 ms: none may slip (GRASPS="options")
	@tools/setup.sh run
	@tools/build.sh release rigor_bench_grasps
	@build/rigor-bench-grasps $(GRASPS)

bench-arm: ## paper 002's arm and its PD controller in other engines, where bench-peers has built them (ARM="options")
	@tools/setup.sh run
	@tools/build.sh release rigor_bench_arm
	@build/rigor-bench-arm $(ARM)

bench-batch: ## rollouts of a quadruped by one thread and by two, ours beside MuJoCo's in one run, 1,024 of 1,000 steps (BATCH="--quick": options)
	@tools/setup.sh rollouts
	@tools/build.sh release rigor_bench_batch
	@build/rigor-bench-batch $(BATCH)

bench-threads: ## sweeps of pgs and pgs:jacobi by 1, 2, 4 and 8 threads on stacks, walls and heaps, beside ODE's (THREADS="options")
	@tools/setup.sh run
	@tools/build.sh release rigor_bench_threads
	@build/rigor-bench-threads $(THREADS)

bench-precision: ## error against time of our methods, and of other engines where bench-peers has built them (PRECISION="": the whole)
	@tools/setup.sh run
	@tools/build.sh release rigor_bench_precision
	@build/rigor-bench-precision --csv build/precision.csv $(PRECISION)

bench-view: ## what a viewer costs the simulation and gets of it: 1,000 bodies at 30 frames a second; how soon 10 minutes of a recording are seen
	@tools/setup.sh test
	@tools/build.sh release rigor_command
	@$(PYTHON) tools/bench_view.py build/rigor
	@tools/setup.sh viewer
	@tools/build.sh release rigor_products
	@tools/bench_open.sh build

bench-peers: ## the same robots, shapes and scenes in other engines, all measured in one run (PEERS="--quick": options)
	@tools/setup.sh peers
	@tools/build.sh release bench_peers
	@for peer in mujoco collision; do [ ! -x build/rigor-bench-$$peer ] || build/rigor-bench-$$peer; done
	@build/rigor-bench-contact --csv build/peers.csv $(PEERS)
	@build/rigor-bench-motion --csv build/motion.csv $(MOTION)
	@[ ! -d ../shared/problems/fc3d ] || build/rigor-bench-solve ../shared/problems/fc3d/*.dat --json build/solve.json

check: ## format, layers, names, sizes, structs of a step (a list), headers, symbols, clang-tidy
	@tools/setup.sh check
	@tools/build.sh release rigor_products
	@tools/check_all.sh build $(JOBS)

trace-step: ## the calls of one step: functions, files, changes of folder, outline (TRACE=options; fails above quick=120,rigid=500 changes)
	@tools/setup.sh run
	@$(PYTHON) tools/trace_step.py $(TRACE)

sanitize: ## all tests under the address and undefined-behaviour sanitizers
	@tools/setup.sh test
	@tools/build.sh sanitize tests
	@$(PYTHON) tools/run_tests.py build/sanitize $(JOBS)

sanitize-threads: ## batches and worlds with several threads under the thread sanitizer
	@tools/setup.sh test
	@tools/build.sh sanitize-threads rigor_threads
	@build/sanitize-threads/rigor-threads

fuzz: ## run every fuzzer for FUZZ_TIME seconds
	@tools/setup.sh fuzz
	@tools/build.sh fuzz fuzzers
	@tools/run_fuzzers.sh build/fuzz $(FUZZ_TIME) $(JOBS)

format: ## rewrite the sources with clang-format
	@tools/setup.sh check
	@tools/check_format.sh -i

install: build ## install to $(DESTDIR)$(PREFIX)
	@DESTDIR='$(DESTDIR)' cmake --install build --prefix '$(PREFIX)' >build/install.log
	@echo 'installed to $(DESTDIR)$(PREFIX); the list is build/install_manifest.txt'

clean: ## remove everything built
	@rm -rf build
