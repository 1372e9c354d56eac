#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs into a folder of its own, and runs the installed program as systemd would.

usage: install_test.py BUILD_FOLDER
"""

import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import unittest
import urllib.request

BUILD = pathlib.Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else None
WAIT_S = 30


def install(destination, prefix):
    return subprocess.run(
        ["cmake", "--install", str(BUILD), "--prefix", prefix], check=True, text=True,
        capture_output=True, env={**os.environ, "DESTDIR": str(destination)}).stdout


class Installed(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="rookery-install-")
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        install(self.root, "/usr")

    def unit(self):
        text = (self.root / "lib/systemd/system/rookery.service").read_text(encoding="utf-8")
        return text, dict(re.findall(r"^(\w+)=(.*)$", text, re.M))

    def test_everything_is_in_its_place(self):
        for name in ("usr/bin/rookery", "etc/rookery/settings.json",
                     "usr/share/doc/rookery/README.md", "usr/share/doc/rookery/copyright",
                     "usr/share/doc/rookery/docs/configuration.md"):
            self.assertTrue((self.root / name).is_file(), name)
        text, unit = self.unit()
        self.assertNotRegex(text, r"@[A-Z_]+@", "a place was not filled in")
        self.assertEqual(unit["Type"], "notify")
        self.assertEqual(unit["ExecStart"],
                         "/usr/bin/rookery serve --config-path /etc/rookery/settings.json")
        self.assertIn("SystemCallFilter=@system-service\n", text)

    def test_another_prefix_keeps_all_below_it(self):
        with tempfile.TemporaryDirectory() as other:
            install(other, "/opt/rookery")
            unit = pathlib.Path(other, "opt/rookery/lib/systemd/system/rookery.service")
            self.assertIn("ExecStart=/opt/rookery/bin/rookery serve --config-path "
                          "/opt/rookery/etc/rookery/settings.json\n",
                          unit.read_text(encoding="utf-8"))
            self.assertFalse(pathlib.Path(other, "etc").exists())

    def test_settings_that_are_there_stay(self):
        settings = self.root / "etc/rookery/settings.json"
        settings.write_text('{"ServerUrl": "http://127.0.0.1:1"}', encoding="utf-8")
        self.assertIn("Kept as it is", install(self.root, "/usr"))
        self.assertEqual(json.loads(settings.read_text(encoding="utf-8"))["ServerUrl"],
                         "http://127.0.0.1:1")

    def test_it_runs_as_a_service(self):
        manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(manager.close)
        manager.bind(str(self.root / "notify"))
        manager.settimeout(WAIT_S)
        program, *arguments = self.unit()[1]["ExecStart"].split()
        # The unit's own command, but for places that only a whole machine has. What the file says
        # is overridden as a drop-in would: by the environment.
        command = [str(self.root) + program,
                   *(a.replace("/etc/", f"{self.root}/etc/") for a in arguments)]
        environment = {"PATH": os.environ["PATH"], "NOTIFY_SOCKET": str(self.root / "notify"),
                       "RAVEN_ServerUrl": "http://127.0.0.1:0",
                       "RAVEN_DataDir": str(self.root / "data")}
        for name in ("ASAN_OPTIONS", "TSAN_OPTIONS"):
            environment.update({name: os.environ[name]} if name in os.environ else {})
        server = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(lambda: (server.poll() is None and server.kill(), server.wait()))
        ready = manager.recv(4096).decode().split("\n")
        self.assertEqual(ready[0], "READY=1")
        url = re.fullmatch(r"STATUS=Serving on (http://127\.0\.0\.1:\d+)", ready[1]).group(1)
        # It said that it is ready: the first request is answered.
        with urllib.request.urlopen(url + "/build/version", timeout=WAIT_S) as answer:
            self.assertEqual(json.load(answer)["FullVersion"], "5.4.113")
        self.assertTrue((self.root / "data/System").is_dir())
        server.send_signal(signal.SIGTERM)
        self.assertEqual(manager.recv(4096).decode().split("\n")[0], "STOPPING=1")
        output, errors = server.communicate(timeout=WAIT_S)
        self.assertEqual(server.returncode, 0, errors)
        self.assertEqual(output, f"Server available on: {url}\n")
        self.assertIn("key=ServerUrl value=http://127.0.0.1:0 source=RAVEN_ServerUrl", errors)
        self.assertIn("event=config.overridden key=ServerUrl value=http://127.0.0.1:8080", errors)


if __name__ == "__main__":
    unittest.main(verbosity=2)
