// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "rookery/doc/reader.h"
#include "rookery/doc/writer.h"
#include "rookery/index/indexes.h"
#include "rookery/index/query_runner.h"
#include "rookery/os/executor.h"
#include "rookery/os/memory_file_system.h"
#include "rookery/os/platform.h"
#include "rookery/os/sync.h"
#include "rookery/store/environment.h"
#include "rookery/value/json.h"

// Purpose. For tests: documents and their indexes over memory files, with one real thread that
// indexes.

namespace rookery::index {

// What a test looks at in an answer.
struct Answer {
  value::Document json;
  std::string etag;
  bool not_modified = false;

  [[nodiscard]] value::View root() const { return json.root(); }

  [[nodiscard]] bool is_stale() const { return root().find_bool("IsStale").value_or(true); }

  [[nodiscard]] std::int64_t total() const {
    return root().find_int64("TotalResults").value_or(-1);
  }

  [[nodiscard]] std::string index_name() const {
    return std::string(root().find_string("IndexName").value_or(""));
  }

  [[nodiscard]] value::View results() const { return *root().find("Results"); }

  [[nodiscard]] std::vector<std::string> ids() const {
    std::vector<std::string> ids;
    for (std::size_t i = 0; i < results().size(); ++i) {
      const auto metadata = results().at(i).find("@metadata");
      ids.emplace_back(metadata->find_string("@id").value_or("?"));
    }
    return ids;
  }

  [[nodiscard]] std::vector<std::string> sorted_ids() const {
    std::vector<std::string> sorted = ids();
    std::sort(sorted.begin(), sorted.end());
    return sorted;
  }
};

class TestIndexes {
 public:
  explicit TestIndexes(Settings settings = {}) : platform_(memory_platform_), settings_(settings) {
    open();
  }

  // On another machine; `start_paused`: nothing is indexed until it is asked for.
  TestIndexes(os::Platform& platform, Settings settings, bool start_paused)
      : platform_(platform), settings_(settings), start_paused_(start_paused) {
    open();
  }

  TestIndexes(const TestIndexes&) = delete;
  TestIndexes& operator=(const TestIndexes&) = delete;

  ~TestIndexes() { close(); }

  void open() {
    executor_ = std::make_unique<os::Executor>(platform_, "rk.index", 1);
    store::EnvironmentOptions options;
    options.path = "db";
    options.journal_size_first_bytes = 64ULL << 10U;
    options.journal_size_max_bytes = 1ULL << 20U;
    auto environment = store::Environment::open(platform_, options);
    ASSERT_TRUE(environment.has_value()) << environment.error().to_string();
    documents_ = std::move(*environment);
    IndexesOptions indexes;
    indexes.path = "db/Indexes";
    indexes.settings = settings_;
    indexes.start_paused = start_paused_;
    indexes.environment = options;
    indexes.log = log_;
    auto opened = Indexes::open(platform_, *executor_, *documents_, std::move(indexes));
    ASSERT_TRUE(opened.has_value()) << opened.error().to_string();
    indexes_ = std::move(*opened);
    runner_.emplace(
        platform_, *indexes_, *documents_,
        QueryRunner::Options{
            .node_tag = "A",
            .find_includes = [](value::View document, std::string_view path, const auto& found) {
              if (const auto id = document.find_string(path)) {
                found(*id);
              }
            }});
  }

  void close() {
    runner_.reset();
    if (indexes_ != nullptr) {
      EXPECT_TRUE(indexes_->close().has_value());
      indexes_.reset();
    }
    if (documents_ != nullptr) {
      EXPECT_TRUE(documents_->close().has_value());
      documents_.reset();
    }
    executor_.reset();
  }

  void reopen() {
    close();
    open();
  }

  // Environments are closed even where that fails: the power may be off.
  void abandon() {
    runner_.reset();
    if (indexes_ != nullptr) {
      static_cast<void>(indexes_->close());
      indexes_.reset();
    }
    documents_.reset();
    executor_.reset();
  }

  void write(const std::function<void(doc::DocumentWriter&)>& body) {
    auto txn = documents_->begin_write();
    ASSERT_TRUE(txn.has_value()) << txn.error().to_string();
    auto writer = doc::DocumentWriter::open(*txn, {.database = doc::DatabaseId(),
                                                   .node_tag = "A",
                                                   .separator = '/',
                                                   .clock = platform_.clock,
                                                   .random = platform_.random});
    ASSERT_TRUE(writer.has_value());
    body(*writer);
    ASSERT_TRUE(writer->finish().has_value());
    ASSERT_TRUE(txn->commit().has_value());
    if (indexes_ != nullptr) {
      indexes_->note_commit();
    }
  }

  static void put_in(doc::DocumentWriter& writer, std::string_view id, std::string_view json,
                     std::string_view collection = "Users") {
    std::string text(json);
    text.insert(text.rfind('}'), std::string(text.find(':') == std::string::npos ? "" : ",") +
                                     R"("@metadata":{"@collection":")" + std::string(collection) +
                                     "\"}");
    auto parsed = value::parse_json(text);
    ASSERT_TRUE(parsed.has_value()) << text;
    auto prepared = doc::PreparedDocument::make(std::move(*parsed));
    ASSERT_TRUE(prepared.has_value()) << text;
    ASSERT_TRUE(writer.put({.id = id, .document = *prepared}).has_value());
  }

  void put(std::string_view id, std::string_view json, std::string_view collection = "Users") {
    write([&](doc::DocumentWriter& writer) { put_in(writer, id, json, collection); });
  }

  void erase(std::string_view id) {
    write([&](doc::DocumentWriter& writer) { ASSERT_TRUE(writer.erase({.id = id}).has_value()); });
  }

  // Waits for the index first, unless told otherwise.
  Result<Answer> ask(std::string_view text, std::string_view parameters = "{}",
                     std::optional<os::Duration> timeout = std::chrono::seconds(30),
                     const std::function<void(QueryRequest&)>& change = nullptr) {
    QueryRequest request;
    request.text = text;
    auto parsed = value::parse_json(parameters);
    EXPECT_TRUE(parsed.has_value()) << parameters;
    request.owner = std::move(*parsed);
    request.parameters = request.owner.root();
    request.wait_for_non_stale = timeout.has_value();
    request.wait_timeout = timeout;
    if (change != nullptr) {
      change(request);
    }
    RK_TRY_ASSIGN(PreparedQueryPtr query, runner_->prepare(std::move(request)));
    if (runner_->must_wait(*query)) {
      os::Event done;
      Readiness readiness = Readiness::kReady;
      runner_->when_ready(*query, [&](Readiness outcome) {
        readiness = outcome;
        done.set();
      });
      done.wait();
      if (readiness == Readiness::kTimedOut) {
        return runner_->timeout_error(*query);
      }
      if (readiness == Readiness::kGone) {
        return ErrorCode::shutting_down;
      }
    }
    if (before_run != nullptr) {
      before_run();
    }
    RK_TRY_ASSIGN(QueryAnswer answer, runner_->run(*query));
    Answer result;
    result.etag = answer.etag;
    result.not_modified = answer.not_modified;
    if (!answer.not_modified) {
      auto body = value::parse_json(answer.body);
      EXPECT_TRUE(body.has_value()) << answer.body;
      result.json = std::move(*body);
    }
    return result;
  }

  Answer expect(std::string_view text, std::string_view parameters = "{}") {
    Result<Answer> answer = ask(text, parameters);
    EXPECT_TRUE(answer.has_value()) << text << ": " << answer.error().to_string();
    return answer.has_value() ? std::move(*answer) : Answer();
  }

  std::vector<std::string> ids(std::string_view text, std::string_view parameters = "{}") {
    const Answer answer = expect(text, parameters);
    EXPECT_FALSE(answer.is_stale());
    return answer.ids();
  }

  // From the next opening on.
  void set_log(LogSink log) { log_ = std::move(log); }

  Indexes& indexes() { return *indexes_; }

  store::Environment& documents() { return *documents_; }

  os::MemoryFileSystem& files() { return files_; }

  os::Platform& platform() { return platform_; }

  // When a query has waited, and is about to be run.
  std::function<void()> before_run;

 private:
  os::MemoryFileSystem files_;
  os::Platform memory_platform_{files_, os::real_platform().clock, os::real_platform().random,
                                os::real_platform().threads};
  os::Platform& platform_;
  Settings settings_;
  bool start_paused_ = false;
  LogSink log_;
  std::unique_ptr<os::Executor> executor_;
  std::unique_ptr<store::Environment> documents_;
  std::unique_ptr<Indexes> indexes_;
  std::optional<QueryRunner> runner_;
};

}  // namespace rookery::index
