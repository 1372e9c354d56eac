// SPDX-License-Identifier: Apache-2.0
// endsWith and regex over many unique terms: an index of nothing else, on disk, and the anonymous
// memory that the process has before and while it is asked. Pages of mapped files aren't anonymous:
// the kernel takes those back when it likes. Prints one JSON line; --limit-mib makes it a test.
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rookery/os/platform.h"
#include "rookery/search/index_reader.h"
#include "rookery/search/index_writer.h"
#include "rookery/store/environment.h"

#include "tool.h"

namespace rookery::bench {
namespace {

constexpr std::uint64_t kBatch = 50'000;
// Questions whether to go on, between two looks at the memory.
constexpr std::uint64_t kQuestionsALook = 64;

struct Options {
  std::string folder;
  std::uint64_t terms = 100'000;
  std::uint64_t limit_mib = 0;
};

// A line of /proc/self/status, in KiB.
std::uint64_t status_kib(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name + ":")) {
      return std::strtoull(line.c_str() + name.size() + 1, nullptr, 10);
    }
  }
  fail("/proc/self/status", "no " + name);
}

// Unique, and in no order: an odd factor and a power of two share no divisor.
std::string text_of(std::uint64_t number) {
  const std::uint64_t mixed = (number * 0x9E3779B97F4A7C15U) & 0xFF'FFFF'FFFFU;
  return "user-" + std::to_string(mixed) + "@mail.example";
}

void fill(store::Environment& environment, std::uint64_t terms) {
  for (std::uint64_t first = 0; first < terms; first += kBatch) {
    store::WriteTxn txn = must("begin", environment.begin_write());
    search::IndexWriter writer = must("open", search::IndexWriter::open(txn));
    for (std::uint64_t i = first; i < std::min(terms, first + kBatch); ++i) {
      const std::string key = "users/" + std::to_string(i);
      std::vector<search::FieldValues> fields(1);
      fields[0].field = "name";
      fields[0].terms.push_back(search::string_term(text_of(i)));
      must("put", writer.put(key, key, fields));
    }
    must("finish", writer.finish());
    must("commit", txn.commit());
    while (must("maintain", environment.maintain())) {
    }
  }
}

struct Question {
  const char* name;
  search::Node where;
};

std::vector<Question> questions() {
  std::vector<Question> all;
  all.push_back({"endsWith, few", {search::Suffix{"name", "00007@mail.example"}}});
  all.push_back({"endsWith, one in ten", {search::Suffix{"name", "7@mail.example"}}});
  all.push_back({"endsWith, all", {search::Suffix{"name", ".example"}}});
  all.push_back({"regex, few", {search::Regex{"name", "-12[0-4]+7.*99@", true}}});
  all.push_back({"regex, half", {search::Regex{"name", "[02468]@mail", true}}});
  return all;
}

struct Memory {
  std::uint64_t before_kib = 0;
  std::uint64_t most_kib = 0;

  void look() { most_kib = std::max(most_kib, status_kib("RssAnon")); }

  [[nodiscard]] std::uint64_t extra_kib() const {
    return most_kib > before_kib ? most_kib - before_kib : 0;
  }
};

// Prints the question's figures; gives the KiB it took beyond what was there.
std::uint64_t ask(store::Environment& environment, Question question, bool is_first) {
  store::ReadTxn txn = must("begin", environment.begin_read());
  const search::IndexReader reader = must("open", search::IndexReader::open(txn));
  Memory memory{.before_kib = status_kib("RssAnon")};
  std::uint64_t asked = 0;
  std::uint64_t hits = 0;
  search::Request request;
  request.where = std::move(question.where);
  request.take = 25;
  request.is_cancelled = [&] {
    if (++asked % kQuestionsALook == 0) {
      memory.look();
    }
    return false;
  };
  const Clock::time_point begun = Clock::now();
  const search::Summary found = must(
      question.name, reader.search(request, [&](const search::Hit& /*unused*/) -> Result<bool> {
        memory.look();
        ++hits;
        return true;
      }));
  memory.look();
  std::printf(
      "%s{\"name\":\"%s\",\"seconds\":%.3f,\"found\":%llu,\"shown\":%llu,\"terms\":%llu,"
      "\"pages\":%llu,\"before_kib\":%llu,\"extra_kib\":%llu}",
      is_first ? "" : ",", question.name, static_cast<double>(nanoseconds_since(begun)) / 1e9,
      static_cast<unsigned long long>(found.total), static_cast<unsigned long long>(hits),
      static_cast<unsigned long long>(found.counters.terms),
      static_cast<unsigned long long>(found.counters.pages),
      static_cast<unsigned long long>(memory.before_kib),
      static_cast<unsigned long long>(memory.extra_kib()));
  if (found.counters.terms < hits) {
    fail(question.name, "it looked at fewer terms than it found");
  }
  return memory.extra_kib();
}

std::unique_ptr<store::Environment> open_environment(const std::string& folder) {
  store::EnvironmentOptions options;
  options.path = folder;
  return must("open", store::Environment::open(os::real_platform(), options));
}

// In a process of its own: what filling leaves to the allocator would hide what asking takes.
// Gives the most memory that it had, in KiB.
std::uint64_t fill_apart(const Options& options) {
  const pid_t child = fork();
  if (child < 0) {
    fail("fork", std::strerror(errno));
  }
  if (child == 0) {
    const std::unique_ptr<store::Environment> environment = open_environment(options.folder);
    fill(*environment, options.terms);
    must("close", environment->close());
    std::_Exit(0);
  }
  int status = 0;
  rusage usage{};
  if (wait4(child, &status, 0, &usage) != child || status != 0) {
    fail("filling", "the process failed");
  }
  return static_cast<std::uint64_t>(usage.ru_maxrss);
}

int run(const Options& options) {
  const Clock::time_point begun = Clock::now();
  const std::uint64_t peak_filling_kib = fill_apart(options);
  const double seconds = static_cast<double>(nanoseconds_since(begun)) / 1e9;
  const std::unique_ptr<store::Environment> environment = open_environment(options.folder);
  std::printf(
      "{\"terms\":%llu,\"fill_seconds\":%.2f,\"file_bytes\":%llu,\"filling_peak_kib\":%llu,"
      "\"questions\":[",
      static_cast<unsigned long long>(options.terms), seconds,
      static_cast<unsigned long long>(environment->stats().file_size_bytes),
      static_cast<unsigned long long>(peak_filling_kib));
  std::uint64_t most_kib = 0;
  bool is_first = true;
  for (Question& question : questions()) {
    most_kib = std::max(most_kib, ask(*environment, std::move(question), is_first));
    is_first = false;
  }
  std::printf("],\"extra_kib\":%llu,\"file_pages_kib\":%llu}\n",
              static_cast<unsigned long long>(most_kib),
              static_cast<unsigned long long>(status_kib("RssFile")));
  must("close", environment->close());
  if (options.limit_mib != 0 && most_kib > options.limit_mib * 1024) {
    fail("memory", std::to_string(most_kib) + " KiB extra");
  }
  return 0;
}

}  // namespace
}  // namespace rookery::bench

int main(int argc, char** argv) {
  rookery::bench::Options options;
  CLI::App app{"endsWith and regex over unique terms, and the memory they take"};
  app.add_option("--folder", options.folder, "of the index; must not exist")->required();
  app.add_option("--terms", options.terms)->check(CLI::PositiveNumber);
  app.add_option("--limit-mib", options.limit_mib, "fail if a question takes more");
  CLI11_PARSE(app, argc, argv);
  return rookery::bench::run(options);
}
