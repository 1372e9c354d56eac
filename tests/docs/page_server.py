# SPDX-License-Identifier: Apache-2.0
"""One server for the blocks of one page, and the folder they run in.

The page names the default address; the server has a port that the operating system chose. The
address is replaced in what is run, and put back in what is printed.
"""

import os
import pathlib
import re
import signal
import subprocess
import threading

PAGE_ADDRESS = re.compile(r"\b(?:127\.0\.0\.1|localhost):8080\b")
START_TIMEOUT_SECONDS = 60
BLOCK_TIMEOUT_SECONDS = 120

# Subcommands that talk to a server; without --url they would take the default address.
ROOKERY = """#!/usr/bin/env bash
case "${1:-}" in
  get | put | del | query | shell | import | export | compare)
    case " $* " in
      *" --url"* | *" --folder"*) ;;
      *) set -- "$@" --url "$RK_PAGE_URL" ;;
    esac ;;
esac
exec "$RK_SERVER_BINARY" "$@"
"""

# curl ends well when the server refuses, which would hide that the page is wrong; and bodies have
# no line end, which a terminal's next prompt shows but an output of several curls doesn't.
PRELUDE = """set -eo pipefail
curl() {
  case " $* " in
    *" -f"* | *" --fail"*) command curl -sS -w "\\n" "$@" ;;
    *) command curl -sS -w "\\n" --fail-with-body "$@" ;;
  esac
}
"""


class PageServer:
    """Not for several threads. What a block started ends with the block, the server in `close`."""

    def __init__(self, binary, folder, node_modules=None):
        self.folder = pathlib.Path(folder)
        bin_folder = self.folder / ".bin"
        bin_folder.mkdir()
        (bin_folder / "rookery").write_text(ROOKERY)
        (bin_folder / "rookery").chmod(0o755)
        if node_modules:
            (self.folder / "node_modules").symlink_to(node_modules)
        self.process = subprocess.Popen(
            [binary, "--ServerUrl=http://127.0.0.1:0", "--RunInMemory=true", "--Logs.Mode=None",
             f"--Testing.ParentProcessId={os.getpid()}"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.url = self._address()
        self.environment = {
            **os.environ, "PATH": f"{bin_folder}:{os.environ['PATH']}", "RK_PAGE_URL": self.url,
            "RK_SERVER_BINARY": binary, "COLUMNS": "100", "LC_ALL": "C.UTF-8",
            # No file of whoever runs the tests may change what a block does.
            "HOME": str(self.folder), "XDG_STATE_HOME": str(self.folder / ".state")}

    def _address(self):
        killer = threading.Timer(START_TIMEOUT_SECONDS, self.process.kill)
        killer.start()
        said = ""
        try:
            for line in self.process.stdout:
                said += line
                match = re.match(r"Server available on: (\S+)$", line)
                if match:
                    return match[1]
        finally:
            killer.cancel()
        raise RuntimeError(f"the server did not start: {said}")

    def mapped(self, text):
        return PAGE_ADDRESS.sub(self.url.removeprefix("http://"), text)

    def unmapped(self, text):
        return text.replace(self.url.removeprefix("http://"), "127.0.0.1:8080")

    def run(self, command):
        """(exit code, standard output, standard error); None as code: it took too long."""
        process = subprocess.Popen(
            command, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
        try:
            output, errors = process.communicate(timeout=BLOCK_TIMEOUT_SECONDS)
            code = process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, errors = process.communicate()
            code = None
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        return code, self.unmapped(output), self.unmapped(errors)

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()
