// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "rookery/db/server.h"
#include "rookery/os/memory_file_system.h"
#include "rookery/value/json.h"

// Purpose. For tests: batches in one line each, and a server over memory files with real threads.

namespace rookery::db {

inline doc::PreparedDocument document(std::string_view json) {
  Result<value::Document> parsed = value::parse_json(json);
  EXPECT_TRUE(parsed.has_value()) << json;
  Result<doc::PreparedDocument> prepared = doc::PreparedDocument::make(std::move(*parsed));
  EXPECT_TRUE(prepared.has_value()) << json;
  return std::move(*prepared);
}

inline Command put(std::string_view id, std::string_view json = R"({"n":1})",
                   std::optional<std::string> expected = std::nullopt) {
  return PutCommand{std::string(id), std::move(expected), document(json), false};
}

inline Command erase(std::string_view id) {
  return DeleteCommand{std::string(id), std::nullopt};
}

template <typename... Commands>
std::vector<Command> commands(Commands... each) {
  std::vector<Command> all;
  (all.push_back(std::move(each)), ...);
  return all;
}

// Outcomes of batches by number, counted, from any thread.
class Outcomes {
 public:
  std::function<void(Result<BatchResult>)> expect(std::size_t number) {
    return [this, number](Result<BatchResult> result) {
      const std::scoped_lock lock(mutex_);
      if (results_.size() <= number) {
        results_.resize(number + 1);
      }
      EXPECT_FALSE(results_[number].has_value()) << "batch " << number << " answered twice";
      results_[number].emplace(std::move(result));
      order_.push_back(number);
    };
  }

  const Result<BatchResult>& of(std::size_t number) {
    const std::scoped_lock lock(mutex_);
    EXPECT_LT(number, results_.size());
    EXPECT_TRUE(results_[number].has_value()) << "batch " << number << " not answered";
    return *results_[number];
  }

  std::vector<std::size_t> order() {
    const std::scoped_lock lock(mutex_);
    return order_;
  }

 private:
  std::mutex mutex_;
  std::vector<std::optional<Result<BatchResult>>> results_;
  std::vector<std::size_t> order_;
};

class MemoryPlatform {
 public:
  os::Platform& platform() { return platform_; }

  os::MemoryFileSystem& files() { return files_; }

 private:
  os::MemoryFileSystem files_;
  os::Platform platform_{files_, os::real_platform().clock, os::real_platform().random,
                         os::real_platform().threads};
};

inline std::unique_ptr<Server> open_server(os::Platform& platform, ServerOptions options = {}) {
  options.data_dir = "data";
  Result<std::unique_ptr<Server>> server = Server::open(platform, std::move(options));
  EXPECT_TRUE(server.has_value()) << server.error().to_string();
  return server.has_value() ? std::move(*server) : nullptr;
}

inline value::View no_record() {
  return {};
}

// What is stored under `id`, as JSON; "" for nothing.
inline std::string stored(Database& database, std::string_view id) {
  Result<doc::Snapshot> snapshot = database.snapshot();
  EXPECT_TRUE(snapshot.has_value());
  const Result<std::optional<doc::DocumentView>> found = (*snapshot)->get(id);
  EXPECT_TRUE(found.has_value());
  return found->has_value() ? value::to_json(*(*found)->value()) : "";
}

}  // namespace rookery::db
