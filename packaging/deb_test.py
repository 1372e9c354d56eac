#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the Debian package of a build, looks at it, and runs what it holds.

usage: deb_test.py BUILD_FOLDER

Exit code 77, for "skipped", where the tools that make packages are missing.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else None
SKIPPED = 77


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="rookery-deb-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        made = subprocess.run(
            ["cpack", "--config", str(BUILD / "CPackConfig.cmake"), "-B", str(cls.folder)],
            cwd=cls.folder, capture_output=True, text=True, check=False)
        assert made.returncode == 0, made.stdout + made.stderr
        (cls.package,) = cls.folder.glob("rookery_*.deb")

    def field(self, name):
        return output("dpkg-deb", "-f", str(self.package), name).strip()

    def test_says_what_it_is_and_needs(self):
        self.assertEqual(self.field("Package"), "rookery")
        self.assertEqual(self.field("Section"), "database")
        for needed in ("adduser", "libc6", "liblz4-1"):
            self.assertIn(needed, self.field("Depends"))

    def test_holds_what_it_must_and_nothing_elsewhere(self):
        names = [line.split()[5] for line in output("dpkg-deb", "-c", str(self.package)).split("\n")
                 if line]
        for name in ("./usr/bin/rookery", "./lib/systemd/system/rookery.service",
                     "./etc/rookery/settings.json", "./usr/share/doc/rookery/copyright"):
            self.assertIn(name, names)
        for name in names:
            self.assertRegex(name, r"^\./($|etc/|lib/|usr/)")

    def test_its_scripts_are_shell_and_its_settings_a_conffile(self):
        control = self.folder / "control"
        output("dpkg-deb", "-e", str(self.package), str(control))
        self.assertEqual((control / "conffiles").read_text(encoding="utf-8"),
                         "/etc/rookery/settings.json\n")
        for name in ("postinst", "prerm", "postrm"):
            self.assertEqual((control / name).stat().st_mode & 0o777, 0o755, name)
            output("sh", "-n", str(control / name))

    def test_what_it_holds_runs(self):
        root = self.folder / "root"
        output("dpkg-deb", "-x", str(self.package), str(root))
        self.assertIn("rookery ", output(str(root / "usr/bin/rookery"), "--version"))
        shown = output(str(root / "usr/bin/rookery"), "serve", "--print-settings", "--config-path",
                       str(root / "etc/rookery/settings.json"))
        self.assertIn("DataDir = /var/lib/rookery/data", shown)


if __name__ == "__main__":
    for tool in ("cpack", "dpkg-deb", "dpkg-shlibdeps"):
        if shutil.which(tool) is None:
            print(f"skipped: there is no {tool}")
            sys.exit(SKIPPED)
    unittest.main(verbosity=2)
