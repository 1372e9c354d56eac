// SPDX-License-Identifier: Apache-2.0
// Builds one auto-index over articles, in this process and on disk: how fast, how big, how much was
// written for it. No peer: it compares two builds of this product, run in turns over one folder of
// documents, which the first run fills. Prints one JSON line.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>
#include <sys/resource.h>

#include "rookery/doc/writer.h"
#include "rookery/index/indexes.h"
#include "rookery/index/query_runner.h"
#include "rookery/os/executor.h"
#include "rookery/os/platform.h"
#include "rookery/os/sync.h"
#include "rookery/store/environment.h"
#include "rookery/value/json.h"

#include "articles.h"
#include "tool.h"

namespace rookery::bench {
namespace {

constexpr std::uint64_t kBatch = 2'000;

struct Options {
  std::string folder;
  std::uint64_t articles = 100'000;
  std::string kind = "fields";
  bool verify = false;
  bool keep = false;
};

// A line of /proc/self/FILE.
std::uint64_t proc_number(const char* file, const std::string& name) {
  std::ifstream lines(std::string("/proc/self/") + file);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(name + ":")) {
      return std::strtoull(line.c_str() + name.size() + 1, nullptr, 10);
    }
  }
  fail(file, "no " + name);
}

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::uint64_t allocated_bytes(const std::string& folder) {
  std::uint64_t total = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const auto info = os::real_platform().files.info(entry.path().string());
    if (entry.is_regular_file() && info.has_value() && info->has_value()) {
      total += (*info)->allocated_bytes;
    }
  }
  return total;
}

std::unique_ptr<store::Environment> open_documents(const Options& options) {
  store::EnvironmentOptions environment;
  environment.path = options.folder + "/documents";
  return must("open", store::Environment::open(os::real_platform(), environment));
}

void fill(store::Environment& documents, std::uint64_t articles) {
  os::Platform& platform = os::real_platform();
  for (std::uint64_t first = 0; first < articles; first += kBatch) {
    store::WriteTxn txn = must("begin", documents.begin_write());
    {
      auto writer = must("writer", doc::DocumentWriter::open(txn, {.database = doc::DatabaseId(),
                                                                   .node_tag = "A",
                                                                   .separator = '/',
                                                                   .clock = platform.clock,
                                                                   .random = platform.random}));
      for (std::uint64_t i = first; i < std::min(articles, first + kBatch); ++i) {
        const Article made = article(i);
        const auto document =
            must("prepare",
                 doc::PreparedDocument::make(must("parse", value::parse_json(article_json(i)))));
        must("put", writer.put({.id = made.id, .document = document}));
      }
      must("finish", writer.finish());
    }
    must("commit", txn.commit());
    while (must("maintain", documents.maintain())) {
    }
  }
}

std::string query_of(const std::string& kind) {
  const std::string fields =
      "Category = 'x' and Author.Id = 'x' and Tags = 'x' and Views = 1 and Rating = 1 and "
      "PublishedAt = 'x' and Reference = 'x'";
  const std::string words = "(search(Title, 'x') or search(Body, 'x'))";
  return "from Articles where " +
         (kind == "fields" ? fields
          : kind == "text" ? words
                           : fields + " and " + words) +
         " limit 0";
}

void wait_for(const index::QueryRunner& runner, const std::string& text) {
  index::QueryRequest request;
  request.text = text;
  request.wait_for_non_stale = true;
  request.wait_timeout = std::chrono::hours(1);
  const index::PreparedQueryPtr query = must("prepare", runner.prepare(std::move(request)));
  if (!runner.must_wait(*query)) {
    fail("the query", "it waits for nothing");
  }
  os::Event done;
  runner.when_ready(*query, [&](index::Readiness) { done.set(); });
  done.wait();
  must("run", runner.run(*query));
}

int run(const Options& options) {
  const bool filled = std::filesystem::exists(options.folder);
  std::filesystem::create_directories(options.folder);
  const std::unique_ptr<store::Environment> documents = open_documents(options);
  if (!filled) {
    fill(*documents, options.articles);
  }
  os::Executor executor(os::real_platform(), "rk.index", 1);
  index::IndexesOptions of_indexes;
  of_indexes.path = options.folder + "/Indexes";
  std::filesystem::remove_all(of_indexes.path);
  auto indexes = must("indexes", index::Indexes::open(os::real_platform(), executor, *documents,
                                                      std::move(of_indexes)));
  const index::QueryRunner runner(os::real_platform(), *indexes, *documents, {});
  const std::uint64_t written_before = proc_number("io", "wchar");
  const double cpu_before = cpu_seconds();
  const Clock::time_point begun = Clock::now();
  wait_for(runner, query_of(options.kind));
  const double seconds = static_cast<double>(nanoseconds_since(begun)) / 1e9;
  const double cpu = cpu_seconds() - cpu_before;
  if (options.verify) {
    for (const std::string& problem : must("verify", indexes->verify())) {
      fail("verify", problem);
    }
  }
  must("close", indexes->close());
  std::printf(
      "{\"kind\":\"%s\",\"articles\":%llu,\"seconds\":%.2f,\"per_second\":%.0f,\"cpu\":%.2f,"
      "\"bytes_an_article\":%.0f,\"written_an_article\":%.0f,\"peak_mib\":%llu}\n",
      options.kind.c_str(), static_cast<unsigned long long>(options.articles), seconds,
      static_cast<double>(options.articles) / seconds, cpu,
      static_cast<double>(allocated_bytes(options.folder + "/Indexes")) /
          static_cast<double>(options.articles),
      static_cast<double>(proc_number("io", "wchar") - written_before) /
          static_cast<double>(options.articles),
      static_cast<unsigned long long>(proc_number("status", "VmHWM") / 1024));
  indexes.reset();
  must("close", documents->close());
  if (!options.keep) {
    std::filesystem::remove_all(options.folder + "/Indexes");
  }
  return 0;
}

}  // namespace
}  // namespace rookery::bench

int main(int argc, char** argv) {
  rookery::bench::Options options;
  CLI::App app{"Builds one auto-index over articles"};
  app.add_option("--folder", options.folder, "of the documents; filled if it does not exist")
      ->required();
  app.add_option("--articles", options.articles, "in the folder")->check(CLI::PositiveNumber);
  app.add_option("--kind", options.kind)->check(CLI::IsMember({"fields", "text", "all"}));
  app.add_flag("--verify", options.verify, "every posting against every entry, afterwards");
  app.add_flag("--keep", options.keep, "leaves the index there");
  CLI11_PARSE(app, argc, argv);
  return rookery::bench::run(options);
}
