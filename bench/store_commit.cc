// SPDX-License-Identifier: Apache-2.0
// One durable commit of the store (one writer, one 116-byte row) beside a raw append of as many
// bytes with O_DIRECT|O_DSYNC into a pre-written file: what the disk alone costs. Both in the same
// process, in turns, in the same folder. Prints one JSON line.
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <unistd.h>

#include "rookery/os/platform.h"
#include "rookery/store/environment.h"

#include "histogram.h"
#include "tool.h"

namespace rookery::bench {
namespace {

constexpr std::size_t kBlock = 4096;
constexpr std::size_t kRawFileBytes = 64UL * 1024 * 1024;

struct Options {
  std::string folder;
  std::uint32_t rounds = 5;
  std::uint32_t commits = 1000;  // a round
  std::uint64_t seed = 1;
};

// Appends block after block, wrapping around; the file was written before, so that no append
// allocates or moves the end of the file, as in a journal.
class RawFile {
 public:
  explicit RawFile(const std::string& path) {
    block_.reset(static_cast<std::byte*>(std::aligned_alloc(kBlock, kRawFileBytes / 64)));
    std::memset(block_.get(), 0x5A, kRawFileBytes / 64);
    fd_ = open(path.c_str(), O_CREAT | O_RDWR | O_DIRECT | O_CLOEXEC, 0600);
    direct_ = fd_ >= 0;
    if (!direct_) {
      fd_ = open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    }
    for (std::size_t at = 0; at < kRawFileBytes; at += kRawFileBytes / 64) {
      write_at(at, kRawFileBytes / 64);
    }
    if (fd_ < 0 || fsync(fd_) != 0) {
      fail(path, std::strerror(errno));
    }
    close(fd_);
    fd_ = open(path.c_str(), O_RDWR | O_DSYNC | O_CLOEXEC | (direct_ ? O_DIRECT : 0));
    if (fd_ < 0) {
      fail(path, std::strerror(errno));
    }
  }

  RawFile(const RawFile&) = delete;
  RawFile& operator=(const RawFile&) = delete;

  ~RawFile() { close(fd_); }

  void append(std::size_t bytes) {
    if (next_ + bytes > kRawFileBytes) {
      next_ = 0;
    }
    write_at(next_, bytes);
    next_ += bytes;
  }

  [[nodiscard]] bool direct() const { return direct_; }

 private:
  struct Free {
    void operator()(std::byte* bytes) const { std::free(bytes); }
  };

  void write_at(std::size_t at, std::size_t bytes) {
    if (pwrite(fd_, block_.get(), bytes, static_cast<off_t>(at)) != static_cast<ssize_t>(bytes)) {
      fail("pwrite", std::strerror(errno));
    }
  }

  std::unique_ptr<std::byte, Free> block_;
  int fd_ = -1;
  bool direct_ = false;
  std::size_t next_ = 0;
};

std::string row_key(std::mt19937_64& random) {
  std::string key(16, '\0');
  const std::uint64_t halves[2] = {random(), random()};
  std::memcpy(key.data(), halves, key.size());
  return key;
}

void commit_one(store::Environment& environment, std::mt19937_64& random) {
  const std::string value(100, static_cast<char>('a' + random() % 26));
  const std::string key = row_key(random);
  store::WriteTxn txn = must("begin_write", environment.begin_write());
  store::MutableTree tree = must("tree", txn.tree("bench"));
  must("put", tree.put(as_bytes(key), as_bytes(value)));
  must("commit", txn.commit());
}

// What the process has caused to be written, from /proc/self/io.
std::uint64_t written_bytes() {
  std::FILE* file = std::fopen("/proc/self/io", "r");
  if (file == nullptr) {
    return 0;
  }
  char line[128];
  unsigned long long bytes = 0;
  while (std::fgets(line, sizeof line, file) != nullptr) {
    std::sscanf(line, "write_bytes: %llu", &bytes);
  }
  std::fclose(file);
  return bytes;
}

// The whole blocks that an average commit writes, measured, so that the raw append writes as much.
std::size_t commit_size(store::Environment& environment, std::mt19937_64& random) {
  constexpr std::uint64_t kProbes = 50;
  const std::uint64_t before = written_bytes();
  for (std::uint64_t i = 0; i < kProbes; ++i) {
    commit_one(environment, random);
  }
  const std::uint64_t each = (written_bytes() - before) / kProbes;
  const std::size_t blocks = static_cast<std::size_t>((each + kBlock / 2) / kBlock);
  return (blocks == 0 ? 1 : blocks) * kBlock;
}

void run(const Options& options) {
  std::mt19937_64 random(options.seed);
  store::EnvironmentOptions environment_options;
  environment_options.path = options.folder + "/environment";
  auto environment =
      must("open", store::Environment::open(os::real_platform(), environment_options));
  RawFile raw(options.folder + "/raw");
  const std::size_t size = commit_size(*environment, random);
  Histogram store_latency;
  Histogram raw_latency;
  std::printf("{\"commit_bytes\":%zu,\"direct\":%s,\"rounds\":[", size,
              raw.direct() ? "true" : "false");
  for (std::uint32_t round = 0; round < options.rounds; ++round) {
    Histogram store_round;
    Histogram raw_round;
    // Turn by turn within the round: whatever else the machine does hits both alike.
    for (std::uint32_t i = 0; i < options.commits; ++i) {
      Clock::time_point start = Clock::now();
      commit_one(*environment, random);
      store_round.add(nanoseconds_since(start));
      start = Clock::now();
      raw.append(size);
      raw_round.add(nanoseconds_since(start));
      // Background work of a server, between the measured calls.
      must("maintain", environment->maintain());
    }
    std::printf("%s{\"store_p50_us\":%.1f,\"raw_p50_us\":%.1f}", round == 0 ? "" : ",",
                static_cast<double>(store_round.quantile(0.5)) / 1e3,
                static_cast<double>(raw_round.quantile(0.5)) / 1e3);
    store_latency.merge(store_round);
    raw_latency.merge(raw_round);
  }
  std::printf("]");
  print_histogram("store", store_latency);
  print_histogram("raw", raw_latency);
  std::printf("}\n");
  must("close", environment->close());
}

}  // namespace
}  // namespace rookery::bench

int main(int argc, char** argv) {
  rookery::bench::Options options;
  CLI::App app{"One durable commit of the store beside a raw O_DSYNC append"};
  app.add_option("--folder", options.folder)->required();
  app.add_option("--rounds", options.rounds)->check(CLI::Range(1, 1000));
  app.add_option("--commits", options.commits)->check(CLI::Range(1, 1'000'000));
  app.add_option("--seed", options.seed);
  CLI11_PARSE(app, argc, argv);
  rookery::bench::run(options);
  return 0;
}
