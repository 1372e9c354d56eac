# SPDX-License-Identifier: Apache-2.0
"""Each check of tidy.py must find its planted fault and leave the clean tree alone."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import tidy  # noqa: E402

LICENCE = "// SPDX-License-Identifier: Apache-2.0\n"
CLEAN = {
    "cmake/layers.cmake": 'set(RK_MAY_USE_base "")\nset(RK_MAY_USE_os base)\n'
                          "set(RK_MAY_USE_testing base os)\n",
    "src/base/CMakeLists.txt": "rk_layer(base SOURCES a.cc TESTS a_test.cc)\n",
    "src/base/README.md": "# base\n",
    "src/base/a.cc": LICENCE + '#include "rookery/base/a.h"\n',
    "src/base/a_test.cc": LICENCE,
    "src/base/include/rookery/base/a.h": LICENCE + "#pragma once\n",
    "src/os/CMakeLists.txt": "rk_layer(os\n  SOURCES\n    o.cc)\n",
    "src/os/README.md": "# os, see `src/base/a.cc` and [base](../base/README.md)\n",
    "src/os/o.cc": LICENCE + '#include "rookery/base/a.h"\n#include <vector>\n',
}


class TidyTest(unittest.TestCase):
    def findings(self, changes, check=None):
        """What is found in the clean tree with some files replaced (None removes one)."""
        files = {**CLEAN, **changes}
        with tempfile.TemporaryDirectory() as folder:
            names = []
            for name, text in files.items():
                if text is None:
                    continue
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
                names.append(name)
            tree = tidy.Tree(folder, names)
            checks = [check] if check else tidy.CHECKS
            return [finding for each in checks for finding in each(tree)]

    def assert_found(self, changes, words):
        found = self.findings(changes)
        self.assertEqual(len(found), 1, found)
        self.assertIn(words, found[0])

    def test_clean_tree_is_clean(self):
        self.assertEqual(self.findings({}), [])

    def test_upward_include(self):
        self.assert_found({"src/base/a.cc": LICENCE + '#include "rookery/os/p.h"\n',
                           "src/os/include/rookery/os/p.h": LICENCE + "#pragma once\n"},
                          "'base' may not use 'os'")

    def test_a_test_may_use_the_fakes_but_a_source_may_not(self):
        fake = {"src/testing/include/rookery/testing/f.h": LICENCE + "#pragma once\n",
                "src/testing/README.md": "# testing\n"}
        include = LICENCE + '#include "rookery/testing/f.h"\n'
        self.assertEqual(self.findings({**fake, "src/base/a_test.cc": include}), [])
        self.assert_found({**fake, "src/base/a.cc": include}, "'base' may not use 'testing'")

    def test_include_of_a_private_header_elsewhere(self):
        self.assert_found({"src/os/o.cc": LICENCE + '#include "../base/a.h"\n'}, "may not climb")

    def test_include_of_a_missing_public_header(self):
        self.assert_found({"src/os/o.cc": LICENCE + '#include "rookery/base/gone.h"\n'},
                          "no such public header")

    def test_unknown_layer(self):
        found = self.findings({"src/extra/README.md": "# extra\n"})
        self.assertEqual(found, ["src/extra: not in cmake/layers.cmake"])

    def test_layer_without_readme(self):
        self.assert_found({"src/os/README.md": None}, "has a README.md")

    def test_unlisted_source(self):
        self.assert_found({"src/os/forgotten.cc": LICENCE}, "no CMakeLists.txt names it")

    def test_listed_name_must_match_whole(self):
        self.assert_found({"src/os/oo.cc": LICENCE, "src/os/CMakeLists.txt": "x(o.cc poo.cc)\n"},
                          "src/os/oo.cc: no CMakeLists.txt names it")

    def test_source_listed_by_a_folder_above(self):
        self.assertEqual(self.findings({"src/CMakeLists.txt": "x(os/main.cc)\n",
                                        "src/os/main.cc": LICENCE}), [])

    def test_glob(self):
        self.assert_found({"src/CMakeLists.txt": "file(GLOB all *.cc)\n"}, "never globbed")

    def test_long_line(self):
        self.assertEqual(self.findings({"src/os/o.cc": LICENCE + "// " + "x" * 97 + "\n"}), [])
        self.assert_found({"src/os/o.cc": LICENCE + "// " + "x" * 98 + "\n"}, "101 columns")

    def test_long_file(self):
        self.assertEqual(self.findings({"src/os/o.cc": LICENCE + "\n" * 999}), [])
        self.assert_found({"src/os/o.cc": LICENCE + "\n" * 1000}, "over 1000 lines")

    def test_not_ascii(self):
        self.assert_found({"src/os/o.cc": LICENCE + "// caf\u00e9\n"}, "not ASCII")
        self.assertEqual(self.findings({"src/base/a_test.cc": LICENCE + "// caf\u00e9\n"}), [])

    def test_tab_and_trailing_blank(self):
        self.assert_found({"src/os/o.cc": LICENCE + "\tint x;\n"}, "a tab")
        self.assert_found({"src/os/o.cc": LICENCE + "int x; \n"}, "blanks at the end")

    def test_missing_newline_at_end(self):
        self.assert_found({"src/os/o.cc": LICENCE + "int x;"}, "no newline")

    def test_licence_and_pragma(self):
        self.assert_found({"src/os/o.cc": "int x;\n"}, "licence identifier")
        self.assert_found({"src/base/include/rookery/base/a.h": LICENCE}, "#pragma once")

    def test_words(self):
        self.assert_found({"src/os/o.cc": LICENCE + "// FIX" "ME later\n"}, "cannot merge")
        self.assert_found({"src/os/o.cc": LICENCE + "// TO" "DO: later\n"}, "needs its issue")
        self.assertEqual(self.findings({"src/os/o.cc": LICENCE + "// TO" "DO(#12): later\n"}), [])
        self.assert_found({"src/base/a_test.cc": LICENCE + "TEST(A, DISABLED_B) {}\n"}, "names its")
        self.assertEqual(self.findings(
            {"src/base/a_test.cc": LICENCE + "TEST(A, DISABLED_B) {}  // #7\n"}), [])
        self.assert_found({"src/base/a_test.cc": LICENCE + "// TEST(A, B) {}\n"}, "commented-out")

    def test_big_file(self):
        self.assert_found({"tests/big.bin": "x" * ((1 << 20) + 1)}, "no place for it")

    def test_lock_file_with_a_host(self):
        self.assert_found({"tests/api/package-lock.json": '{"resolved": "https://x/y.tgz"}\n'},
                          "download host")

    def test_documents_name_what_exists(self):
        self.assert_found({"docs/a.md": "see `src/os/gone.cc`\n"}, "src/os/gone.cc")
        self.assert_found({"docs/a.md": "see [this](b.md#x)\n"}, "links to nothing: b.md")
        self.assert_found({"docs/a.md": "see `GONE.md`\n"}, "GONE.md")
        self.assertEqual(self.findings({"docs/a.md": "`src/<layer>/x.cc`, `src/*/y.cc`\n"}), [])
        self.assertEqual(self.findings({"docs/a.md": "```\n`src/os/gone.cc`\n```\n"}), [])

    def test_documents_name_tests_that_exist(self):
        test = {"src/base/a_test.cc": LICENCE + "TEST(Page, KeepsIt) {}\n"}
        page = "docs/store-invariants.md"
        self.assertEqual(self.findings({**test, page: "see `Page.KeepsIt`\n"}), [])
        self.assert_found({**test, page: "see `Page.LosesIt`\n"}, "Page.LosesIt")
        self.assertEqual(self.findings({**test, "docs/a.md": "the key `Logs.Path`\n"}), [])

    def test_code_blocks_say_what_they_are(self):
        runner = {"tests/docs/blocks.py": 'KINDS = {"sh": {"fails"}, "text": set()}\n'}
        fence = "`" * 3
        fine = f"{fence}sh fails\nls\n{fence}\n\n{fence}text\n{fence}\n"
        self.assertEqual(self.findings({**runner, "a.md": fine}), [])
        for wrong in ("", "bash"):
            self.assert_found({**runner, "a.md": f"{fine}{fence}{wrong}\nls\n{fence}\n"},
                              "a code block says what it is")

    def test_budget_tables_agree(self):
        plan = "PLAN = (\n    ('quick', 180, False, 'w', None),\n)\n"
        table = "| part | budget |\n| `quick` | 3:00 | x |\n"
        self.assertEqual(self.findings({"tools/run_tests.py": plan, "CONTRIBUTING.md": table}), [])
        self.assert_found({"tools/run_tests.py": plan.replace("180", "181"),
                           "CONTRIBUTING.md": table}, "budget of 'quick'")
        self.assert_found({"tools/run_tests.py": plan,
                           "CONTRIBUTING.md": table + "| `gone` | 1:00 | x |\n"}, "'gone'")


if __name__ == "__main__":
    unittest.main()
