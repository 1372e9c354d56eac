// SPDX-License-Identifier: Apache-2.0
#include "csv_parser.h"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rookery::transfer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// "line: field|field", with "!fault" where there is one.
std::vector<std::string> rows(const std::vector<std::string>& parts, char delimiter = ',') {
  CsvParser parser(delimiter, 1000);
  std::vector<std::string> out;
  const auto take = [&] {
    for (;;) {
      const auto row = parser.next_row();
      if (!row.has_value()) {
        out.push_back("error: " + std::string(row.error().message()));
        return false;
      }
      if (!row->has_value()) {
        return true;
      }
      std::string text = std::to_string((*row)->line) + ":";
      for (const std::string& field : (*row)->fields) {
        text += " " + field + "|";
      }
      out.push_back(text + ((*row)->fault.empty() ? "" : "!" + std::string((*row)->fault)));
    }
  };
  for (const std::string& part : parts) {
    parser.feed(part);
    if (!take()) {
      return out;
    }
  }
  parser.finish();
  take();
  return out;
}

constexpr std::string_view kText =
    "a,b,c\r\n1,\"two, \"\"2\"\"\r\nlines\",3\n\n,,\n\"\",\" x \", y \r\"last\",\xc3\xa4";

TEST(CsvParser, FollowsTheRules) {
  EXPECT_THAT(rows({std::string(kText)}),
              ElementsAre("1: a| b| c|", "2: 1| two, \"2\"\r\nlines| 3|", "5: | | |",
                          "6: |  x |  y |", "7: last| \xc3\xa4|"));
  EXPECT_THAT(rows({"a;b\n1;2,3\n"}, ';'), ElementsAre("1: a| b|", "2: 1| 2,3|"));
  EXPECT_THAT(rows({"a,"}), ElementsAre("1: a| |"));
  EXPECT_THAT(rows({""}), ElementsAre());
  EXPECT_THAT(rows({"\n\r\n\n"}), ElementsAre());
}

TEST(CsvParser, ReadsTheSameWhereverTheTextIsCut) {
  const auto whole = rows({std::string(kText)});
  for (std::size_t i = 0; i <= kText.size(); ++i) {
    ASSERT_EQ(rows({std::string(kText.substr(0, i)), std::string(kText.substr(i))}), whole) << i;
  }
}

TEST(CsvParser, NamesWhatBreaksTheRulesAndGoesOn) {
  EXPECT_THAT(rows({"a\"b,c\n\"x\"y,\"z\"\nok,ok\n"}),
              ElementsAre("1: a\"b| c|!a quote stands in a field that does not begin with one",
                          "2: xy| z|!text follows a quoted field", "3: ok| ok|"));
  EXPECT_THAT(rows({"a\n\"b\nc"}), ElementsAre("1: a|", "2: b\nc|!a quoted field is not closed"));
}

TEST(CsvParser, KeepsABoundedNumberOfFields) {
  CsvParser parser(',', 10'000'000);
  const std::string text =
      std::string(1'000'000, ',') + "\n" + std::string(kCsvFieldsMax - 1, ',') + "\nok\n";
  parser.feed(text);
  const auto wide = parser.next_row();
  ASSERT_TRUE(wide.has_value() && wide->has_value());
  EXPECT_EQ((*wide)->fields.size(), kCsvFieldsMax);
  EXPECT_THAT(std::string((*wide)->fault), HasSubstr("more than 65536 fields"));
  const auto widest = parser.next_row();
  ASSERT_TRUE(widest.has_value() && widest->has_value());
  EXPECT_EQ((*widest)->fields.size(), kCsvFieldsMax);
  EXPECT_EQ((*widest)->fault, "");
  const auto next = parser.next_row();
  ASSERT_TRUE(next.has_value() && next->has_value());
  EXPECT_THAT((*next)->fields, ElementsAre("ok"));
}

TEST(CsvParser, EndsAtARowThatIsTooLong) {
  EXPECT_THAT(rows({"a\n\"" + std::string(1001, 'x')}),
              ElementsAre("1: a|", HasSubstr("the row that begins in line 2 is too long")));
}

}  // namespace
}  // namespace rookery::transfer
