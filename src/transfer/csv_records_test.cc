// SPDX-License-Identifier: Apache-2.0
#include "csv_records.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rookery::transfer {
namespace {

using testing::HasSubstr;

struct Made {
  std::string json;
  std::string fault;
};

Made make(const std::string& types, const std::vector<std::string>& names,
          const std::vector<std::string>& fields) {
  auto parsed = CsvTypes::parse(types);
  EXPECT_TRUE(parsed.has_value()) << types;
  CsvRecords records(std::move(*parsed));
  EXPECT_TRUE(records.set_header({.fields = names, .text = "", .line = 1, .fault = ""}));
  const std::string fault = records.make({.fields = fields, .text = "", .line = 2, .fault = ""});
  return {fault.empty() ? std::string(records.json()) : "", fault};
}

TEST(CsvRecords, StayTextWhereThatIsSaid) {
  EXPECT_EQ(make("text", {"a", "b", "c"}, {"1", "true", ""}).json,
            R"({"a":"1","b":"true","c":""})");
}

TEST(CsvRecords, RecogniseWhatIsWrittenAsJsonWritesIt) {
  const std::vector<std::string> names = {"a", "b", "c", "d", "e", "f", "g"};
  for (const char* const types : {"", "auto"}) {
    EXPECT_EQ(make(types, names, {"1.50", "-0", "007", "true", "True", "", "1e5"}).json,
              R"({"a":1.50,"b":-0,"c":"007","d":true,"e":"True","f":null,"g":1e5})");
  }
}

TEST(CsvRecords, TakeTypesByColumn) {
  const std::string types = "n=number,b=bool,t=text,x=y=auto";
  const std::vector<std::string> names = {"n", "b", "t", "x=y", "other"};
  EXPECT_EQ(make(types, names, {"1", "TRUE", "2", "3", "4"}).json,
            R"({"n":1,"b":true,"t":"2","x=y":3,"other":4})");
  EXPECT_EQ(make(types, names, {"", "", "", "", ""}).json,
            R"({"n":null,"b":null,"t":"","x=y":null,"other":null})");
  EXPECT_EQ(make(types, names, {"x", "true", "", "", ""}).fault,
            "column 'n' has 'x', which is no number");
  EXPECT_EQ(make(types, names, {"1", "yes", "", "", ""}).fault,
            "column 'b' has 'yes', which is no bool");
  EXPECT_FALSE(CsvTypes::parse("n=integer").has_value());
  EXPECT_FALSE(CsvTypes::parse("n").has_value());
}

TEST(CsvRecords, RefuseWhatIsNoRow) {
  EXPECT_EQ(make("", {"a", "b"}, {"1"}).fault, "1 fields, where the first row has 2");
  EXPECT_EQ(make("", {"a", "b"}, {"1", "\xff"}).fault, "column 'b' is not UTF-8");
  CsvRecords records({});
  const std::vector<std::string> fields = {"a", ""};
  EXPECT_FALSE(records.set_header({.fields = fields, .text = "", .line = 1, .fault = ""}));
  const std::vector<std::string> twice = {"a", "a"};
  EXPECT_FALSE(records.set_header({.fields = twice, .text = "", .line = 1, .fault = ""}));
  CsvRecords typed(*CsvTypes::parse("z=number"));
  const std::vector<std::string> one = {"a"};
  const auto missing = typed.set_header({.fields = one, .text = "", .line = 1, .fault = ""});
  ASSERT_FALSE(missing.has_value());
  EXPECT_THAT(std::string(missing.error().message()), HasSubstr("'z'"));
}

TEST(CsvRecords, KnowTheNumbersOfJson) {
  for (const std::string_view yes : {"0", "-1", "10.01", "1e5", "1E+5", "-0.5e-10"}) {
    EXPECT_TRUE(is_json_number(yes)) << yes;
  }
  for (const std::string_view no :
       {"", "-", "01", "+1", "1.", ".5", "1e", "1e+", "0x1", "1 ", "NaN", "1,5"}) {
    EXPECT_FALSE(is_json_number(no)) << no;
  }
}

}  // namespace
}  // namespace rookery::transfer
