# SPDX-License-Identifier: Apache-2.0
"""The counting of run_tests.py: a crash, a hang or an empty report must never read as a pass."""

import contextlib
import io
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import run_tests  # noqa: E402


def gtest_report(*cases):
    inner = "".join(
        f'<testcase name="{name}" classname="S" status="{status}" result="{result}">{body}'
        "</testcase>" for name, status, result, body in cases)
    return f"<testsuites><testsuite>{inner}</testsuite></testsuites>"


OK = ("Good", "run", "completed", "")
BAD = ("Bad", "run", "completed", "<failure/>")
SKIPPED = ("Skipped", "run", "skipped", "<skipped/>")
NOT_RUN = ("DISABLED" "_X", "notrun", "suppressed", "")


class CountTest(unittest.TestCase):
    def count(self, entries, reports):
        with tempfile.TemporaryDirectory() as folder:
            junit = pathlib.Path(folder, "ctest.xml")
            junit.write_text("<testsuite>" + "".join(
                f'<testcase name="{name}" status="{status}"/>' for name, status in entries)
                + "</testsuite>", encoding="utf-8")
            for name, text in reports.items():
                pathlib.Path(folder, f"{name}.xml").write_text(text, encoding="utf-8")
            return run_tests.count_cases(junit, pathlib.Path(folder))

    def test_cases_are_counted_not_binaries(self):
        outcome = self.count([("a", "run")], {"a": gtest_report(OK, OK, SKIPPED, NOT_RUN)})
        self.assertEqual((outcome.passed, outcome.failed), (2, []))

    def test_a_failed_case_is_named(self):
        outcome = self.count([("a", "fail")], {"a": gtest_report(OK, BAD)})
        self.assertEqual((outcome.passed, outcome.failed), (1, ["a: S.Bad"]))

    def test_an_entry_without_report_counts_once(self):
        outcome = self.count([("a", "run"), ("b", "fail")], {})
        self.assertEqual((outcome.passed, outcome.failed), (1, ["b"]))

    def test_a_binary_that_fails_after_its_cases_passed_is_a_failure(self):
        outcome = self.count([("a", "fail")], {"a": gtest_report(OK)})
        self.assertEqual((outcome.passed, outcome.failed), (1, ["a"]))

    def test_a_test_that_skips_itself_is_neither_passed_nor_failed_but_named(self):
        with tempfile.TemporaryDirectory() as folder:
            junit = pathlib.Path(folder, "ctest.xml")
            junit.write_text(
                '<testsuite><testcase name="browser" status="notrun">'
                '<skipped message="SKIP_RETURN_CODE=77"/></testcase>'
                '<testcase name="gone" status="notrun"><skipped message=""/></testcase>'
                "</testsuite>", encoding="utf-8")
            outcome = run_tests.count_cases(junit, pathlib.Path(folder))
        self.assertEqual((outcome.passed, outcome.failed, outcome.skipped),
                         (0, ["gone"], ["browser"]))

    def test_a_test_that_was_not_run_is_a_failure(self):
        outcome = self.count([("a", "notrun")], {})
        self.assertEqual((outcome.passed, outcome.failed), (0, ["a"]))


class PartTest(unittest.TestCase):
    def run_with(self, *parts, arguments=()):
        """main() over the given (name, function) parts; returns exit code and output."""
        plan = tuple((name, 1, False, "what", function) for name, function in parts)
        out = io.StringIO()
        with tempfile.TemporaryDirectory() as folder, \
                mock.patch.object(run_tests, "LOGS", pathlib.Path(folder)), \
                mock.patch.object(run_tests, "ROOT", pathlib.Path(folder)), \
                mock.patch.object(run_tests, "PLAN", plan), contextlib.redirect_stdout(out):
            code = run_tests.main(list(arguments))
        return code, out.getvalue()

    def last_line(self, output):
        return output.strip().splitlines()[-1]

    def test_sum_of_parts_is_the_last_line(self):
        code, output = self.run_with(
            ("a", lambda part: run_tests.Outcome(passed=3)),
            ("b", lambda part: run_tests.Outcome(passed=1)))
        self.assertEqual((code, self.last_line(output)), (0, "4 passed, 0 failed"))

    def test_a_failing_step_fails_the_run_and_shows_its_output(self):
        def step(part):
            part.run(["sh", "-c", "echo the reason; exit 3"], cwd="/")
        code, output = self.run_with(("a", step))
        self.assertEqual((code, self.last_line(output)), (1, "0 passed, 1 failed"))
        self.assertIn("the reason", output)

    def test_a_hanging_step_is_ended(self):
        def step(part):
            part.run(["sleep", "1000"], cwd="/")
        with mock.patch.object(run_tests, "KILL_FACTOR", 0.2):
            code, output = self.run_with(("a", step))
        self.assertEqual(code, 1)
        self.assertIn("was ended", output)

    def test_nothing_run_is_a_failure(self):
        code, output = self.run_with(("a", lambda part: run_tests.Outcome(note="none yet")))
        self.assertEqual((code, self.last_line(output)), (1, "0 passed, 0 failed"))

    def test_a_failed_build_skips_the_rest(self):
        def never(part):
            raise AssertionError("ran after a failed build")
        code, output = self.run_with(
            ("release", lambda part: run_tests.Outcome(failed=["release"])), ("b", never))
        self.assertEqual((code, self.last_line(output)), (1, "0 passed, 1 failed"))


if __name__ == "__main__":
    unittest.main()
