#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The style rules that a small program can check (STYLE.md); prints what breaks them.

usage: tidy.py [--format] [--fix]

Without an option: layers, listed sources, size and shape of files, words that may not merge, paths
that documents name. --format: clang-format over every C++ file (--fix writes). Exit code 1 if
anything was found. Each check is a function of a Tree and returns findings, so that tidy_test.py
can run it over planted faults.
"""

import argparse
import ast
import pathlib
import re
import subprocess
import sys

CXX = (".h", ".cc")
SOURCE_ROOTS = ("src", "sim", "bench", "fuzz", "tests")
COLUMNS_MAX = 100
LINES_MAX = 1000
BLOB_BYTES_MAX = 1 << 20


class Tree:
    """The files of a work tree, as git sees them, with their text read once."""

    def __init__(self, root, files=None):
        self.root = pathlib.Path(root)
        self.files = sorted(files if files is not None else self._from_git())
        self._texts = {}

    def _from_git(self):
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=self.root,
            capture_output=True, check=True).stdout.decode()
        return [name for name in listed.split("\0") if name and (self.root / name).is_file()]

    def text(self, name):
        if name not in self._texts:
            self._texts[name] = (self.root / name).read_bytes().decode("utf-8", "replace")
        return self._texts[name]

    def exists(self, name):
        return (self.root / name).exists()

    def with_suffix(self, *suffixes):
        return [name for name in self.files if name.endswith(suffixes)]

    def cxx(self):
        return [n for n in self.with_suffix(*CXX) if n.split("/")[0] in SOURCE_ROOTS]


def numbered(text):
    return enumerate(text.splitlines(), 1)


# Layers -----------------------------------------------------------------------------------------

INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]')


def layer_table(tree):
    """{layer: {layers it may use}} from cmake/layers.cmake."""
    rows = re.findall(r"^set\(RK_MAY_USE_(\w+) ([^)]*)\)", tree.text("cmake/layers.cmake"), re.M)
    return {name: set(uses.replace('"', "").split()) for name, uses in rows}


def is_test_file(name):
    stem = name.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    return stem.endswith("_test") or stem.startswith("fake_") or "_test_" in stem


def may_include(name, table):
    """The layers whose public headers this file may include; None means all of them."""
    parts = name.split("/")
    if parts[0] != "src" or len(parts) < 3:
        return None
    layer = parts[1]
    allowed = table.get(layer, set()) | {layer}
    return allowed | {"testing"} if is_test_file(name) else allowed


def check_includes(tree):
    table = layer_table(tree)
    for name in tree.cxx():
        allowed = may_include(name, table)
        for line, text in numbered(tree.text(name)):
            match = INCLUDE.match(text)
            if not match:
                continue
            path = match.group(1)
            if ".." in path.split("/"):
                yield f"{name}:{line}: an include may not climb: {path}"
            elif path.startswith("src/"):
                yield f"{name}:{line}: only public headers may be included from elsewhere: {path}"
            elif path.startswith("rookery/"):
                layer = path.split("/")[1]
                if layer not in table:
                    yield f"{name}:{line}: no layer is named '{layer}'"
                elif allowed is not None and layer not in allowed:
                    yield f"{name}:{line}: '{name.split('/')[1]}' may not use '{layer}'"
                if not tree.exists(f"src/{layer}/include/{path}") and layer in table:
                    yield f"{name}:{line}: no such public header: {path}"


def check_layer_folders(tree):
    table = layer_table(tree)
    layers = {n.split("/")[1] for n in tree.files if n.startswith("src/") and n.count("/") >= 2}
    for layer in sorted(layers):
        if layer not in table:
            yield f"src/{layer}: not in cmake/layers.cmake"
        elif f"src/{layer}/README.md" not in tree.files:
            yield f"src/{layer}: a layer has a README.md (what belongs, what doesn't, invariants)"


def check_listed(tree):
    """Every source is named by a CMakeLists.txt of its folder or of one above."""
    listings = {n: tree.text(n) for n in tree.files if n.endswith("CMakeLists.txt")}
    for name in tree.cxx():
        if not name.endswith(".cc"):
            continue
        folder = pathlib.PurePosixPath(name).parent
        for parent in [folder, *folder.parents]:
            listing = listings.get(str(parent / "CMakeLists.txt").removeprefix("./"))
            relative = str(pathlib.PurePosixPath(name).relative_to(parent))
            whole_word = rf"(^|[\s(\"/]){re.escape(relative)}($|[\s)\"])"
            if listing and re.search(whole_word, listing, re.M):
                break
        else:
            yield f"{name}: no CMakeLists.txt names it"
    for name, text in listings.items():
        if re.search(r"\bfile\s*\(\s*GLOB", text, re.I):
            yield f"{name}: sources are listed, never globbed"


# Shape and words --------------------------------------------------------------------------------


def check_shape(tree):
    for name in tree.files:
        code = name.endswith((*CXX, ".py", ".js", ".mjs", ".cmake")) and "vendor/" not in name
        if not (code or name.startswith(("scripts/", ".ci/"))):
            continue
        text = tree.text(name)
        if text.count("\n") > LINES_MAX:
            yield f"{name}: over {LINES_MAX} lines"
        if text and not text.endswith("\n"):
            yield f"{name}: no newline at the end"
        for line, content in numbered(text):
            if len(content) > COLUMNS_MAX:
                yield f"{name}:{line}: {len(content)} columns, {COLUMNS_MAX} are allowed"
            if not content.isascii() and not name.endswith("_test.cc"):
                yield f"{name}:{line}: not ASCII"
            if content != content.rstrip():
                yield f"{name}:{line}: blanks at the end of the line"
            if "\t" in content:
                yield f"{name}:{line}: a tab"


def check_headers(tree):
    for name in tree.cxx():
        lines = tree.text(name).splitlines()
        if not lines or not lines[0].startswith("// SPDX-License-Identifier: Apache-2.0"):
            yield f"{name}:1: the first line is the licence identifier"
        if name.endswith(".h") and "#pragma once" not in lines:
            yield f"{name}: no #pragma once"


WORDS = (
    (re.compile(r"\bFIX" r"ME\b"), "FIX" "ME cannot merge"),
    (re.compile(r"\bTO" r"DO\b(?!\(#\d+\))"), "TO" "DO needs its issue: TO" "DO(#12)"),
    (re.compile(r"\bDISABLED_(?!.*#\d)"), "a disabled test names its issue on the line (#12)"),
    (re.compile(r"^\s*//\s*TEST(_[FP])?\("), "a commented-out test cannot merge"),
)


def check_words(tree):
    for name in tree.files:
        code = name.endswith((*CXX, ".py", ".cmake", ".txt", ".js", ".mjs"))
        if not (code or name.startswith(("scripts/", ".ci/"))) or name.startswith("tools/tidy"):
            continue
        for line, content in numbered(tree.text(name)):
            for pattern, message in WORDS:
                if pattern.search(content):
                    yield f"{name}:{line}: {message}"


def check_blobs(tree):
    for name in tree.files:
        if (tree.root / name).stat().st_size > BLOB_BYTES_MAX:
            yield f"{name}: over {BLOB_BYTES_MAX} bytes; a repository is no place for it"
        if name.endswith("package-lock.json") and '"resolved": "http' in tree.text(name):
            yield f"{name}: names a download host; npm works without `resolved`"


# Documents --------------------------------------------------------------------------------------

PATH_IN_TEXT = re.compile(
    r"`((?:src|docs|sim|fuzz|bench|tests|tools|cmake|scripts|studio|\.ci)/[\w./-]*[\w/])`")
PAGE_IN_TEXT = re.compile(r"`([\w-]+\.md)`")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def check_documents(tree):
    for name in tree.with_suffix(".md"):
        folder = pathlib.PurePosixPath(name).parent
        fenced = False
        for line, content in numbered(tree.text(name)):
            if content.lstrip().startswith("```"):
                fenced = not fenced
            if fenced:
                continue
            for path in PATH_IN_TEXT.findall(content):
                if not tree.exists(path) and not tree.exists(str(folder / path)):
                    yield f"{name}:{line}: names a path that doesn't exist: {path}"
            for page in PAGE_IN_TEXT.findall(content):
                if not tree.exists(page) and not tree.exists(str(folder / page)):
                    yield f"{name}:{line}: names a page that doesn't exist: {page}"
            for target in LINK.findall(content):
                if not re.match(r"[a-z]+:", target) and not tree.exists(str(folder / target)):
                    yield f"{name}:{line}: links to nothing: {target}"


def block_kinds(source):
    """What may stand behind three backticks: the keys of KINDS in the runner of code blocks."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "KINDS":
            return {key.value for key in node.value.keys}
    return set()


def check_code_blocks(tree):
    """Each code block says what it is; what then becomes of it, tests/docs/run_blocks.py says."""
    runner = "tests/docs/blocks.py"
    if runner not in tree.files:
        return
    kinds = block_kinds(tree.text(runner))
    for name in tree.with_suffix(".md"):
        fenced = False
        for line, content in numbered(tree.text(name)):
            if not content.lstrip().startswith("```"):
                continue
            words = content.strip().lstrip("`").split()
            if not fenced and (not words or words[0] not in kinds):
                yield (f"{name}:{line}: a code block says what it is, `text` if it isn't run"
                       " (CONTRIBUTING.md, Code blocks in documents)")
            fenced = not fenced


TEST_IN_CODE = re.compile(
    r"\b(?:TEST|TEST_F|TEST_P|TYPED_TEST|RC_GTEST_PROP|RC_GTEST_FIXTURE_PROP)\(\s*(\w+),\s*(\w+)")
TEST_IN_TEXT = re.compile(r"`([A-Z]\w+\.[A-Z]\w+)`")


def check_named_tests(tree):
    """The table of invariants names (`Suite.Case`) only tests that exist.

    Elsewhere configuration keys look just like that.
    """
    known = {f"{suite}.{case}" for name in tree.cxx() if name.endswith("_test.cc")
             for suite, case in TEST_IN_CODE.findall(tree.text(name))}
    for name in tree.with_suffix("docs/store-invariants.md"):
        for line, content in numbered(tree.text(name)):
            for test in TEST_IN_TEXT.findall(content):
                if test not in known:
                    yield f"{name}:{line}: names a test that doesn't exist: {test}"


def plan_budgets(source):
    """{part: seconds} from the PLAN of run_tests.py, read without running it."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "PLAN":
            return {row.elts[0].value: row.elts[1].value for row in node.value.elts}
    return {}


def check_budgets(tree):
    """CONTRIBUTING's budget table says what run_tests.py does."""
    if not tree.exists("tools/run_tests.py") or not tree.exists("CONTRIBUTING.md"):
        return
    planned = plan_budgets(tree.text("tools/run_tests.py"))
    written = {part: int(m) * 60 + int(s) for part, m, s in re.findall(
        r"^\| `(\w+)` \| (\d+):(\d\d) \|", tree.text("CONTRIBUTING.md"), re.M)}
    for part in sorted(planned.keys() | written.keys()):
        if planned.get(part) != written.get(part):
            yield (f"CONTRIBUTING.md: budget of '{part}' is {written.get(part)} s there and"
                   f" {planned.get(part)} s in tools/run_tests.py")


# ------------------------------------------------------------------------------------------------

CHECKS = (check_includes, check_layer_folders, check_listed, check_shape, check_headers,
          check_words, check_blobs, check_documents, check_code_blocks, check_named_tests,
          check_budgets)


def check_format(tree, fix):
    names = tree.cxx()
    if not names:
        return 0
    mode = ["-i"] if fix else ["--dry-run", "-Werror"]
    return subprocess.run(["clang-format", *mode, *names], cwd=tree.root, check=False).returncode


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--format", action="store_true")
    parser.add_argument("--fix", action="store_true")
    options = parser.parse_args(arguments)
    tree = Tree(pathlib.Path(__file__).resolve().parent.parent)
    if options.format:
        return 1 if check_format(tree, options.fix) else 0
    findings = [finding for check in CHECKS for finding in check(tree)]
    for finding in findings:
        print(finding)
    print(f"tidy: {len(tree.files)} files, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
