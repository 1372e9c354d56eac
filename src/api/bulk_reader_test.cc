// SPDX-License-Identifier: Apache-2.0
#include "bulk_reader.h"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rookery::api {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::size_t kSizeMax = 100'000;

struct ReadBody {
  std::vector<std::string> documents;  // "id collection json"
  std::string error;                   // empty: none
  ErrorCode code = ErrorCode::not_found;
};

ReadBody read_body(const std::vector<std::string>& parts) {
  BulkReader reader({.document_bytes_max = kSizeMax});
  ReadBody out;
  const auto note = [&out](const Error& error) {
    out.error = error.message();
    out.code = error.code();
  };
  for (const std::string& part : parts) {
    reader.feed(part);
    for (;;) {
      const Result<std::optional<db::PutCommand>> put = reader.next();
      if (!put.has_value()) {
        note(put.error());
        EXPECT_FALSE(reader.next().has_value()) << "errors stick";
        EXPECT_EQ(reader.finish().error().message(), out.error);
        return out;
      }
      if (!put->has_value()) {
        break;
      }
      const doc::PreparedDocument& document = (*put)->document;
      out.documents.push_back((*put)->id.value_or("(none)") + " " + document.collection + " " +
                              value::to_json(document.document.root()));
    }
  }
  if (const Result<void> finished = reader.finish(); !finished.has_value()) {
    note(finished.error());
  }
  return out;
}

// As the clients write it.
constexpr std::string_view kBody =
    R"([{"Id":"users/1","Type":"PUT","Document":{"Name":"}],[{\"",)"
    R"("@metadata":{"@collection":"Users","@id":"x"}}},)"
    R"({"Type":"HeartBeat"},{"Id":"a\"b","Type":"PUT","Document":{"N":1.50}},{"Type":"HeartBeat"},)"
    R"({"Id":null,"Type":"PUT","Document":{}}])";

TEST(BulkReader, ReadsDocuments) {
  const ReadBody all = read_body({std::string(kBody)});
  EXPECT_EQ(all.error, "");
  EXPECT_THAT(all.documents,
              ElementsAre(R"(users/1 Users {"Name":"}],[{\"","@metadata":{"@collection":"Users"}})",
                          R"(a"b @empty {"N":1.50})", "(none) @empty {}"));
  EXPECT_EQ(read_body({"[]"}).error, "");
}

TEST(BulkReader, ReadsTheSameWhereverTheBodyIsCut) {
  const ReadBody whole = read_body({std::string(kBody)});
  for (std::size_t i = 0; i <= kBody.size(); ++i) {
    const ReadBody split =
        read_body({std::string(kBody.substr(0, i)), std::string(kBody.substr(i))});
    ASSERT_EQ(split.error, "") << i;
    ASSERT_EQ(split.documents, whole.documents) << i;
  }
  std::vector<std::string> bytes;
  for (const char c : kBody) {
    bytes.emplace_back(1, c);
  }
  EXPECT_EQ(read_body(bytes).documents, whole.documents);
}

TEST(BulkReader, SaysWhichElementIsWrongWhereverTheBodyIsCut) {
  const struct {
    std::string body;
    ErrorCode code;
    std::vector<std::string> says;
  } cases[] = {
      {R"([{"Type":"PUT","Id":"a","Document":{}},{"Type":"Counters","Id":"a"}])",
       ErrorCode::not_supported,
       {"element 2 of the bulk insert, at byte 39", "'Counters'"}},
      {R"([{"Type":"TimeSeriesBulkInsert","Id":"a"}])",
       ErrorCode::not_supported,
       {"element 1", "'TimeSeriesBulkInsert'"}},
      // The bytes of the attachment must not be taken for elements.
      {R"([{"Type":"AttachmentPUT","Id":"a","Name":"n","ContentLength":41})"
       R"({"Type":"PUT","Id":"b","Document":{}}]],])",
       ErrorCode::not_supported,
       {"element 1", "'AttachmentPUT'"}},
      {R"([{"Id":"a"}])", ErrorCode::invalid_argument, {"element 1", "'Type'"}},
      {R"([7])", ErrorCode::invalid_argument, {"element 1", "'Type'"}},
      {R"([{"Type":"PUT","Id":"a","Document":[]}])",
       ErrorCode::invalid_argument,
       {"element 1", "'Document'"}},
      {R"([{"Type":"PUT","Id":7,"Document":{}}])",
       ErrorCode::invalid_argument,
       {"element 1", "'Id'"}},
      {R"([{"Type":"PUT","Id":"a","Document":{"@metadata":[]}}])",
       ErrorCode::invalid_argument,
       {"element 1", "@metadata"}},
      {R"([{"Type":"PUT","Id":"a","Document":{bad}}])", ErrorCode::malformed, {"element 1"}},
      {R"([{"Type":"PUT","Id":"a","Document":{}} {)",
       ErrorCode::malformed,
       {"the body of the bulk insert", "comma"}},
      {R"([{"Type":"PUT","Id":"a","Document":{}})",
       ErrorCode::malformed,
       {"the body of the bulk insert", "ends before its array"}},
      {"", ErrorCode::malformed, {"ends before its array"}},
      {R"([{"Type":"PUT","Id":")" + std::string(513, 'a') + R"(","Document":{}}])",
       ErrorCode::too_large,
       {"element 1", "513"}},
      {R"([{"Type":"PUT","Id":"a","Document":{"a":")" + std::string(kSizeMax, 'a') + R"("}}])",
       ErrorCode::too_large,
       {"element 1", "are allowed"}},
      {R"([{"Type":"PUT","Id":"a","Document":{"a":")" + std::string(2 * kSizeMax, 'a') + R"("}}])",
       ErrorCode::too_large,
       {"element 1 has more than"}},
  };

  for (const auto& one : cases) {
    const std::string name = one.body.substr(0, 100);
    const ReadBody whole = read_body({one.body});
    EXPECT_EQ(whole.code, one.code) << name;
    for (const std::string& text : one.says) {
      EXPECT_THAT(whole.error, HasSubstr(text)) << name;
    }
    for (std::size_t i = 0; i <= one.body.size() && one.body.size() < 1000; ++i) {
      const ReadBody split = read_body({one.body.substr(0, i), one.body.substr(i)});
      ASSERT_EQ(split.error, whole.error) << name << " cut at " << i;
      ASSERT_EQ(split.documents, whole.documents) << name << " cut at " << i;
    }
  }
}

}  // namespace
}  // namespace rookery::api
