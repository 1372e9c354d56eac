// SPDX-License-Identifier: Apache-2.0
#include "full_disk.h"

#include <array>
#include <utility>

#include <fmt/format.h>

namespace rookery::sim {
namespace {

constexpr std::uint64_t kReserveLeastBytes = 512ULL * 1024;
// What somebody else leaves, or gives back now and then: the smallest journal takes one of these.
constexpr std::uint64_t kCrumbBytes = 64ULL * 1024 + 4096;
constexpr std::uint64_t kTimesMax = 3;
constexpr std::uint64_t kAttemptsLeast = 5;
constexpr std::uint64_t kAttemptsMore = 60;

}  // namespace

std::string FullDiskTotals::to_string() const {
  return fmt::format(
      "{} runs with a reserve, full {} times: {} commits meanwhile; of the reserve's files {} "
      "became "
      "journals, {} were given up, {} came back; made again {} times\n"
      "{} starts with nothing free: {} could commit, {} stopped cleanly",
      runs, times_filled, commits_while_full, files_taken, files_released, files_taken_back,
      times_left, starts_at_zero, commits_at_zero, stops_at_zero);
}

std::vector<std::string_view> FullDiskTotals::never() const {
  const std::array<std::pair<std::string_view, std::uint64_t>, 10> counters{
      {{"runs with a reserve", runs},
       {"times full", times_filled},
       {"commits while full", commits_while_full},
       {"reserve files that became journals", files_taken},
       {"reserve files given up", files_released},
       {"journals that came back", files_taken_back},
       {"reserves made again", times_left},
       {"starts with nothing free", starts_at_zero},
       {"commits with nothing free", commits_at_zero},
       {"stops with nothing free", stops_at_zero}}};
  std::vector<std::string_view> names;
  for (const auto& [name, count] : counters) {
    if (count == 0) {
      names.push_back(name);
    }
  }
  return names;
}

FullDisk::FullDisk(testing::SimPlatform& machine, std::uint64_t seed, std::uint32_t commits)
    : machine_(machine), reserve_bytes_(reserve_bytes(seed)), prng_(seed) {
  for (std::uint64_t i = 1 + prng_.below(kTimesMax); i > 0; --i) {
    starts_.insert(1 + prng_.below(commits));
  }
}

std::uint64_t FullDisk::reserve_bytes(std::uint64_t seed) {
  return kReserveLeastBytes << Prng(seed + 1).below(2);
}

Result<void> FullDisk::open() {
  RK_TRY_ASSIGN(reserve_, store::SpaceReserve::open(machine_.platform(), std::string(kReservePath),
                                                    reserve_bytes_));
  return {};
}

bool FullDisk::next_attempt() {
  testing::SimFileSystem& files = machine_.files();
  ++attempts_;
  if (attempts_left_ > 0) {
    if (--attempts_left_ == 0) {
      files.set_capacity(testing::SimFileSystemOptions::kUnlimited);
    } else if (prng_.chance(8)) {
      files.set_capacity(files.used_bytes() + prng_.below(3) * kCrumbBytes);
    }
  } else if (!healed_ && starts_.contains(attempts_)) {
    attempts_left_ = kAttemptsLeast + prng_.below(kAttemptsMore);
    files.set_capacity(files.used_bytes() + prng_.below(3) * kCrumbBytes);
    ++times_filled_;
  }
  return prng_.chance(2);
}

void FullDisk::heal() {
  healed_ = true;
  attempts_left_ = 0;
  machine_.files().set_capacity(testing::SimFileSystemOptions::kUnlimited);
}

void FullDisk::add_to(FullDiskTotals& totals) const {
  ++totals.runs;
  totals.times_filled += times_filled_;
  totals.commits_while_full += commits_while_full_;
  if (reserve_ != nullptr) {
    const store::SpaceReserve::Stats stats = reserve_->stats();
    totals.files_taken += stats.files_taken;
    totals.files_released += stats.files_released;
    totals.files_taken_back += stats.files_taken_back;
    totals.times_left += stats.times_left;
  }
}

}  // namespace rookery::sim
