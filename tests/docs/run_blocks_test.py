# SPDX-License-Identifier: Apache-2.0
"""Each way a page can be wrong must be found, and a page that is right must pass."""

import contextlib
import http.server
import io
import pathlib
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import blocks  # noqa: E402
import page_server  # noqa: E402
import run_blocks  # noqa: E402

FENCE = "`" * 3


def page(*parts):
    """page("sh", "true") is one block of shell."""
    text = "# A page\n"
    for info, body in zip(parts[::2], parts[1::2]):
        text += f"\n{FENCE}{info}\n{body}\n{FENCE}\n"
    return text


class Refuses(http.server.BaseHTTPRequestHandler):
    """Answers one path, as a server that knows little does."""

    def do_GET(self):
        known = self.path == "/known"
        self.send_response(200 if known else 404)
        self.end_headers()
        self.wfile.write(b"known\n" if known else b"no such thing\n")

    def log_message(self, *_):
        pass


class FakePageServer(page_server.PageServer):
    """A page's folder and environment, with a small server in place of the real one."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.web = http.server.HTTPServer(("127.0.0.1", 0), Refuses)
        self.url = f"http://127.0.0.1:{self.web.server_port}"
        threading.Thread(target=self.web.serve_forever, daemon=True).start()
        self.environment = None

    def close(self):
        self.web.shutdown()
        self.web.server_close()


class RunBlocksTest(unittest.TestCase):
    def run_text(self, text, python=True, files=None):
        """(what became of each block, findings of form)"""
        with tempfile.TemporaryDirectory() as root:
            for name, content in {"page.md": text, **(files or {})}.items():
                path = pathlib.Path(root, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(content, encoding="utf-8")
            report = run_blocks.Report()
            with contextlib.redirect_stdout(io.StringIO()):
                findings = run_blocks.run_pages(["page.md"], pathlib.Path(root), report,
                                                FakePageServer, has_python_client=python)
        return [row[1] for row in report.rows], findings

    def test_a_command_that_fails_is_found(self):
        self.assertEqual(self.run_text(page("sh", "true", "sh", "false\ntrue")),
                         (["ok", "failed"], []))

    def test_a_failure_inside_a_pipe_is_found(self):
        self.assertEqual(self.run_text(page("sh", "false | cat"))[0], ["failed"])

    def test_an_error_status_fails_curl(self):
        self.assertEqual(self.run_text(page("sh", "curl http://127.0.0.1:8080/known"))[0], ["ok"])
        self.assertEqual(self.run_text(page("sh", "curl http://127.0.0.1:8080/x"))[0], ["failed"])

    def test_fails_wants_an_error(self):
        self.assertEqual(self.run_text(page("sh fails", "false", "sh fails", "true"))[0],
                         ["ok", "failed"])

    def test_output_is_compared(self):
        text = page("sh", "echo a; echo bcd", "output", "a\nb...", "sh", "echo a", "output", "b")
        self.assertEqual(self.run_text(text)[0], ["ok", "failed"])

    def test_addresses_in_output_are_the_pages(self):
        text = page("sh", "echo http://127.0.0.1:8080/x", "output", "http://127.0.0.1:8080/x")
        self.assertEqual(self.run_text(text)[0], ["ok"])

    def test_dots_stand_for_what_varies_and_no_more(self):
        self.assertTrue(blocks.same_output("a ... c\n", "a b c\n"))
        self.assertTrue(blocks.same_output("a\n...\nz\n", "a\nb\nc\nz\n"))
        self.assertTrue(blocks.same_output("a\n...\nz\n", "a\nz"))
        self.assertFalse(blocks.same_output("a ... c\n", "a b\nc\n"))
        self.assertFalse(blocks.same_output("a\n", "a\nb\n"))
        self.assertFalse(blocks.same_output("a\n...\nz\n", "a\nb\nzz\n"))

    def test_python_is_compiled_without_the_client_and_run_with_it(self):
        self.assertEqual(self.run_text(page("python", "1 / 0"), python=False)[0], ["skipped"])
        self.assertEqual(self.run_text(page("python", "1 / 0"), python=True)[0], ["failed"])
        self.assertEqual(len(self.run_text(page("python", "def"), python=False)[1]), 1)

    def test_what_a_block_is_must_be_said(self):
        for text in (page("", "ls"), page("bash", "ls"), page("sh twice", "true"),
                     page("json", "{,}"), page("output", "a"), page("text", "a", "output", "a"),
                     page("sh", "true") + FENCE + "sh\ntrue\n"):
            statuses, findings = self.run_text(text)
            self.assertEqual((statuses, len(findings)), ([], 1), text)

    def test_text_is_not_run(self):
        self.assertEqual(self.run_text(page("text", "false")), ([], []))

    def test_what_the_build_runs_is_in_its_list(self):
        for kind, listing in run_blocks.RUN_BY_BUILD.items():
            self.assertEqual(len(self.run_text(page(kind, "x"))[1]), 1)
            self.assertEqual(self.run_text(page(kind, "x"), files={listing: "page.md"})[1], [])

    def test_an_indented_block_keeps_its_own_indents(self):
        found, findings = blocks.parse("p", f"- so:\n  {FENCE}sh\n  if true; then\n    a\n  fi\n"
                                            f"  {FENCE}\n")
        self.assertEqual((found[0].text, findings), ("if true; then\n  a\nfi\n", []))


if __name__ == "__main__":
    unittest.main()
