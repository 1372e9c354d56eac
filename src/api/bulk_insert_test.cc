// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rookery/base/prng.h"
#include "rookery/base/test_seed.h"
#include "rookery/os/memory_file_system.h"

#include "test_service.h"

namespace rookery::api {
namespace {

using testing::HasSubstr;

// Purpose. A body that the test gives part by part; a read beyond what was given waits.
class GivenBody final : public BodyStream {
 public:
  void read(PartHandler done) noexcept override {
    {
      const os::MutexLock lock(mutex_);
      if (parts_.empty()) {
        waiting_ = std::move(done);
        return;
      }
    }
    done(take());
  }

  void give(Result<std::string> part) {
    PartHandler waiting;
    {
      const os::MutexLock lock(mutex_);
      parts_.push_back(std::move(part));
      waiting = std::exchange(waiting_, nullptr);
    }
    if (waiting) {
      waiting(take());
    }
  }

  // Returns when all that was given has been read, and more is wanted.
  void wait_until_hungry() {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!is_hungry()) {
      RK_CHECK(std::chrono::steady_clock::now() < limit);
      std::this_thread::yield();
    }
  }

 private:
  bool is_hungry() {
    const os::MutexLock lock(mutex_);
    return waiting_ != nullptr;
  }

  Result<std::string> take() {
    const os::MutexLock lock(mutex_);
    Result<std::string> part = std::move(parts_.front());
    parts_.pop_front();
    return part;
  }

  os::Mutex mutex_;
  std::deque<Result<std::string>> parts_;
  PartHandler waiting_;
};

class BulkInsert : public testing::Test {
 protected:
  // An upload under way, and its answer once it is there.
  struct Upload {
    std::shared_ptr<GivenBody> body = std::make_shared<GivenBody>();
    std::shared_ptr<Response> response = std::make_shared<Response>();
    std::shared_ptr<os::Event> answered = std::make_shared<os::Event>();
    std::int64_t id = 0;

    int status() const {
      RK_CHECK(answered->wait_for(std::chrono::seconds(20)));
      return response->status;
    }
  };

  BulkInsert() { s.create("shop"); }

  Upload begin(const std::string& parameters = "") {
    Upload upload;
    upload.id = s.call("GET", "/databases/shop/operations/next-operation-id")
                    .root()
                    .find_int64("Id")
                    .value();
    Request request = Request::make(
        "POST", "/databases/shop/bulk_insert?id=" + std::to_string(upload.id) + parameters);
    request.stream = upload.body;
    s.service->handle(std::move(request),
                      [response = upload.response, answered = upload.answered](Response r) {
                        *response = std::move(r);
                        answered->set();
                      });
    return upload;
  }

  Answer insert(std::string_view body) {
    return s.call("POST", "/databases/shop/bulk_insert", body);
  }

  Answer state(const Upload& upload) {
    return s.call("GET", "/databases/shop/operations/state?id=" + std::to_string(upload.id));
  }

  std::int64_t count() {
    return s.call("GET", "/databases/shop/stats").root().find_int64("CountOfDocuments").value();
  }

  std::int64_t last_etag() {
    return s.call("GET", "/databases/shop/stats").root().find_int64("LastDocEtag").value();
  }

  bool exists(const std::string& id) {
    return s.call("HEAD", "/databases/shop/docs?id=" + id).status == 200;
  }

  static std::string put(const std::string& id, const std::string& document = "{}") {
    return R"({"Id":")" + id + R"(","Type":"PUT","Document":)" + document + "}";
  }

  os::MemoryFileSystem* files = nullptr;
  TestService s{[this] {
    auto made = std::make_unique<os::MemoryFileSystem>();
    files = made.get();
    return made;
  }()};
};

TEST_F(BulkInsert, StoresDocuments) {
  const Answer answer =
      insert("[" + put("users/1", R"({"Name":"Ann","@metadata":{"@collection":"Users","own":1}})") +
             "," + put("users/") + "," + put("things|") + "," + put("") + "]");
  EXPECT_EQ(answer.status, 204) << answer.body;
  EXPECT_EQ(answer.body, "");
  EXPECT_EQ(count(), 4);
  const Answer read = s.call("GET", "/databases/shop/docs?id=USERS/1");
  const auto document = read.root().find("Results")->at(0);
  EXPECT_EQ(document.find_string("Name"), "Ann");
  EXPECT_EQ(document.find("@metadata")->find_int64("own"), 1);
  EXPECT_EQ(document.find("@metadata")->find_string("@collection"), "Users");
  EXPECT_TRUE(exists("things/1"));
  EXPECT_TRUE(exists("users/0000000000000000002-A"));
  EXPECT_EQ(insert("[]").status, 204);
}

TEST_F(BulkInsert, TakesItsBodyInPartsAndTellsHowFarItIs) {
  Upload upload = begin();
  const std::string body = "[" + put("a") + "," + put("b") + "," + put("c") + "]";
  std::size_t given = 0;
  for (const char c : body) {
    upload.body->wait_until_hungry();
    upload.body->give(std::string(1, c));
    ++given;
    if (given == body.size() - 1) {
      upload.body->wait_until_hungry();
      // Nobody waits with a document that is whole until the client has more.
      while (count() < 3) {
      }
      const Answer running = state(upload);
      EXPECT_EQ(running.root().find_string("Status"), "InProgress");
      EXPECT_EQ(running.root().find("Progress")->find_string("LastProcessedId"), "c");
      EXPECT_EQ(running.root().find("Progress")->find_int64("Total"), 3);
    }
  }
  upload.body->give(std::string());
  EXPECT_EQ(upload.status(), 204);
  const Answer ended = state(upload);
  EXPECT_EQ(ended.root().find_string("Status"), "Completed");
  EXPECT_EQ(ended.root().find("Result")->find_int64("DocumentsProcessed"), 3);
}

TEST_F(BulkInsert, StoresManyDocumentsInTheirOrder) {
  Upload upload = begin();
  constexpr int kCount = 20'000;
  std::string part = "[";
  for (int i = 0; i < kCount; ++i) {
    // Each id twice, so that the later one must win.
    part +=
        (i > 0 ? "," : "") + put("d/" + std::to_string(i / 2), "{\"i\":" + std::to_string(i) + "}");
    if (part.size() > 60'000) {
      upload.body->wait_until_hungry();
      upload.body->give(std::exchange(part, ""));
    }
  }
  upload.body->give(part + "]");
  upload.body->give(std::string());
  ASSERT_EQ(upload.status(), 204);
  EXPECT_EQ(count(), kCount / 2);
  EXPECT_EQ(last_etag(), kCount);
  for (const int i : {0, 4999, 9999}) {
    const Answer read = s.call("GET", "/databases/shop/docs?id=d/" + std::to_string(i));
    EXPECT_EQ(read.root().find("Results")->at(0).find_int64("i"), 2 * i + 1);
  }
}

TEST_F(BulkInsert, LeavesAloneWhatIsUnchangedIfAskedTo) {
  ASSERT_EQ(insert("[" + put("a", "{\"n\":1}") + "," + put("b", "{\"n\":1}") + "]").status, 204);
  ASSERT_EQ(last_etag(), 2);
  const std::string again = "[" + put("a", "{\"n\":1}") + "," + put("b", "{\"n\":2}") + "]";
  Upload upload = begin("&skipOverwriteIfUnchanged=true");
  upload.body->give(again);
  upload.body->give(std::string());
  EXPECT_EQ(upload.status(), 204);
  EXPECT_EQ(last_etag(), 3);
  EXPECT_EQ(insert(again).status, 204);
  EXPECT_EQ(last_etag(), 5);
}

TEST_F(BulkInsert, FailsAtTheFirstElementThatIsWrong) {
  Upload upload = begin();
  upload.body->give("[" + put("a") + R"(,{"Id":"a","Type":"Counters"},)" + put("b") + "]");
  EXPECT_EQ(upload.status(), 501);
  EXPECT_THAT(upload.response->body, HasSubstr("element 2 of the bulk insert, at byte 39"));
  const Answer ended = state(upload);
  EXPECT_EQ(ended.root().find_string("Status"), "Faulted");
  const auto result = ended.root().find("Result");
  EXPECT_EQ(result->find_string("Type"), "System.NotSupportedException");
  EXPECT_THAT(std::string(*result->find_string("Error")), HasSubstr("'Counters'"));
  EXPECT_EQ(result->find_int64("StatusCode"), 501);
  EXPECT_TRUE(exists("a"));
  EXPECT_FALSE(exists("b"));
  EXPECT_EQ(insert("[{}").status, 400);
}

TEST_F(BulkInsert, IsStoredIfItSaysSoWhereverTheVolumeEnds) {
  // The body has often ended when the journal finds no room for the batch that holds its document.
  Prng random(test_seed());
  int refused = 0;
  for (std::uint64_t room = 0; room < 2'000'000; room += 250'000) {
    std::string text;
    while (text.size() < 1'000'000) {
      text += static_cast<char>('0' + random.below(40));
    }
    const std::string id = "large/" + std::to_string(room);
    files->set_capacity(files->used_bytes() + room);
    Upload upload = begin();
    upload.body->give("[" + put(id, R"({"t":")" + text + R"("})") + "]");
    upload.body->give("");
    const int status = upload.status();
    files->set_capacity(os::MemoryFileSystem::kUnlimited);
    EXPECT_TRUE(status == 204 || status == 507) << upload.response->body;
    EXPECT_EQ(exists(id), status == 204) << room;
    refused += status == 507 ? 1 : 0;
  }
  EXPECT_GT(refused, 0);
}

TEST_F(BulkInsert, KeepsWholeDocumentsWhenTheConnectionBreaks) {
  Upload upload = begin();
  upload.body->give("[" + put("a") + "," + put("b") + R"(,{"Id":"c","Type":"PUT","Docum)");
  upload.body->wait_until_hungry();
  upload.body->give(Error(ErrorCode::io, "the connection ended"));
  EXPECT_EQ(upload.status(), 500);
  EXPECT_EQ(state(upload).root().find_string("Status"), "Faulted");
  EXPECT_EQ(count(), 2);
}

TEST_F(BulkInsert, IsKilledWhileItsClientIsQuiet) {
  Upload upload = begin();
  upload.body->give("[" + put("a"));
  upload.body->wait_until_hungry();
  const std::string target = "/databases/shop/operations/kill?id=" + std::to_string(upload.id);
  EXPECT_EQ(s.call("POST", target).status, 204);
  EXPECT_EQ(upload.status(), 500);
  EXPECT_THAT(upload.response->body, HasSubstr("System.Threading.Tasks.TaskCanceledException"));
  EXPECT_EQ(state(upload).root().find_string("Status"), "Canceled");
  EXPECT_EQ(s.call("POST", target).status, 204);
  // What comes now is not looked at.
  upload.body->give("," + put("b") + "]");
  EXPECT_EQ(count(), 1);
}

TEST_F(BulkInsert, DoesNotKeepADatabaseFromBeingDropped) {
  Upload upload = begin();
  upload.body->give("[" + put("a"));
  upload.body->wait_until_hungry();
  const Answer locked = s.call("POST", "/admin/databases/set-lock",
                               R"({"DatabaseNames":["shop"],"Mode":"PreventDeletesError"})");
  ASSERT_EQ(locked.status, 204);
  const std::string wish = R"({"DatabaseNames":["shop"],"HardDelete":true})";
  EXPECT_EQ(s.call("DELETE", "/admin/databases", wish).status, 500);
  EXPECT_EQ(state(upload).root().find_string("Status"), "InProgress");
  const Answer unlocked =
      s.call("POST", "/admin/databases/set-lock", R"({"DatabaseNames":["shop"],"Mode":"Unlock"})");
  ASSERT_EQ(unlocked.status, 204);
  EXPECT_EQ(s.call("DELETE", "/admin/databases", wish).status, 200);
  EXPECT_EQ(upload.status(), 500);
}

TEST_F(BulkInsert, NeedsANumberThatWasGivenOut) {
  EXPECT_EQ(s.call("POST", "/databases/shop/bulk_insert?id=5", "[]").status, 400);
  const Upload upload = begin();
  upload.body->give("[]");
  upload.body->give(std::string());
  EXPECT_EQ(upload.status(), 204);
  EXPECT_EQ(
      s.call("POST", "/databases/shop/bulk_insert?id=" + std::to_string(upload.id), "[]").status,
      409);
}

}  // namespace
}  // namespace rookery::api
