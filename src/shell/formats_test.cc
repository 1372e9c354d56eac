// SPDX-License-Identifier: Apache-2.0
#include "formats.h"

#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rookery/value/json.h"

namespace rookery::shell {
namespace {

using testing::ElementsAre;

value::Document parsed(std::string_view json) {
  auto document = value::parse_json(json);
  EXPECT_TRUE(document.has_value()) << json;
  return std::move(document).value();
}

TEST(Csv, QuotesWhatNeedsIt) {
  CsvWriter csv;
  const auto page = parsed(R"([
    {"a":"plain","b":"with, comma","@metadata":{"@id":"x/1"}},
    {"a":"say \"hi\"","b":"two\nlines","@metadata":{"@id":"x/2"}},
    {"a":null,"b":[1,"y"],"@metadata":{"@id":"x/3"}},
    {"a":1.50}])");
  EXPECT_EQ(csv.page(page.root()),
            "@id,a,b\n"
            "x/1,plain,\"with, comma\"\n"
            "x/2,\"say \"\"hi\"\"\",\"two\nlines\"\n"
            "x/3,,\"[1,\"\"y\"\"]\"\n"
            ",1.50,\n");
}

TEST(Csv, HasOneHeaderAndSaysWhatCameTooLate) {
  CsvWriter csv;
  EXPECT_EQ(csv.page(parsed(R"([{"a":1}])").root()), "a\n1\n");
  EXPECT_EQ(csv.page(parsed(R"([{"b":2,"a":3},{"b":4}])").root()), "3\n\"\"\n");
  EXPECT_THAT(csv.left_out(), ElementsAre("b"));
}

TEST(Csv, OfNothingIsNothing) {
  CsvWriter csv;
  EXPECT_EQ(csv.page(parsed("[]").root()), "");
}

TEST(Json, IsOneLineAResult) {
  EXPECT_EQ(json_lines(parsed(R"([{"a":[1, 2.50]},{"@metadata":{"@id":"x"}}])").root()),
            "{\"a\":[1,2.50]}\n{\"@metadata\":{\"@id\":\"x\"}}\n");
}

TEST(Json, IsIndentedForAPerson) {
  EXPECT_EQ(pretty_json(parsed(R"({"a":{"b":[1,{"c":null}]},"d":[],"e":"\u009b"})").root()),
            R"({
  "a": {
    "b": [
      1,
      {
        "c": null
      }
    ]
  },
  "d": [],
  "e": "\u009b"
}
)");
}

}  // namespace
}  // namespace rookery::shell
