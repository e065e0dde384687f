# Everything goes through tools/bootstrap.py, which sets up what is missing and skips what is done.
# Options for the command behind a target: make run ARGS="--port 9000", make test ARGS="-k ledger".
# Other variables (CASES, LIVEKIT_URL, REDIS_URL …): .env.example. They work here too: make run CASES=some/folder

PYTHON ?= python3
BOOTSTRAP = $(PYTHON) tools/bootstrap.py

.PHONY: help setup run test check demo bench chaos evaluate live-check lock

help:
	@echo "make run     set up what is missing, start everything, print the page's address"
	@echo "make test    set up what is missing, run every check and test"
	@echo "make check   the checks, and for a minute the fast tests of what was changed since the trunk"
	@echo "make demo    one case heard, talked over, dropped and come back to, without a keyboard, into out/demo/"
	@echo "make bench   measure, into out/bench/"
	@echo "make chaos   kill clients and parts while sessions run, and count what is lost, into out/chaos/"
	@echo "make evaluate  measure what is told, and what it costs, into out/evaluation/"
	@echo "make live-check  ask the real chat models whose keys are in the environment what their twins are asked"
	@echo "make setup   set up only"
	@echo "make lock    resolve requirements/*.in anew"

setup run test check demo bench chaos evaluate live-check lock:
	@$(BOOTSTRAP) $@ $(ARGS)
