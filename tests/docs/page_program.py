#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The one C++ block of a page: written to a file for the build, or run and compared.

usage: page_program.py write PAGE.md FILE.cc
       page_program.py run PAGE.md BINARY     on a folder of its own; prints what the page shows
"""

import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import blocks  # noqa: E402


def program_of(page):
    found, findings = blocks.parse(page, pathlib.Path(page).read_text(encoding="utf-8"))
    programs = [block for block in found if block.kind == "cpp"]
    if findings or len(programs) != 1 or programs[0].output is None:
        wrong = [f"{page}: expected one `cpp` block with its output", *findings]
        raise SystemExit("\n".join(wrong))
    return programs[0]


def write(page, target):
    program = program_of(page)
    # Errors of the compiler name the line of the page.
    text = f'#line {program.line + 1} "{page}"\n{program.text}'
    pathlib.Path(target).write_text(text, encoding="utf-8")


def run(page, binary):
    program = program_of(page)
    with tempfile.TemporaryDirectory(prefix="rookery-docs-") as folder:
        ran = subprocess.run([binary, f"{folder}/data"], capture_output=True, text=True,
                             check=False, timeout=60)
    print(ran.stdout, ran.stderr, sep="")
    if ran.returncode != 0 or not blocks.same_output(program.output, ran.stdout):
        raise SystemExit(f"{program}: status {ran.returncode}; it should print\n{program.output}")


if __name__ == "__main__":
    {"write": write, "run": run}[sys.argv[1]](*sys.argv[2:])
