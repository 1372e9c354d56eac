// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "test_server.h"

// Purpose. For tests: many databases in one process, and what this process costs.

namespace rookery::db {

struct ProcessFigures {
  std::uint64_t threads = 0;
  std::uint64_t resident_kib = 0;
  std::uint64_t maps = 0;
  std::uint64_t descriptors = 0;
};

inline std::uint64_t status_value(const std::string& key) {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    if (word == key) {
      std::uint64_t value = 0;
      status >> value;
      return value;
    }
  }
  return 0;
}

inline ProcessFigures process_figures() {
  ProcessFigures figures;
  figures.threads = status_value("Threads:");
  figures.resident_kib = status_value("VmRSS:");
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    ++figures.maps;
  }
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    ++figures.descriptors;
  }
  return figures;
}

inline void raise_descriptor_limit() {
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  limit.rlim_cur = limit.rlim_max;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

inline std::string many_name(int number) {
  return "db" + std::to_string(number);
}

// Creates, opens and writes databases [first, first + count); they stay open, with nothing to do.
inline void make_databases(Server& server, int first, int count) {
  for (int i = first; i < first + count; ++i) {
    ASSERT_TRUE(server.put_database(many_name(i), no_record(), std::nullopt).has_value());
    const Result<DatabaseRef> database = server.acquire_and_wait(many_name(i));
    ASSERT_TRUE(database.has_value()) << database.error().to_string();
    ASSERT_TRUE((*database)->execute(commands(put("a"))).has_value());
    ASSERT_TRUE((*database)->sync_all().has_value());
  }
}

}  // namespace rookery::db
