# SPDX-License-Identifier: Apache-2.0
"""Finds the fenced code blocks of a Markdown page, and says which rules they break.

The rules are those of CONTRIBUTING.md ("Code blocks in documents"): what may stand behind the three
backticks, and what it means. Nothing is run here.
"""

import dataclasses
import json
import re

FENCE = re.compile(r"^( *)(`{3,}|~{3,})(.*)$")
# What stands behind the backticks, and the words that may follow it.
KINDS = {
    "text": set(),       # not run: a picture, a grammar, bytes, what needs root or a build
    "sh": {"fails"},     # run by bash against the page's server; fails: it must end in an error
    "js": set(),         # run by Node with the official client
    "python": set(),     # compiled always, run where the official client is installed
    "json": set(),       # parsed
    "cpp": set(),        # built and run by the build
    "rqt": set(),        # run by rookery-rqt
    "output": set(),     # what the block before it prints
}
RUN_HERE = ("sh", "js", "python")
PRINTS = (*RUN_HERE, "cpp")


@dataclasses.dataclass
class Block:
    page: str
    line: int  # of the opening fence, from 1
    info: str
    text: str
    output: str | None = None  # what it must print, if the page says so
    name: str = ""

    @property
    def kind(self):
        return self.info.split()[0] if self.info else ""

    @property
    def must_fail(self):
        return "fails" in self.info.split()[1:]

    def __str__(self):
        return f"{self.page}:{self.line}: {self.info or '(nothing)'}"


def parse(page, text):
    """[blocks], [findings]: an `output` block is joined to the one it belongs to."""
    blocks, findings = [], []
    opened = None
    for number, line in enumerate(text.splitlines(), 1):
        match = FENCE.match(line)
        if opened is None:
            if match:
                indent, fence, info = match.groups()
                opened = (number, len(indent), fence, info.strip(), [])
            continue
        start, indent, fence, info, lines = opened
        if match and match[2].startswith(fence) and not match[3].strip():
            body = "".join(each[min(indent, len(each) - len(each.lstrip(" "))):] + "\n"
                           for each in lines)
            blocks.append(Block(page, start, info, body))
            opened = None
        else:
            lines.append(line)
    if opened is not None:
        findings.append(f"{page}:{opened[0]}: the block is never closed")
    return join_outputs(blocks, findings), findings + [
        finding for block in blocks for finding in check(block)]


def join_outputs(blocks, findings):
    joined = []
    for block in blocks:
        if block.kind != "output":
            joined.append(block)
        elif not joined or joined[-1].kind not in PRINTS or joined[-1].output is not None:
            findings.append(f"{block}: there is no block before it that prints it")
        else:
            joined[-1].output = block.text
    return joined


def check(block):
    words = block.info.split()
    if not words or words[0] not in KINDS:
        yield (f"{block}: what is it? One of {', '.join(KINDS)}; `text` is what isn't run"
               " (CONTRIBUTING.md, Code blocks in documents)")
        return
    for word in words[1:]:
        if word not in KINDS[words[0]]:
            yield f"{block}: `{words[0]}` has no option `{word}`"
    try:
        if block.kind == "python":
            compile(block.text, f"{block.page}:{block.line}", "exec")
        if block.kind == "json":
            json.loads(block.text)
    except (SyntaxError, ValueError) as error:
        yield f"{block}: {error}"


def same_output(expected, actual):
    """`...` stands for any characters of a line; alone on a line, for any number of lines."""
    pattern = ""
    for line in expected.rstrip("\n").split("\n"):
        if line.strip() == "...":
            pattern += r"(?:[^\n]*\n)*"
        else:
            pattern += "[^\n]*".join(re.escape(part) for part in line.rstrip().split("...")) + "\n"
    lines = [line.rstrip() for line in actual.rstrip("\n").split("\n")]
    return re.fullmatch(pattern, "".join(line + "\n" for line in lines)) is not None
