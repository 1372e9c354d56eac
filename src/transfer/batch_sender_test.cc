// SPDX-License-Identifier: Apache-2.0
#include "batch_sender.h"

#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rookery/value/json.h"

namespace rookery::transfer {
namespace {

using testing::ElementsAre;

// Purpose. Takes bulk inserts as a server does: in order, up to the first document that it refuses.
class FakeServer {
 public:
  std::set<std::string> refused;  // ids
  std::set<std::string> stored;
  std::size_t call_count = 0;
  // Which call fails as a whole, from 1.
  std::size_t failing_call = 0;
  // What came before a refused document is not stored with it.
  bool forgets = false;

  Result<std::optional<Refusal>> insert(const std::string& body) {
    if (++call_count == failing_call) {
      return Error(ErrorCode::no_space);
    }
    RK_TRY_ASSIGN(const value::Document parsed, value::parse_json(body));
    std::set<std::string> taken;
    for (std::size_t i = 0; i < parsed.root().size(); ++i) {
      const std::string id(parsed.root().at(i).find_string("Id").value());
      if (refused.contains(id)) {
        if (!forgets) {
          stored.merge(taken);
        }
        return std::optional(Refusal{.index = i, .why = "not " + id});
      }
      taken.insert(id);
    }
    stored.merge(taken);
    return std::optional<Refusal>();
  }

  InsertBody inserter() {
    return [this](const std::string& body) { return insert(body); };
  }
};

std::string id(int i) {
  return "d/" + std::to_string(i);
}

ImportBatch batch(int count) {
  ImportBatch made;
  for (int i = 0; i < count; ++i) {
    made.add({.id = id(i), .json = "{\"n\":" + std::to_string(i) + "}"},
             static_cast<std::uint64_t>(10 + i));
  }
  return made;
}

std::vector<std::string> rejects(ImportBatch& made) {
  std::vector<std::string> out;
  for (const Reject& one : made.take_rejects()) {
    out.push_back(std::to_string(one.line) + ": " + one.why + ": " + one.record);
  }
  return out;
}

TEST(StoreBatch, SendsAllAtOnce) {
  FakeServer server;
  ImportBatch made = batch(1000);
  ASSERT_TRUE(store_batch(made, server.inserter()).has_value());
  EXPECT_EQ(server.call_count, 1U);
  EXPECT_EQ(server.stored.size(), 1000U);
  EXPECT_EQ(made.accepted_count(), 1000U);
  ImportBatch empty;
  EXPECT_TRUE(store_batch(empty, server.inserter()).has_value());
  EXPECT_EQ(server.call_count, 1U);
}

TEST(StoreBatch, KeepsOneDocumentFromKeepingOutTheOthers) {
  for (const bool forgets : {false, true}) {
    FakeServer server;
    server.forgets = forgets;
    server.refused = {id(0), id(1), id(500), id(999)};
    ImportBatch made = batch(1000);
    made.reject({.line = 12, .why = "no JSON", .record = "{"});
    ASSERT_TRUE(store_batch(made, server.inserter()).has_value());
    EXPECT_EQ(server.stored.size(), 996U);
    EXPECT_EQ(made.document_count(), 1000U);
    EXPECT_EQ(made.accepted_count(), 996U);
    EXPECT_THAT(rejects(made),
                ElementsAre("10: not d/0: {\"n\":0}", "11: not d/1: {\"n\":1}", "12: no JSON: {",
                            "510: not d/500: {\"n\":500}", "1009: not d/999: {\"n\":999}"));
  }
}

TEST(StoreBatch, EndsWithWhatIsNoDocumentsFault) {
  FakeServer server;
  server.refused = {id(3)};
  server.failing_call = 2;
  ImportBatch made = batch(5);
  EXPECT_EQ(store_batch(made, server.inserter()).error().code(), ErrorCode::no_space);
  ImportBatch other = batch(5);
  EXPECT_EQ(store_batch(other,
                        [](const std::string&) -> Result<std::optional<Refusal>> {
                          return std::optional(Refusal{.index = 5, .why = "?"});
                        })
                .error()
                .code(),
            ErrorCode::malformed);
  // One that is refused again and again does not go on for ever.
  ImportBatch fickle = batch(5);
  EXPECT_FALSE(store_batch(fickle, [](const std::string&) -> Result<std::optional<Refusal>> {
                 return std::optional(Refusal{.index = 1, .why = "?"});
               }).has_value());
}

TEST(BatchSender, GivesTheBatchBack) {
  FakeServer server;
  server.refused = {id(1)};
  BatchSender sender(server.inserter());
  EXPECT_FALSE(sender.wait().value().has_value());
  ImportBatch made = batch(3);
  made.record_count = 7;
  sender.begin(std::move(made));
  std::optional<ImportBatch> sent = sender.wait().value();
  ASSERT_TRUE(sent.has_value());
  EXPECT_EQ(sent->record_count, 7U);
  EXPECT_EQ(sent->accepted_count(), 2U);
  EXPECT_FALSE(sender.wait().value().has_value());
  server.failing_call = server.call_count + 1;
  sender.begin(batch(1));
  EXPECT_EQ(sender.wait().error().code(), ErrorCode::no_space);
}

TEST(ImportBatch, CountsWhatItHolds) {
  ImportBatch made;
  EXPECT_EQ(made.size_bytes(), 0U);
  made.reject({.line = 1, .why = "x", .record = std::string(1000, 'r')});
  EXPECT_GT(made.size_bytes(), 1000U);
  made.add({.id = "a", .json = "{}"}, 2);
  made.add({.id = "b", .json = R"({"x":[1,{}]})"}, 3);
  EXPECT_EQ(made.body(0, 1), R"([{"Id":"a","Type":"PUT","Document":{}}])");
  EXPECT_EQ(made.body(1, 2), R"([{"Id":"b","Type":"PUT","Document":{"x":[1,{}]}}])");
  made.reject_document(1, "no");
  EXPECT_EQ(rejects(made).back(), R"(3: no: {"x":[1,{}]})");
}

}  // namespace
}  // namespace rookery::transfer
