// SPDX-License-Identifier: Apache-2.0
// Databases by the hundred in one process: how long creating and dropping one takes, what that asks
// of the disk, and what an open, idle one costs. Prints one JSON line.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <sys/resource.h>

#include "rookery/db/server.h"
#include "rookery/os/platform.h"
#include "rookery/testing/sim_file_system.h"
#include "rookery/value/json.h"

#include "histogram.h"
#include "tool.h"

namespace rookery::bench {
namespace {

struct Options {
  std::string folder;
  std::uint32_t count = 200;
};

struct Figures {
  std::int64_t threads = 0;
  std::int64_t resident_kib = 0;
  std::int64_t maps = 0;
  std::int64_t descriptors = 0;
};

std::int64_t status_value(std::string_view key) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word == key) {
      std::int64_t value = 0;
      status >> value;
      return value;
    }
  }
  return 0;
}

Figures figures() {
  Figures now{.threads = status_value("Threads:"), .resident_kib = status_value("VmRSS:")};
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    ++now.maps;
  }
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    ++now.descriptors;
  }
  return now;
}

std::string name_of(std::uint32_t number) {
  return "db" + std::to_string(number);
}

void write_one(db::Server& server, const std::string& name) {
  const db::DatabaseRef database = must(name, server.acquire_and_wait(name));
  db::PutCommand put;
  put.id = "a";
  put.document =
      must("document", doc::PreparedDocument::make(must("json", value::parse_json(R"({"n":1})"))));
  std::vector<db::Command> commands;
  commands.emplace_back(std::move(put));
  must("put", database->execute(std::move(commands)));
  must("sync", database->sync_all());
}

std::unique_ptr<db::Server> open_server(os::Platform& platform, const std::string& folder) {
  db::ServerOptions options;
  options.data_dir = folder;
  options.reserve_bytes = 0;
  return must("open", db::Server::open(platform, std::move(options)));
}

// The syncs of one creation and one drop (with its deletion), and the writes of both that are
// durable when they return, counted on a simulated disk.
void print_syncs() {
  testing::SimFileSystem files;
  os::Platform platform{files, os::real_platform().clock, os::real_platform().random,
                        os::real_platform().threads};
  const auto server = open_server(platform, "data");
  const auto syncs = [&] {
    return files.calls_of(testing::CallKind::kSync) +
           files.calls_of(testing::CallKind::kSyncDirectory);
  };
  must("create", server->put_database("first", {}, std::nullopt));
  const std::uint64_t start = syncs();
  must("create", server->put_database("second", {}, std::nullopt));
  const std::uint64_t created = syncs();
  must("drop", server->drop_database("second", true));
  server->wait_for_deletions();
  const std::uint64_t dropped = syncs();
  std::printf("{\"syncs_create\":%llu,\"syncs_drop\":%llu",
              static_cast<unsigned long long>(created - start),
              static_cast<unsigned long long>(dropped - created));
  must("close", server->close());
}

void run(const Options& options) {
  print_syncs();
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);

  const auto server = open_server(os::real_platform(), options.folder + "/data");
  must("create", server->put_database("warm", {}, std::nullopt));
  write_one(*server, "warm");
  Histogram create;
  Histogram drop;
  const Figures before = figures();
  for (std::uint32_t i = 0; i < options.count; ++i) {
    const Clock::time_point start = Clock::now();
    must("create", server->put_database(name_of(i), {}, std::nullopt));
    create.add(nanoseconds_since(start));
    write_one(*server, name_of(i));
  }
  const Figures open = figures();
  for (std::uint32_t i = 0; i < options.count; ++i) {
    const Clock::time_point start = Clock::now();
    must("drop", server->drop_database(name_of(i), true));
    drop.add(nanoseconds_since(start));
    server->wait_for_deletions();  // not measured, nor in the way of the next
  }
  const auto each = [&](std::int64_t Figures::*member) {
    return static_cast<double>(open.*member - before.*member) / options.count;
  };
  std::printf(
      ",\"databases\":%u,\"threads_each\":%.3f,\"resident_kib_each\":%.1f,\"maps_each\":%.2f,"
      "\"descriptors_each\":%.2f",
      options.count, each(&Figures::threads), each(&Figures::resident_kib), each(&Figures::maps),
      each(&Figures::descriptors));
  print_histogram("create", create);
  print_histogram("drop", drop);
  std::printf("}\n");
  must("close", server->close());
}

}  // namespace
}  // namespace rookery::bench

int main(int argc, char** argv) {
  rookery::bench::Options options;
  CLI::App app{"Creating, holding and dropping many databases"};
  app.add_option("--folder", options.folder)->required();
  app.add_option("--count", options.count)->check(CLI::Range(1, 10'000));
  CLI11_PARSE(app, argc, argv);
  rookery::bench::run(options);
  return 0;
}
