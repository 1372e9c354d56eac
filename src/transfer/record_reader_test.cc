// SPDX-License-Identifier: Apache-2.0
#include "record_reader.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "text_source.h"

namespace rookery::transfer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// "line: text", for CSV "line: text > json" or "line: text ! fault".
std::vector<std::string> records(const std::string& text, ReaderOptions options,
                                 std::size_t part_size) {
  auto reader = make_reader(TextParts(std::make_unique<TextSource>(text, part_size)), options);
  EXPECT_TRUE(reader.has_value());
  std::vector<std::string> out;
  for (;;) {
    const auto record = (*reader)->next();
    if (!record.has_value()) {
      out.push_back("error: " + std::string(record.error().message()));
      return out;
    }
    if (!record->has_value()) {
      EXPECT_EQ((*reader)->bytes_taken(), text.size());
      return out;
    }
    out.push_back(std::to_string((*record)->line) + ": " + std::string((*record)->text) +
                  ((*record)->fault.empty()
                       ? ((*record)->json.empty() ? "" : " > " + std::string((*record)->json))
                       : " ! " + (*record)->fault));
  }
}

TEST(RecordReader, ReadsArrays) {
  const std::string text = "\xEF\xBB\xBF[\n{\"a\":1},\n 7 , \"x\"\n]\n";
  for (std::size_t size = 1; size <= text.size(); ++size) {
    EXPECT_THAT(records(text, {.format = "json"}, size),
                ElementsAre("2: {\"a\":1}", "3: 7", "3: \"x\""))
        << size;
  }
  EXPECT_THAT(records("[1,\n{}x]", {.format = "json"}, 100),
              ElementsAre("1: 1", "2: {}", HasSubstr("behind record 2, which begins in line 2")));
}

TEST(RecordReader, ReadsLines) {
  const std::string text = "\xEF\xBB\xBF{\"a\":1}\r\n\n  \n{bad\n{\"b\":2}";
  for (std::size_t size = 1; size <= text.size(); ++size) {
    EXPECT_THAT(records(text, {.format = "jsonl"}, size),
                ElementsAre("1: {\"a\":1}", "4: {bad", "5: {\"b\":2}"))
        << size;
  }
  EXPECT_THAT(records("{}\n" + std::string(100, 'x') + "\n",
                      {.format = "jsonl", .record_bytes_max = 50}, 10),
              ElementsAre("1: {}", HasSubstr("line 2 has more than 50 bytes")));
}

TEST(RecordReader, ReadsCsv) {
  const std::string text = "a,b\n1,\"x\ny\"\n2\n3,z";
  for (std::size_t size = 1; size <= text.size(); ++size) {
    EXPECT_THAT(
        records(text, {.format = "csv", .types = "a=number"}, size),
        ElementsAre("2: 1,\"x\ny\" > {\"a\":1,\"b\":\"x\\ny\"}",
                    "4: 2 ! 1 fields, where the first row has 2", "5: 3,z > {\"a\":3,\"b\":\"z\"}"))
        << size;
  }
}

TEST(RecordReader, WantsTheNamesOfColumns) {
  EXPECT_THAT(records("", {.format = "csv"}, 10), ElementsAre(HasSubstr("no first row")));
  EXPECT_THAT(records("\n\n", {.format = "csv"}, 10), ElementsAre(HasSubstr("no first row")));
  EXPECT_THAT(records("a,b\n", {.format = "csv"}, 10), ElementsAre());
}

TEST(RecordReader, TakesAnInputWithoutRecords) {
  EXPECT_THAT(records("", {.format = "jsonl"}, 10), ElementsAre());
  EXPECT_THAT(records("[]", {.format = "json"}, 10), ElementsAre());
  EXPECT_THAT(records("", {.format = "json"}, 10), ElementsAre(HasSubstr("error")));
  EXPECT_THAT(records("[{}", {.format = "json"}, 10), ElementsAre("1: {}", HasSubstr("error")));
}

TEST(RecordReader, RefusesWhatItCannotDo) {
  const auto make = [](const ReaderOptions& options) {
    return make_reader(TextParts(std::make_unique<TextSource>("", 1)), options);
  };
  EXPECT_EQ(make({.format = "xml"}).error().code(), ErrorCode::invalid_argument);
  EXPECT_EQ(make({.format = "csv", .types = "x"}).error().code(), ErrorCode::invalid_argument);
}

TEST(DetectFormat, GoesByNameAndThenByContent) {
  EXPECT_EQ(*detect_format("x.csv", "{}"), "csv");
  EXPECT_EQ(*detect_format("x.jsonl", "["), "jsonl");
  EXPECT_EQ(*detect_format("x.ndjson", ""), "jsonl");
  EXPECT_EQ(*detect_format("x.json", "  [1"), "json");
  EXPECT_EQ(*detect_format("x.json", "{"), "jsonl");
  EXPECT_EQ(*detect_format("-", "[1"), "json");
  EXPECT_FALSE(detect_format("-", "a,b").has_value());
  EXPECT_FALSE(detect_format("-", "").has_value());
}

}  // namespace
}  // namespace rookery::transfer
