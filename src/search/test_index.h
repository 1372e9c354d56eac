// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "rookery/base/prng.h"
#include "rookery/base/test_seed.h"
#include "rookery/os/memory_file_system.h"
#include "rookery/os/platform.h"
#include "rookery/search/index_reader.h"
#include "rookery/search/index_writer.h"
#include "rookery/store/environment.h"

// Purpose. For tests: an index in an environment over memory files.

namespace rookery::search {

inline SortKey by(SortBy what, std::string field, bool descending = false) {
  SortKey key;
  key.by = what;
  key.field = std::move(field);
  key.descending = descending;
  return key;
}

class TestClock final : public os::Clock {
 public:
  os::MonotonicTime monotonic() override { return now_ += std::chrono::microseconds(1); }

  os::WallTime wall() override { return os::WallTime(std::chrono::seconds(1'764'504'896)); }

  void sleep_for(os::Duration duration) override { now_ += duration; }

 private:
  os::MonotonicTime now_;
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

inline FieldValues plain(std::string_view field, std::vector<Term> terms) {
  return {.field = field, .terms = std::move(terms), .tokens = {}, .is_text = false};
}

inline FieldValues full_text(std::string_view field, std::vector<Token> tokens) {
  return {.field = field, .terms = {}, .tokens = std::move(tokens), .is_text = true};
}

inline FieldValues full_text(std::string_view field, std::string_view text) {
  return full_text(field, Analyzer().analyze(text));
}

class TestIndex {
 public:
  TestIndex() { open(); }

  void open() {
    store::EnvironmentOptions options;
    options.path = "index";
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

  // Runs `body` in a transaction and commits it.
  Result<void> write(const std::function<Result<void>(IndexWriter&)>& body) {
    RK_TRY_ASSIGN(store::WriteTxn txn, environment_->begin_write());
    RK_TRY_ASSIGN(IndexWriter writer, IndexWriter::open(txn));
    RK_TRY(body(writer));
    RK_TRY(writer.finish());
    RK_TRY(txn.commit());
    return {};
  }

  void put(std::string_view key, std::vector<FieldValues> fields) {
    const Result<void> done =
        write([&](IndexWriter& writer) { return writer.put(key, key, fields); });
    EXPECT_TRUE(done.has_value()) << done.error().to_string();
  }

  void erase(std::string_view key) {
    const Result<void> done = write([&](IndexWriter& writer) -> Result<void> {
      RK_TRY(writer.erase(key));
      return {};
    });
    EXPECT_TRUE(done.has_value()) << done.error().to_string();
  }

  struct Answer {
    std::vector<Hit> hits;
    Summary summary;
  };

  Result<Answer> try_search(const Request& request) {
    RK_TRY_ASSIGN(store::ReadTxn txn, environment_->begin_read());
    RK_TRY_ASSIGN(const IndexReader reader, IndexReader::open(txn));
    Answer answer;
    RK_TRY_ASSIGN(answer.summary, reader.search(request, [&](const Hit& hit) -> Result<bool> {
      answer.hits.push_back(hit);
      return true;
    }));
    return answer;
  }

  Answer search(const Request& request) {
    Result<Answer> answer = try_search(request);
    EXPECT_TRUE(answer.has_value()) << answer.error().to_string();
    return answer ? std::move(*answer) : Answer();
  }

  // The keys found, joined by spaces.
  std::string found(Node where, std::vector<SortKey> order = {}) {
    Request request;
    request.where = std::move(where);
    request.order = std::move(order);
    const Answer answer = search(request);
    EXPECT_EQ(answer.summary.total, answer.hits.size());
    std::string keys;
    for (const Hit& hit : answer.hits) {
      keys += (keys.empty() ? "" : " ") + hit.key;
    }
    return keys;
  }

  // What verify() finds, joined by lines; "" if the index is sound.
  std::string problems() {
    Result<store::ReadTxn> txn = environment_->begin_read();
    EXPECT_TRUE(txn.has_value());
    const Result<std::vector<std::string>> found = verify(*txn);
    if (!found) {
      return found.error().to_string();
    }
    std::string lines;
    for (const std::string& line : *found) {
      lines += line + "\n";
    }
    return lines;
  }

  store::Environment& environment() { return *environment_; }

 private:
  os::MemoryFileSystem files_;
  TestClock clock_;
  TestRandom random_;
  os::Platform platform_{files_, clock_, random_, os::real_platform().threads};
  std::unique_ptr<store::Environment> environment_;
};

}  // namespace rookery::search
