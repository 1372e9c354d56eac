// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "rookery/base/prng.h"
#include "rookery/base/test_seed.h"
#include "rookery/doc/reader.h"
#include "rookery/doc/writer.h"
#include "rookery/os/memory_file_system.h"
#include "rookery/os/platform.h"
#include "rookery/store/environment.h"
#include "rookery/value/json.h"

// Purpose. For tests: an environment over memory files, with a clock that the test moves and
// randomness from the test's seed.

namespace rookery::doc {

class TestClock final : public os::Clock {
 public:
  os::MonotonicTime monotonic() override { return now_ += std::chrono::microseconds(1); }

  os::WallTime wall() override { return wall_; }

  void sleep_for(os::Duration duration) override { now_ += duration; }

  void set_wall(os::WallTime wall) { wall_ = wall; }

 private:
  os::MonotonicTime now_;
  os::WallTime wall_{std::chrono::seconds(1'764'504'896)};
};

class TestRandom final : public os::Random {
 public:
  void fill(MutableBytes into) override {
    for (std::byte& byte : into) {
      byte = static_cast<std::byte>(prng_.next() & 0xFFU);
    }
  }

 private:
  Prng prng_{test_seed()};
};

class TestStore {
 public:
  TestStore() { open(); }

  void open() {
    store::EnvironmentOptions options;
    options.path = "db";
    Result<std::unique_ptr<store::Environment>> opened =
        store::Environment::open(platform_, std::move(options));
    if (!opened) {
      ADD_FAILURE() << opened.error().to_string();
      std::abort();
    }
    environment_ = std::move(*opened);
  }

  void reopen() {
    EXPECT_TRUE(environment_->close().has_value());
    environment_.reset();
    open();
  }

  using Body = std::function<Result<void>(DocumentWriter&)>;

  // Runs `body` in a transaction and commits it, unless `commit` is false or it fails.
  Result<void> write(const Body& body, bool commit = true) {
    RK_TRY_ASSIGN(store::WriteTxn txn, environment_->begin_write());
    RK_TRY_ASSIGN(DocumentWriter writer, DocumentWriter::open(txn, context()));
    RK_TRY(body(writer));
    RK_TRY(writer.finish());
    if (commit) {
      RK_TRY(txn.commit());
    } else {
      txn.rollback();
    }
    return {};
  }

  Result<PutResult> put(std::optional<std::string_view> id, std::string_view json,
                        std::optional<std::string_view> expected = std::nullopt,
                        bool skip_if_unchanged = false) {
    const PreparedDocument prepared = prepare(json);
    Result<PutResult> result = ErrorCode::invalid_argument;
    RK_TRY(write([&](DocumentWriter& writer) -> Result<void> {
      result = writer.put({id, expected, prepared, skip_if_unchanged});
      return result.has_value() ? Result<void>() : result.error();
    }));
    return result;
  }

  // As a database gave it away: `json` has the metadata that clients get.
  Result<PutResult> put_version(std::string_view id, std::string_view json) {
    const Result<value::Document> parsed = value::parse_json(json);
    EXPECT_TRUE(parsed.has_value()) << json;
    RK_TRY_ASSIGN(const std::optional<DocumentVersion> version, version_of(parsed->root()));
    const PreparedDocument prepared = prepare(json);
    Result<PutResult> result = ErrorCode::invalid_argument;
    RK_TRY(write([&](DocumentWriter& writer) -> Result<void> {
      result = writer.put(
          {.id = id, .document = prepared, .version = version.has_value() ? &*version : nullptr});
      return result.has_value() ? Result<void>() : result.error();
    }));
    return result;
  }

  Result<DeleteResult> erase(std::string_view id,
                             std::optional<std::string_view> expected = std::nullopt) {
    Result<DeleteResult> result = ErrorCode::invalid_argument;
    RK_TRY(write([&](DocumentWriter& writer) -> Result<void> {
      result = writer.erase({id, expected});
      return result.has_value() ? Result<void>() : result.error();
    }));
    return result;
  }

  Snapshot read() {
    Result<Snapshot> snapshot = Snapshot::open(*environment_);
    EXPECT_TRUE(snapshot.has_value()) << snapshot.error().to_string();
    return std::move(*snapshot);
  }

  // Text of the stored document; "" for none.
  std::string json(std::string_view id) {
    const Snapshot snapshot = read();
    const Result<std::optional<DocumentView>> found = snapshot->get(id);
    EXPECT_TRUE(found.has_value());
    return found->has_value() ? value::to_json(*(*found)->value()) : "";
  }

  WriterContext context() {
    return {.database = DatabaseId(),
            .node_tag = "A",
            .separator = '/',
            .clock = clock_,
            .random = random_};
  }

  static PreparedDocument prepare(std::string_view json) {
    Result<value::Document> parsed = value::parse_json(json);
    EXPECT_TRUE(parsed.has_value()) << json;
    Result<PreparedDocument> prepared = PreparedDocument::make(std::move(*parsed));
    EXPECT_TRUE(prepared.has_value()) << json;
    return std::move(*prepared);
  }

  store::Environment& environment() { return *environment_; }

  TestClock& clock() { return clock_; }

 private:
  os::MemoryFileSystem files_;
  TestClock clock_;
  TestRandom random_;
  os::Platform platform_{files_, clock_, random_, os::real_platform().threads};
  std::unique_ptr<store::Environment> environment_;
};

}  // namespace rookery::doc
