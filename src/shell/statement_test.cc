// SPDX-License-Identifier: Apache-2.0
#include "statement.h"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rookery::shell {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// What each line completes; commands in angle brackets.
std::vector<std::string> statements(StatementReader& reader,
                                    const std::vector<std::string_view>& lines) {
  std::vector<std::string> out;
  for (const std::string_view line : lines) {
    const auto found = reader.add_line(line);
    EXPECT_TRUE(found.has_value());
    for (const Statement& statement : *found) {
      out.push_back(statement.is_command ? "<" + statement.text + ">" : statement.text);
    }
  }
  return out;
}

std::vector<std::string> statements(const std::vector<std::string_view>& lines) {
  StatementReader reader;
  return statements(reader, lines);
}

TEST(StatementReader, EndsAtASemicolon) {
  EXPECT_THAT(statements({"from Users;"}), ElementsAre("from Users"));
  EXPECT_THAT(statements({"from Users", "where a = ';'", "  ;"}),
              ElementsAre("from Users\nwhere a = ';'"));
  EXPECT_THAT(statements({"from A; from B;from C", ";"}),
              ElementsAre("from A", "from B", "from C"));
  EXPECT_THAT(statements({";;", " ; // nothing;", ""}), IsEmpty());
  EXPECT_THAT(statements({"from A update {", "  this.x = 1;", "};"}),
              ElementsAre("from A update {\n  this.x = 1;\n}"));
}

TEST(StatementReader, EndsAtABlankLineIfItParses) {
  EXPECT_THAT(statements({"from Users", ""}), ElementsAre("from Users"));
  EXPECT_THAT(statements({"explain from Users", "  "}), ElementsAre("explain from Users"));
  StatementReader reader;
  EXPECT_THAT(statements(reader, {"from Users where", ""}), IsEmpty());
  ASSERT_TRUE(reader.obstacle().has_value());
  EXPECT_THAT(std::string(reader.obstacle()->message()), HasSubstr("end of the query"));
  EXPECT_TRUE(reader.is_open());
  EXPECT_THAT(statements(reader, {"Age > 3", ""}), ElementsAre("from Users where\n\nAge > 3"));
  EXPECT_FALSE(reader.obstacle().has_value());
  EXPECT_FALSE(reader.is_open());
}

TEST(StatementReader, KeepsABlankLineInsideAString) {
  EXPECT_THAT(statements({"from A where b = 'x", "", "y';"}),
              ElementsAre("from A where b = 'x\n\ny'"));
}

TEST(StatementReader, TakesCommandsAsLines) {
  EXPECT_THAT(statements({"\\use shop", "from A", "  \\help ", ";"}),
              ElementsAre("<\\use shop>", "<\\help>", "from A"));
  EXPECT_THAT(statements({"from A where b = '", "\\help", "';"}),
              ElementsAre("from A where b = '\n\\help\n'"));
}

TEST(StatementReader, GivesWhatIsLeft) {
  StatementReader reader;
  EXPECT_THAT(statements(reader, {"from A; from B"}), ElementsAre("from A"));
  EXPECT_EQ(reader.finish()->text, "from B");
  EXPECT_FALSE(reader.finish().has_value());
  EXPECT_THAT(statements(reader, {"// only a comment"}), IsEmpty());
  EXPECT_FALSE(reader.finish().has_value());
}

TEST(StatementReader, IsBounded) {
  StatementReader reader;
  const std::string line(StatementReader::kSizeBytesMax / 2, 'x');
  ASSERT_TRUE(reader.add_line("from A where b = '" + line).has_value());
  const auto more = reader.add_line(line);
  ASSERT_FALSE(more.has_value());
  EXPECT_EQ(more.error().code(), ErrorCode::too_large);
  EXPECT_THAT(statements(reader, {"from B;"}), ElementsAre("from B"));
}

TEST(Explain, IsAWordBeforeAQuery) {
  EXPECT_EQ(explained_query("explain from A"), "from A");
  EXPECT_EQ(explained_query("EXPLAIN\n from A "), "from A");
  EXPECT_EQ(explained_query("explained from A"), std::nullopt);
  EXPECT_EQ(explained_query("from explain"), std::nullopt);
}

TEST(History, JoinsLinesWhereThatChangesNothing) {
  EXPECT_EQ(as_history_line("from A\nwhere b = 1"), "from A where b = 1");
  EXPECT_EQ(as_history_line("explain from A\nwhere b = 1"), "explain from A where b = 1");
  EXPECT_EQ(as_history_line("from A // all\nwhere b = 1"), "from A // all\nwhere b = 1");
  EXPECT_EQ(as_history_line("from A where b = 'x\ny'"), "from A where b = 'x\ny'");
  EXPECT_EQ(as_history_line("from A\nwhere"), "from A\nwhere") << "nobody knows what it means";
}

}  // namespace
}  // namespace rookery::shell
