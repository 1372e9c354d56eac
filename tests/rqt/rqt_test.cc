// SPDX-License-Identifier: Apache-2.0
// The tester tested, against answers made up here.
#include <gtest/gtest.h>

#include "rqt_file.h"
#include "rqt_runner.h"

namespace rookery::rqt {
namespace {

constexpr std::string_view kCase = R"(# a comment
=== two of them
--- documents
a/1  As  {"x":1}
a/2  As  {"x":2}

--- query
from As
where x > $p
--- parameters
{"p":0}
--- rows
a/1
a/2 {"x": 2}
)";

// Answers every query with `body`, everything else with what is right.
Ask answering(int status, std::string body) {
  return [status, body](const api::Request& request) {
    if (request.path.ends_with("/queries")) {
      return api::Response::json(body, status);
    }
    return api::Response::json("{}", request.method == "DELETE" ? 200 : 201);
  };
}

std::string answer(std::string_view results, std::string_view total, std::string_view stale) {
  return R"({"Results":[)" + std::string(results) + R"(],"TotalResults":)" + std::string(total) +
         R"(,"IsStale":)" + std::string(stale) +
         R"(,"IndexName":"I","Includes":{"b/2":{},"b/1":{}}})";
}

constexpr std::string_view kBoth =
    R"({"x":1,"@metadata":{"@id":"a/1"}},{"x":2,"@metadata":{"@id":"a/2"}})";

std::string differences(std::string_view text, int status, const std::string& body) {
  const auto file = parse_rqt(text);
  EXPECT_TRUE(file.has_value()) << file.error().message();
  return run_case(answering(status, body), file->cases.at(0), "d").differences;
}

TEST(Rqt, TakesAFileApart) {
  const auto file = parse_rqt(kCase);
  ASSERT_TRUE(file.has_value());
  ASSERT_EQ(file->cases.size(), 1U);
  const Case& one = file->cases[0];
  EXPECT_EQ(one.name, "two of them");
  ASSERT_EQ(one.sections.size(), 4U);
  EXPECT_EQ(one.sections[0].lines.size(), 2U);
  EXPECT_EQ(one.sections[1].lines, (std::vector<std::string>{"from As", "where x > $p"}));
}

TEST(Rqt, RefusesFilesThatSayNothing) {
  const auto error = [](std::string_view text) {
    const auto file = parse_rqt(text);
    return file.has_value() ? "none" : std::string(file.error().message());
  };
  EXPECT_EQ(error("x\n"), "line 1: expected a section, a case or a comment");
  EXPECT_EQ(error("--- rows\n"), "line 1: a section before the first case");
  EXPECT_EQ(error("=== a\n"), "line 1: the case does not say what it expects");
  EXPECT_EQ(error("=== a\n--- query\nfrom A\n"), "line 1: the case does not say what it expects");
  EXPECT_EQ(error("=== a\n--- row\n"), "line 2: no section is called `row`");
  EXPECT_EQ(error("=== a\n--- rows\n"), "line 2: rows or an error, once after a query");
  EXPECT_EQ(error("=== a\n--- includes\n"), "line 2: this section follows a query");
  EXPECT_EQ(error("=== a\n--- query\nfrom A\n--- rows of x\n"),
            "line 4: expected a number after `of`");
}

TEST(Rqt, SeesEveryDifference) {
  EXPECT_EQ(differences(kCase, 200, answer(kBoth, "2", "false")), "");
  EXPECT_NE(differences(kCase, 200, answer(kBoth, "2", "true")), "");
  EXPECT_NE(differences(kCase, 200, answer(kBoth, "3", "false")), "");
  EXPECT_NE(differences(kCase, 200, answer("", "0", "false")), "");
  EXPECT_NE(differences(kCase, 200, "{}"), "");
  EXPECT_NE(differences(kCase, 400, R"({"Type":"a.B","Message":"m"})"), "");
  // Another order, another body.
  EXPECT_NE(
      differences(kCase, 200,
                  answer(R"({"x":2,"@metadata":{"@id":"a/2"}},{"x":1,"@metadata":{"@id":"a/1"}})",
                         "2", "false")),
      "");
  EXPECT_NE(
      differences(kCase, 200,
                  answer(R"({"x":1,"@metadata":{"@id":"a/1"}},{"x":3,"@metadata":{"@id":"a/2"}})",
                         "2", "false")),
      "");
}

TEST(Rqt, ComparesWithoutOrderWithTotalsIncludesAndIndex) {
  constexpr std::string_view kText =
      "=== a\n--- query\nfrom As\n--- rows in any order of 7\na/2\na/1\n"
      "--- includes\nb/1\nb/2\n--- index\nI\n";
  EXPECT_EQ(differences(kText, 200, answer(kBoth, "7", "false")), "");
  EXPECT_NE(differences(kText, 200, answer(kBoth, "2", "false")), "");
  EXPECT_NE(differences("=== a\n--- query\nfrom As\n--- rows\na/1\na/2\n--- includes\nb/1\n", 200,
                        answer(kBoth, "2", "false")),
            "");
  EXPECT_NE(differences("=== a\n--- query\nfrom As\n--- rows\na/1\na/2\n--- index\nJ\n", 200,
                        answer(kBoth, "2", "false")),
            "");
}

TEST(Rqt, ComparesProjectionsAndErrors) {
  constexpr std::string_view kRows = "=== a\n--- query\nfrom As select x\n--- rows\n{\"x\" : 1}\n";
  constexpr std::string_view kRow = R"({"x":1,"@metadata":{"@id":"a/1","@projection":true}})";
  EXPECT_EQ(differences(kRows, 200, answer(kRow, "1", "false")), "");
  EXPECT_NE(differences("=== a\n--- query\nfrom As\n--- rows\n{\"x\":1.0}\n", 200,
                        answer(kRow, "1", "false")),
            "");
  constexpr std::string_view kError = "=== a\n--- query\nfrom\n--- error\nB: wrong at 1:4\n";
  EXPECT_EQ(differences(kError, 400, R"({"Type":"a.B","Message":"it is wrong at 1:4"})"), "");
  EXPECT_NE(differences(kError, 400, R"({"Type":"a.C","Message":"it is wrong at 1:4"})"), "");
  EXPECT_NE(differences(kError, 400, R"({"Type":"a.B","Message":"it is wrong at 1:5"})"), "");
  EXPECT_NE(differences(kError, 200, answer(kRow, "1", "false")), "");
}

TEST(Rqt, RewritesWhatDiffersAndNothingElse) {
  const auto file = parse_rqt(kCase);
  ASSERT_TRUE(file.has_value());
  const auto same = run_case(answering(200, answer(kBoth, "2", "false")), file->cases[0], "d");
  EXPECT_EQ(with_replacements(*file, same.replacements), kCase);
  const auto other =
      run_case(answering(200, answer(R"({"x":9,"@metadata":{"@id":"a/9"}})", "4", "false")),
               file->cases[0], "d");
  const std::string text = with_replacements(*file, other.replacements);
  EXPECT_EQ(text.substr(text.find("--- rows")), "--- rows of 4\na/9\n");
  EXPECT_EQ(text.substr(0, text.find("--- rows")), kCase.substr(0, kCase.find("--- rows")));
}

TEST(Rqt, TakesBlocksOfMarkdown) {
  const auto file = parse_markdown(
      "# A page\n```\nnot this\n```\n```rqt\n=== a\n--- query\nfrom As\n--- rows\n```\ntext\n");
  ASSERT_TRUE(file.has_value()) << file.error().message();
  ASSERT_EQ(file->cases.size(), 1U);
  EXPECT_EQ(file->cases[0].name, "a");
}

}  // namespace
}  // namespace rookery::rqt
