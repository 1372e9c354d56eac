#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the code blocks of the documents and compares what they print with what the page says.

usage: run_blocks.py [--list] [PAGE...]     (RK_SERVER_BINARY names the server)

Without a page: every Markdown file of the tree. Each page has a server and an empty folder of its
own, and its blocks run in their order. --list only says what each block is. The rules are in
CONTRIBUTING.md. Exit code 0 if everything that can run does what it should.
"""

import argparse
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import blocks  # noqa: E402
import page_server  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CLIENT = ROOT / "tests" / "api"
# Which list of the build must name a page for its blocks of this kind to be run.
RUN_BY_BUILD = {"rqt": "tests/rqt/CMakeLists.txt", "cpp": "tests/docs/CMakeLists.txt"}


class Report:
    """What became of each block; printed as it comes, and written for ctest in the end."""

    def __init__(self):
        self.rows = []  # (block, "ok" | "failed" | "skipped", text)

    def add(self, block, what, text=""):
        self.rows.append((block, what, text))
        print(f"{what:<8} {block}{': ' + text if text else ''}", flush=True)

    def count(self, what):
        return sum(1 for row in self.rows if row[1] == what)

    def write_junit(self, path):
        suite = xml.Element("testsuite", name="docs")
        for block, what, text in self.rows:
            case = xml.SubElement(suite, "testcase", classname="docs", name=str(block))
            if what == "failed":
                xml.SubElement(case, "failure", message=text[:2000])
            elif what == "skipped":
                xml.SubElement(case, "skipped", message=text)
        path.parent.mkdir(parents=True, exist_ok=True)
        xml.ElementTree(suite).write(path)


def pages_of_tree(root):
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"], cwd=root,
        capture_output=True, check=True).stdout.decode()
    return [name for name in listed.split("\0") if name and (root / name).is_file()]


def python_client_is_installed():
    return importlib.util.find_spec("ravendb") is not None


def command_of(block, server):
    """How a block is run; its text is in a file, so that errors name lines."""
    text = server.mapped(block.text)
    if block.kind == "sh":
        path = server.folder / ".block.sh"
        path.write_text(page_server.PRELUDE + text)
        return ["bash", str(path)]
    if block.kind == "js":
        path = server.folder / ".block.mjs"
        path.write_text(text)
        return ["node", str(path)]
    path = server.folder / ".block.py"
    path.write_text(text)
    return [sys.executable, str(path)]


def run_block(block, server):
    """Empty if it does what it should, else what is wrong."""
    code, output, errors = server.run(command_of(block, server))
    said = f"\n--- printed\n{output}--- errors\n{errors}"
    if code is None:
        return f"it took over {page_server.BLOCK_TIMEOUT_SECONDS} s{said}"
    if block.must_fail and code == 0:
        return f"it should fail, and does not{said}"
    if not block.must_fail and code != 0:
        return f"it ended with {code}{said}"
    if block.output is not None and not blocks.same_output(block.output, output):
        return f"it should print\n{block.output}{said}"
    return ""


def run_page(found, open_server, report, has_python_client):
    """Runs the blocks of one page that run here. A failed one fails those after it on their own."""
    server = None
    try:
        for block in found:
            if block.kind == "python" and not has_python_client:
                report.add(block, "skipped", "it compiles; the Python client is not installed")
            elif block.kind in blocks.RUN_HERE:
                server = server or open_server()
                trouble = run_block(block, server)
                report.add(block, "failed" if trouble else "ok", trouble)
    finally:
        if server:
            server.close()


def check_lists(page, found, root):
    """A block that the build runs must be in the build's list."""
    for kind, listing in RUN_BY_BUILD.items():
        path = root / listing
        if any(block.kind == kind for block in found) and (
                not path.exists() or page not in path.read_text(encoding="utf-8")):
            yield f"{page}: has a `{kind}` block, but {listing} does not name the page"


def describe(block):
    if block.kind in RUN_BY_BUILD:
        return f"run as {RUN_BY_BUILD[block.kind]} says"
    return {"text": "not run", "json": "parsed"}.get(block.kind, "run")


def run_pages(pages, root, report, open_server, list_only=False, has_python_client=None):
    """The findings over the pages' form; what runs goes to the report."""
    if has_python_client is None:
        has_python_client = python_client_is_installed()
    findings = []
    for page in pages:
        found, wrong = blocks.parse(page, (root / page).read_text(encoding="utf-8"))
        findings += wrong + list(check_lists(page, found, root))
        if list_only:
            for block in found:
                print(f"{block}: {describe(block)}")
        elif not wrong:
            with tempfile.TemporaryDirectory(prefix="rookery-docs-") as folder:
                run_page(found, lambda: open_server(folder), report, has_python_client)
    return findings


def open_page_server(folder):
    return page_server.PageServer(
        os.environ["RK_SERVER_BINARY"], folder, node_modules=CLIENT / "node_modules")


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--list", action="store_true")
    parser.add_argument("pages", nargs="*")
    options = parser.parse_args(arguments)
    if not options.list:
        if not os.environ.get("RK_SERVER_BINARY"):
            parser.error("set RK_SERVER_BINARY to the path of the server's binary")
        os.environ["RK_SERVER_BINARY"] = str(pathlib.Path(os.environ["RK_SERVER_BINARY"]).resolve())
        subprocess.run([str(CLIENT / "install_client.sh")], check=True)
    report = Report()
    findings = run_pages(options.pages or pages_of_tree(ROOT), ROOT, report, open_page_server,
                         list_only=options.list)
    for finding in findings:
        print(f"failed   {finding}")
    if options.list:
        return 1 if findings else 0
    reports = os.environ.get("GTEST_OUTPUT", "")
    if reports.startswith("xml:"):
        report.write_junit(pathlib.Path(reports.removeprefix("xml:")) / "api_docs_blocks.xml")
    failed = report.count("failed") + len(findings)
    print(f"{report.count('ok')} blocks passed, {failed} failed, {report.count('skipped')} skipped")
    return 1 if failed or not report.count("ok") else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
