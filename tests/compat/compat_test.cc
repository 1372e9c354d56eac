// SPDX-License-Identifier: Apache-2.0
// Data directories that earlier versions wrote are opened, read, checked and written to. Each file
// stays here for ever; see README.md.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "rookery/doc/reader.h"
#include "rookery/index/indexes.h"
#include "rookery/os/platform.h"
#include "rookery/os/sync.h"

#include "content_v1.h"
#include "content_v2.h"

namespace rookery::compat {
namespace {

std::vector<std::string> archives() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(RK_COMPAT_FILES)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class Compat : public ::testing::TestWithParam<std::string> {
 protected:
  Compat() {
    std::string name = "/tmp/rookery-compat-XXXXXX";
    folder_ = mkdtemp(name.data());
    const std::string unpack = "tar -C " + folder_ + " -xzf " RK_COMPAT_FILES "/" + GetParam();
    EXPECT_EQ(std::system(unpack.c_str()), 0) << unpack;  // NOLINT(cert-env33-c)
  }

  ~Compat() override { std::filesystem::remove_all(folder_); }

  std::string folder_;
};

Result<std::unique_ptr<db::Server>> open_server(const std::string& folder, bool paused) {
  db::ServerOptions options;
  options.data_dir = folder;
  options.reserve_bytes = 0;
  options.indexing_starts_paused = paused;
  return db::Server::open(os::real_platform(), std::move(options));
}

Result<std::string> check_content(std::string_view archive, db::Server& server) {
  if (archive.starts_with("v1-")) {
    return check_content_v1(server);
  }
  if (archive.starts_with("v2-")) {
    return check_content_v2(os::real_platform(), server);
  }
  return std::string("no check is known for this file");
}

TEST_P(Compat, WhatAnEarlierVersionWroteIsAllThere) {
  std::map<std::string, std::uint64_t> counts;
  // Twice: what this version makes of it is read again, too.
  for (const bool first : {true, false}) {
    const Result<std::unique_ptr<db::Server>> server = open_server(folder_, first);
    ASSERT_TRUE(server.has_value()) << server.error().to_string();
    if (first) {
      const Result<std::string> wrong = check_content(GetParam(), **server);
      ASSERT_TRUE(wrong.has_value()) << wrong.error().to_string();
      EXPECT_EQ(*wrong, "");
    }
    for (const db::DatabaseSummary& summary : (*server)->list()) {
      if (!summary.disabled) {
        const Result<db::DatabaseRef> database = (*server)->acquire_and_wait(summary.name);
        ASSERT_TRUE(database.has_value()) << database.error().to_string();
        EXPECT_EQ((*database)->verify()->problems, std::vector<std::string>());
        const std::uint64_t count = (*database)->stats()->documents.document_count;
        EXPECT_EQ(counts.emplace(summary.name, count).first->second, count);
      }
    }
    EXPECT_TRUE((*server)->close().has_value());
  }
  EXPECT_GE(counts.size(), 2U);
}

std::vector<std::string> ids_of(db::Database& database, std::uint64_t& last_etag) {
  std::vector<std::string> ids;
  const Result<doc::Snapshot> documents = doc::Snapshot::open(database.environment());
  EXPECT_TRUE(documents.has_value());
  const Result<std::uint64_t> last = (*documents)->last_etag();
  EXPECT_TRUE(last.has_value());
  last_etag = last.value();
  const auto note = [&](const doc::DocumentView& document) -> Result<bool> {
    ids.emplace_back(document.id);
    return true;
  };
  EXPECT_TRUE((*documents)->scan_etags(1, false, note).has_value());
  return ids;
}

void expect_empty_indexes(db::Database& database) {
  std::uint64_t last_etag = 0;
  EXPECT_EQ(ids_of(database, last_etag), std::vector<std::string>());
  os::Event reached;
  database.indexes().wait_for({}, {}, last_etag, std::chrono::minutes(1), [&](bool in_time) {
    EXPECT_TRUE(in_time);
    reached.set();
  });
  reached.wait();
  const Result<std::vector<index::IndexInfo>> all = database.indexes().list();
  ASSERT_TRUE(all.has_value()) << all.error().to_string();
  for (const index::IndexInfo& info : *all) {
    EXPECT_EQ(info.entry_count, 0U) << info.definition.name;
  }
  EXPECT_EQ(database.verify()->problems, std::vector<std::string>());
}

// What is taken out of an index, its own entry says: here one that an earlier version wrote.
TEST_P(Compat, WhatAnEarlierVersionIndexedIsTakenOut) {
  const Result<std::unique_ptr<db::Server>> server = open_server(folder_, false);
  ASSERT_TRUE(server.has_value()) << server.error().to_string();
  for (const db::DatabaseSummary& summary : (*server)->list()) {
    if (summary.disabled) {
      continue;
    }
    const Result<db::DatabaseRef> database = (*server)->acquire_and_wait(summary.name);
    ASSERT_TRUE(database.has_value()) << database.error().to_string();
    std::uint64_t last_etag = 0;
    std::vector<db::Command> commands;
    for (const std::string& id : ids_of(**database, last_etag)) {
      commands.emplace_back(db::DeleteCommand{.id = id});
    }
    EXPECT_TRUE((*database)->execute(std::move(commands)).has_value());
    expect_empty_indexes(**database);
  }
  EXPECT_TRUE((*server)->close().has_value());
}

INSTANTIATE_TEST_SUITE_P(Files, Compat, ::testing::ValuesIn(archives()), [](const auto& each) {
  std::string name = each.param.substr(0, each.param.find(".tar"));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(CompatFiles, ThereAreSome) {
  EXPECT_GE(archives().size(), 2U);
}

}  // namespace
}  // namespace rookery::compat
