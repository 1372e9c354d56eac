// SPDX-License-Identifier: Apache-2.0
#include "doctor_volume.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

namespace rookery::cli {

namespace {

constexpr std::string_view kPrefix = ".rookery-doctor-";
constexpr std::string_view kDurability = "durability";
constexpr std::string_view kFileSystem = "file system";
constexpr std::size_t kBlock = os::kDirectAlignment;
constexpr std::uint64_t kFileBytes = 1ULL << 20U;
constexpr int kWrites = 24;
// No medium that keeps its bytes without power answers faster; a cache does.
constexpr double kTooFastMs = 0.005;
constexpr double kSlowMs = 30;

struct alignas(os::kDirectAlignment) Block {
  std::array<std::byte, kBlock> bytes{};
};

struct Latency {
  double least_ms = 0;
  double median_ms = 0;
  double most_ms = 0;

  [[nodiscard]] std::string text() const {
    return fmt::format("{:.3g} ms (median of {}; {:.3g} to {:.3g})", median_ms, kWrites, least_ms,
                       most_ms);
  }
};

// Purpose. One examination: makes the folder, and takes it away whatever happened.
class VolumeProbe {
 public:
  VolumeProbe(os::Platform& platform, const std::string& folder, DoctorReport& report)
      : platform_(platform),
        files_(platform.files),
        report_(report),
        folder_(os::join_path(folder, std::string(kPrefix) + std::to_string(::getpid()))) {}

  VolumeProbe(const VolumeProbe&) = delete;
  VolumeProbe& operator=(const VolumeProbe&) = delete;

  ~VolumeProbe() { static_cast<void>(os::remove_tree(files_, folder_)); }

  void run() {
    if (const auto made = files_.create_directory(folder_); !made.has_value()) {
      report_.add({Level::kProblem, kFileSystem, "writing", "not possible",
                   std::string(made.error().message())});
      return;
    }
    try_step("journal writes", &VolumeProbe::journal);
    try_step("data file syncs", &VolumeProbe::data_sync);
    try_step("folder syncs", &VolumeProbe::rename_and_sync);
    try_step("locks", &VolumeProbe::locks);
    try_step("maps", &VolumeProbe::maps);
    try_step("allocation", &VolumeProbe::allocation);
    try_step("holes", &VolumeProbe::holes);
    try_step("links", &VolumeProbe::links);
  }

 private:
  void try_step(const std::string& name, Result<void> (VolumeProbe::*step)()) {
    if (const Result<void> done = (this->*step)(); !done.has_value()) {
      report_.add({Level::kProblem, kFileSystem, name, "failed",
                   "The store does this all the time: " + std::string(done.error().message())});
    }
  }

  [[nodiscard]] std::string path(std::string_view name) const {
    return os::join_path(folder_, name);
  }

  Result<std::unique_ptr<os::File>> make_file(std::string_view name, os::OpenOptions options = {}) {
    options.creation = os::Creation::kCreateNew;
    RK_TRY_ASSIGN(auto file, files_.open(path(name), options));
    // Written, as the store does it: a journal's blocks never change their kind while clients wait.
    for (std::uint64_t offset = 0; offset < kFileBytes; offset += kBlock) {
      RK_TRY(file->write_at(offset, block_->bytes));
    }
    return file;
  }

  template <typename Write>
  Result<Latency> measure(Write write) {
    std::vector<double> times;
    for (int i = 0; i < kWrites; ++i) {
      const auto start = platform_.clock.monotonic();
      RK_TRY(write(static_cast<std::uint64_t>(i) * kBlock));
      times.push_back(
          std::chrono::duration<double, std::milli>(platform_.clock.monotonic() - start).count());
    }
    std::sort(times.begin(), times.end());
    return Latency{times.front(), times[times.size() / 2], times.back()};
  }

  Finding judge(std::string name, const std::string& how, const Latency& latency) {
    Finding finding{Level::kGood, kDurability, std::move(name), how + ", " + latency.text()};
    if (latency.median_ms < kTooFastMs) {
      finding.level = Level::kWarning;
      finding.advice =
          "Faster than anything that keeps its bytes without power: either nothing is made "
          "durable here, or a cache answers that must have a power supply of its own.";
    } else if (latency.median_ms > kSlowMs) {
      finding.level = Level::kWarning;
      finding.advice = "Each write of a client waits for one of these: the disk is slow or busy.";
    }
    return finding;
  }

  // How every commit becomes durable.
  Result<void> journal() {
    RK_TRY_ASSIGN(const auto file, make_file("journal", {.direct = true}));
    RK_TRY(file->sync_data());
    RK_TRY_ASSIGN(const auto durable,
                  files_.open(path("journal"), {.direct = true, .write_through = true}));
    RK_TRY_ASSIGN(const Latency latency, measure([&](std::uint64_t offset) {
                    return durable->write_at(offset, block_->bytes);
                  }));
    const bool direct = durable->is_direct();
    report_.add(judge(
        "journal writes",
        direct ? "O_DSYNC with O_DIRECT, 4 KB" : "O_DSYNC through the page cache, 4 KB", latency));
    report_.add({direct ? Level::kGood : Level::kNote, kFileSystem, "O_DIRECT",
                 direct ? "taken" : "refused",
                 direct ? "" : "Journals go through the page cache: as durable, a little slower."});
    return {};
  }

  // How pages at home become durable, behind the clients' back.
  Result<void> data_sync() {
    RK_TRY_ASSIGN(const auto file, make_file("data"));
    RK_TRY(file->sync_data());
    RK_TRY_ASSIGN(const Latency latency, measure([&](std::uint64_t offset) -> Result<void> {
                    RK_TRY(file->write_at(offset, block_->bytes));
                    return file->sync_data();
                  }));
    report_.add(judge("data file syncs", "write and fdatasync, 4 KB", latency));
    return {};
  }

  Result<void> rename_and_sync() {
    RK_TRY_ASSIGN(const auto one, files_.open(path("one"), {.creation = os::Creation::kCreateNew}));
    RK_TRY_ASSIGN(const auto two, files_.open(path("two"), {.creation = os::Creation::kCreateNew}));
    RK_TRY_ASSIGN(const os::FileInfo wanted, one->info());
    RK_TRY(files_.rename(path("one"), path("two")));
    RK_TRY(files_.sync_directory(folder_));
    RK_TRY_ASSIGN(const auto found, files_.info(path("two")));
    if (!found.has_value() || found->inode != wanted.inode) {
      return Error(ErrorCode::io, "a rename did not replace its target");
    }
    report_.add({Level::kGood, kFileSystem, "rename, folder syncs", "work"});
    return {};
  }

  Result<void> locks() {
    RK_TRY_ASSIGN(const auto one, files_.open(path("two"), {}));
    RK_TRY_ASSIGN(const auto two, files_.open(path("two"), {}));
    RK_TRY_ASSIGN(const auto first, one->try_lock());
    RK_TRY_ASSIGN(const auto second, two->try_lock());
    if (first.has_value() || !second.has_value()) {
      return Error(ErrorCode::io, "a lock keeps nobody out, so two servers could open one folder");
    }
    report_.add({Level::kGood, kFileSystem, "locks", "keep a second process out"});
    return {};
  }

  Result<void> maps() {
    RK_TRY_ASSIGN(const auto file, files_.open(path("data"), {}));
    RK_TRY_ASSIGN(const auto map, file->map(kFileBytes, os::Access::kReadOnly));
    const std::byte before = map->data()[kBlock];
    Block changed;
    changed.bytes.fill(before ^ std::byte{0xFF});
    RK_TRY(file->write_at(kBlock, changed.bytes));
    if (map->data()[kBlock] == before || map->faulted()) {
      return Error(ErrorCode::io, "a map does not show what was written to its file");
    }
    report_.add({Level::kGood, kFileSystem, "maps", "show what is written at once"});
    return {};
  }

  Result<void> allocation() {
    RK_TRY_ASSIGN(const auto file,
                  files_.open(path("allocated"), {.creation = os::Creation::kCreateNew}));
    // Inside the file, where an imitation by writing zeros would leave a hole.
    RK_TRY(file->truncate(kFileBytes));
    RK_TRY(file->allocate(0, kFileBytes));
    RK_TRY_ASSIGN(const os::FileInfo info, file->info());
    const bool real = info.allocated_bytes >= kFileBytes;
    report_.add({real ? Level::kGood : Level::kWarning, kFileSystem, "allocation",
                 real ? "reserves blocks" : "is imitated by writing zeros",
                 real ? ""
                      : "A full disk may be noticed only when data is written behind the client's "
                        "back; growing files is slower."});
    return {};
  }

  Result<void> holes() {
    RK_TRY_ASSIGN(const auto file, make_file("holes"));
    RK_TRY(file->sync_data());
    RK_TRY_ASSIGN(const os::FileInfo before, file->info());
    const Result<void> punched = file->punch_hole(0, kFileBytes / 2);
    if (!punched.has_value() && punched.error().code() != ErrorCode::not_supported) {
      return punched.error();
    }
    RK_TRY_ASSIGN(const os::FileInfo after, file->info());
    const bool real = punched.has_value() && after.allocated_bytes < before.allocated_bytes;
    report_.add({real ? Level::kGood : Level::kNote, kFileSystem, "holes",
                 real ? "give space back" : "are not there",
                 real ? "" : "Space inside a file can be used again but not given back."});
    return {};
  }

  Result<void> links() {
    const Result<void> linked = files_.link(path("data"), path("linked"));
    bool counted = false;
    if (linked.has_value()) {
      RK_TRY_ASSIGN(const auto info, files_.info(path("data")));
      counted = info.has_value() && info->link_count == 2;
    }
    report_.add(
        {counted ? Level::kGood : Level::kNote, kFileSystem, "hard links",
         counted ? "work" : "are not there or not counted",
         counted ? "" : "Cheap snapshots of a stopped folder by `cp -al` are not possible."});
    return {};
  }

  os::Platform& platform_;
  os::FileSystem& files_;
  DoctorReport& report_;
  const std::string folder_;
  const std::unique_ptr<Block> block_ = std::make_unique<Block>();
};

}  // namespace

void examine_volume(os::Platform& platform, const std::string& folder, DoctorReport& report) {
  VolumeProbe(platform, folder, report).run();
}

}  // namespace rookery::cli
