// SPDX-License-Identifier: Apache-2.0
#include "rookery/base/canary.h"

#include <array>
#include <atomic>
#include <cstddef>

namespace rookery {
namespace {

constexpr std::array<std::string_view, 13> kNames{
    "none",
    "answer-before-sync",
    "journal-without-directory-sync",
    "header-before-data-sync",
    "second-sync-believed",
    "flush-past-reader",
    "snapshot-without-revalidation",
    "freed-interior-page-flushed",
    "index-progress-first",
    "index-tombstone-skipped",
    "index-widening-drops-field",
    "search-seek-off-by-one",
    "search-range-end-swapped",
};

}  // namespace

#if defined(RK_SIM)
namespace {
std::atomic<Canary> current{Canary::kNone};  // the one global of a simulation build
}  // namespace

bool canary(Canary which) noexcept {
  return current.load(std::memory_order_relaxed) == which;
}

void set_canary(Canary which) noexcept {
  current.store(which, std::memory_order_relaxed);
}
#endif

std::string_view canary_name(Canary which) noexcept {
  return kNames[static_cast<std::size_t>(which)];
}

Canary canary_named(std::string_view name) noexcept {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) {
      return static_cast<Canary>(i);
    }
  }
  return Canary::kNone;
}

}  // namespace rookery
