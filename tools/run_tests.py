#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the parts of the test plan, each against its time budget, and counts what passed.

usage: run_tests.py [--ci] [--only PART[,PART...]] [--list]

Called by scripts/test, which has installed what the parts need. The last line printed is
"N passed, M failed" and the exit code is 0 only if M is 0 and something ran. The budgets are those
of CONTRIBUTING.md; tidy.py checks that the two tables agree.
"""

import argparse
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
LOGS = ROOT / "build" / "test-logs"
JOBS = str(os.cpu_count() or 2)
# A part that takes several times its budget hangs: it is ended and counted as failed. Being merely
# over budget is shown, not failed, since a busy machine would make it a lottery.
KILL_FACTOR = 4
QUICK_LABELS = "^(unit|prop|query|api)$"
TSAN_LAYERS = ("base", "os", "testing", "store", "db")
FUZZ_SECONDS_IN_ALL = 60


@dataclasses.dataclass
class Outcome:
    passed: int = 0
    failed: list = dataclasses.field(default_factory=list)  # names
    skipped: list = dataclasses.field(default_factory=list)  # names: this machine lacks something
    note: str = ""

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped


class PartFailed(Exception):
    """A step of a part failed before any test could say why."""


class Part:
    """What a part's steps share: its log, its deadline."""

    def __init__(self, name, deadline):
        self.name = name
        self.deadline = deadline
        LOGS.mkdir(parents=True, exist_ok=True)
        self.log_path = LOGS / f"{name}.log"
        self.log = open(self.log_path, "w", encoding="utf-8")

    def run(self, command, environment=None, check=True, cwd=ROOT):
        """Runs one command, output to the log; its process group dies with the deadline."""
        self.log.write(f"$ {' '.join(command)}\n")
        self.log.flush()
        process = subprocess.Popen(
            command, cwd=cwd, env={**os.environ, **(environment or {})}, stdin=subprocess.DEVNULL,
            stdout=self.log, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            code = process.wait(timeout=max(1, self.deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            raise PartFailed(f"{command[0]} was ended: {KILL_FACTOR} times the budget is used")
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        if check and code != 0:
            raise PartFailed(f"{' '.join(command[:4])} ended with status {code}")
        return code


# Steps ------------------------------------------------------------------------------------------


def configure(part, preset, *definitions):
    part.run(["cmake", "--preset", preset, *definitions])


def build(part, preset, targets=()):
    part.run(["ninja", "-C", f"build/{preset}", f"-j{JOBS}", *targets])


def listed_tests(preset):
    """What ctest knows in a configured build: [(name, {labels})]."""
    text = subprocess.run(
        ["ctest", "--test-dir", f"build/{preset}", "--show-only=json-v1"], cwd=ROOT,
        capture_output=True, text=True, check=True).stdout
    tests = []
    for test in json.loads(text)["tests"]:
        labels = set()
        for prop in test.get("properties", []):
            if prop["name"] == "LABELS":
                labels.update(prop["value"])
        tests.append((test["name"], labels))
    return tests


def count_cases(junit_path, gtest_folder):
    """Counts gtest's cases where a binary reported them, and ctest's entries where none did.

    A binary that crashed or hung reported nothing or too little: its ctest entry counts as failed
    besides whatever cases its report has.
    """
    outcome = Outcome()
    for case in xml.etree.ElementTree.parse(junit_path).getroot().iter("testcase"):
        name, entry_ok = case.get("name"), case.get("status") == "run"
        report = gtest_folder / f"{name}.xml"
        failed_before = len(outcome.failed)
        skipped = case.find("skipped")
        if skipped is not None and "SKIP_RETURN_CODE" in skipped.get("message", ""):
            outcome.skipped.append(name)
            continue
        if report.exists():
            for inner in xml.etree.ElementTree.parse(report).getroot().iter("testcase"):
                if inner.get("status") == "notrun" or inner.find("skipped") is not None:
                    continue
                if inner.find("failure") is not None:
                    outcome.failed.append(f"{name}: {inner.get('classname')}.{inner.get('name')}")
                else:
                    outcome.passed += 1
        elif entry_ok:
            outcome.passed += 1
        if not entry_ok and len(outcome.failed) == failed_before:
            outcome.failed.append(name)
    return outcome


def ctest(part, preset, selection, environment=None):
    folder = ROOT / "build" / preset / "gtest-reports"
    shutil.rmtree(folder, ignore_errors=True)
    junit = ROOT / "build" / preset / "ctest.xml"
    junit.unlink(missing_ok=True)
    part.run(["ctest", "--test-dir", f"build/{preset}", f"-j{JOBS}", "--output-on-failure",
              "--output-junit", str(junit), *selection],
             environment={"GTEST_OUTPUT": f"xml:{folder}/", **(environment or {})}, check=False)
    if not junit.exists():
        raise PartFailed("ctest left no report")
    outcome = count_cases(junit, folder)
    if outcome.passed + len(outcome.failed) == 0:
        raise PartFailed("no test was found")
    return outcome


# Parts ------------------------------------------------------------------------------------------


def tidy_part(part):
    outcome = Outcome()
    for name, command in (
            ("tools' own tests",
             ["python3", "-m", "unittest", "discover", "-s", "tools", "-p", "*_test.py"]),
            ("tidy", ["python3", "tools/tidy.py"]),
            ("format", ["python3", "tools/tidy.py", "--format"])):
        if part.run(command, check=False) == 0:
            outcome.passed += 1
        else:
            outcome.failed.append(name)
    return outcome


def release_part(part):
    configure(part, "release")
    build(part, "release")
    return Outcome(passed=1)


def headers_part(part):
    """Every public header compiles alone."""
    build(part, "release", ["all_verify_interface_header_sets"])
    return Outcome(passed=1)


def alone_part(part):
    """The store builds and works without the rest of the tree."""
    part.run(["tests/store_alone/run.sh"])
    return Outcome(passed=1)


def quick_part(part):
    return ctest(part, "release", ["-L", QUICK_LABELS])


def sim_part(part):
    if not any("sim" in labels for _, labels in listed_tests("release")):
        return Outcome(note="no test has the label sim yet")
    outcome = ctest(part, "release", ["-L", "^sim$"])
    # The tests' own seeds are fixed, so that a failure is the change's; this one finds new things.
    seed = int.from_bytes(os.urandom(4), "little")
    command = ["build/release/sim/rookery-sim", "--seed", str(seed), "--workloads", "4",
               "--commits", "200", "--cut-one-in", "8", "--quiet"]
    if part.run(command, check=False) == 0:
        outcome.passed += 1
    else:
        outcome.failed.append("a fresh seed: " + " ".join(command))
    outcome.note = f"fresh seed {seed}"
    return outcome


def asan_part(part):
    configure(part, "asan")
    build(part, "asan")
    return ctest(part, "asan", ["-L", "^(unit|prop)$"])


def tsan_part(part):
    configure(part, "tsan")
    wanted = re.compile(rf"^({'|'.join(TSAN_LAYERS)})_(\w+_)?(unit|prop)$")
    names = [name for name, _ in listed_tests("tsan") if wanted.match(name)]
    build(part, "tsan", names)
    # By name: ctest's regular expressions know no \w.
    return ctest(part, "tsan", ["-R", f"^({'|'.join(names)})$"])


def fuzz_part(part):
    if not (ROOT / "fuzz" / "CMakeLists.txt").exists():
        return Outcome(note="no fuzz target yet")
    configure(part, "fuzz")
    targets = subprocess.run(["ninja", "-C", "build/fuzz", "-t", "targets", "all"], cwd=ROOT,
                             capture_output=True, text=True, check=True).stdout
    names = re.findall(r"^fuzz/(\w+): CXX_EXECUTABLE_LINKER", targets, re.M)
    if not names:
        raise PartFailed("fuzz/CMakeLists.txt makes no executable")
    build(part, "fuzz", [f"fuzz/{name}" for name in names])
    # As many at once as there are cores: the minute is one of processor time.
    seconds = max(1, FUZZ_SECONDS_IN_ALL // len(names))
    with concurrent.futures.ThreadPoolExecutor(int(JOBS)) as pool:
        sound = list(pool.map(lambda name: fuzz_one(part, name, seconds), names))
    return Outcome(passed=sum(sound),
                   failed=[f"fuzz {name}" for name, ok in zip(names, sound) if not ok])


def fuzz_one(part, name, seconds):
    corpus = LOGS / "corpus" / name
    corpus.mkdir(parents=True, exist_ok=True)
    command = [f"build/fuzz/fuzz/{name}", f"-max_total_time={seconds}", "-rss_limit_mb=4096",
               f"-artifact_prefix={LOGS}/{name}-", str(corpus)]
    seeds = ROOT / "fuzz" / "seeds" / name
    if seeds.exists():
        command.append(str(seeds))
    dictionary = ROOT / "fuzz" / "dictionaries" / f"{name}.dict"
    if dictionary.exists():
        command.append(f"-dict={dictionary}")
    return part.run(command, check=False) == 0


# name, budget in seconds on two cores with a cold ccache, only with --ci, what it is, function
PLAN = (
    ("tidy", 30, False, "tidy.py and its tests, clang-format", tidy_part),
    ("release", 720, False, "GCC Release build, warnings are errors", release_part),
    ("quick", 180, False, "labels unit, prop, query, api", quick_part),
    ("headers", 120, True, "each public header compiles alone", headers_part),
    ("alone", 120, True, "base, os and store build without the rest", alone_part),
    ("sim", 240, True, "simulation's share of seeds and cuts", sim_part),
    ("asan", 780, True, "clang ASan+UBSan without the edge: unit, prop", asan_part),
    ("tsan", 600, True, "clang TSan: base, os, testing, store, db", tsan_part),
    ("fuzz", 390, True, "one minute over all fuzz targets", fuzz_part),
)
TOTAL_BUDGET_CI = 55 * 60
TOTAL_BUDGET_QUICK = 20 * 60


def minutes(seconds):
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


def tail(path, lines=60):
    with open(path, encoding="utf-8", errors="replace") as file:
        return "".join(file.readlines()[-lines:])


def run_part(name, budget, function):
    start = time.monotonic()
    part = Part(name, start + KILL_FACTOR * budget)
    print(f"== {name} (budget {minutes(budget)})", flush=True)
    try:
        outcome = function(part)
    except (PartFailed, OSError, subprocess.CalledProcessError,
            xml.etree.ElementTree.ParseError) as error:
        outcome = Outcome(failed=[f"{name}: {error}"])
    finally:
        part.log.close()
    used = time.monotonic() - start
    for name_skipped in outcome.skipped:
        print(f"SKIPPED {name_skipped} (its output says what is missing here)")
    if outcome.failed:
        print(tail(part.log_path))
        for failure in outcome.failed:
            print(f"FAILED {failure}")
        print(f"   the whole log: {part.log_path.relative_to(ROOT)}", flush=True)
    return outcome, used


def print_table(rows, total_used, total_budget):
    print(f"\n{'part':<10} {'budget':>7} {'used':>7} {'passed':>7} {'failed':>7}  what")
    for name, budget, used, outcome, what in rows:
        over = "  (over budget)" if used > budget else ""
        notes = [outcome.note] if outcome.note else []
        if outcome.skipped:
            notes.append(f"skipped: {', '.join(outcome.skipped)}")
        note = f" ({'; '.join(notes)})" if notes else ""
        print(f"{name:<10} {minutes(budget):>7} {minutes(used):>7} {outcome.passed:>7}"
              f" {len(outcome.failed):>7}  {what}{note}{over}")
    over = "  (over budget)" if total_used > total_budget else ""
    print(f"{'in all':<10} {minutes(total_budget):>7} {minutes(total_used):>7}"
          f"  with the installing of packages{over}\n")


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ci", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args(arguments)
    only = set(filter(None, options.only.split(",")))
    unknown = only - {row[0] for row in PLAN}
    if unknown:
        parser.error(f"no such part: {', '.join(sorted(unknown))} (see --list)")
    chosen = [row for row in PLAN if (row[0] in only if only else options.ci or not row[2])]
    if options.list:
        for name, budget, ci, what, _ in PLAN:
            print(f"{name:<10} {minutes(budget):>7} {'--ci ' if ci else '     '} {what}")
        return 0

    # Ended from outside, it still ends what it started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    started = float(os.environ.get("RK_TEST_STARTED", time.time()))
    total = Outcome()
    rows = []
    for name, budget, _, what, function in chosen:
        outcome, used = run_part(name, budget, function)
        total.add(outcome)
        rows.append((name, budget, used, outcome, what))
        if name == "release" and outcome.failed:
            print("the build failed, so the parts after it are not run")
            break
    print_table(rows, time.time() - started,
                TOTAL_BUDGET_CI if options.ci else TOTAL_BUDGET_QUICK)
    print(f"{total.passed} passed, {len(total.failed)} failed", flush=True)
    return 1 if total.failed or total.passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
