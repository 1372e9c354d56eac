// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "anomaly.h"
#include "operation.h"

// Purpose. Histories of a database that exists only as a few maps: sound ones, as long as one
// likes, and ones with a fault of a known class, to see what the checker is worth.

namespace rookery::history {

enum class ModelFault : std::uint8_t {
  kNone,
  kReadsInTwoSteps,       // a read takes its documents at two moments
  kBatchesInTwoSteps,     // others see a batch before it is whole
  kOldSnapshots,          // a read now and then gets a state that is over
  kRollsBackInTheOpen,    // others see what is refused a step later
  kIgnoresExpectations,   // now and then
  kForgetsInCrashes,      // the last write before a crash
  kForgetsDeletions,      // now and then a deletion is undone, quietly
  kReusesEtags,           // now and then
  kIndexMissesDocuments,  // now and then
  kReusesNumbers,         // of identities
};

// "old-snapshots"; nothing for an unknown name.
[[nodiscard]] std::string_view model_fault_name(ModelFault fault) noexcept;
[[nodiscard]] std::optional<ModelFault> model_fault_named(std::string_view name) noexcept;

struct ModelOptions {
  std::uint64_t seed = 1;
  std::uint32_t clients = 16;
  std::uint64_t operations = 10'000;  // at least
  std::uint32_t documents = 60;
  std::uint32_t crash_one_in = 2'000;  // steps; 0: never
  ModelFault fault = ModelFault::kNone;
};

void make_model_history(const ModelOptions& options, History& into);

}  // namespace rookery::history
