// SPDX-License-Identifier: Apache-2.0
#include "fault_plan.h"

#include <array>
#include <cerrno>
#include <utility>

#include <fmt/format.h>

#include "rookery/base/prng.h"

#include "full_disk.h"

namespace rookery::sim {
namespace {

using testing::CallKind;
using testing::FaultEffect;
using testing::FaultRule;

std::uint64_t add(testing::SimFileSystem& files, const FaultPlan& plan, FaultRule rule) {
  if (plan.trace) {
    fmt::print("fault: {} of '{}' after {}, {} times, effect {}, errno {}\n",
               testing::call_name(rule.kind.value_or(CallKind::kOpen)), rule.path_contains,
               rule.skip, rule.times, static_cast<int>(rule.effect), rule.os_errno);
  }
  return files.add_fault(std::move(rule));
}

}  // namespace

std::vector<std::uint64_t> plan_forgetful_sync(testing::SimFileSystem& files,
                                               const FaultPlan& plan) {
  Prng prng(plan.seed + 2);
  return {add(files, plan,
              {.kind = CallKind::kSync,
               .path_contains = "data.rks",
               .skip = prng.below(6),
               .effect = FaultEffect::kFailAndForget})};
}

std::vector<std::uint64_t> plan_faults(testing::SimFileSystem& files, const FaultPlan& plan) {
  Prng prng(plan.seed + 2);
  std::vector<std::uint64_t> numbers;
  const std::uint64_t count = 1 + prng.below(3);
  for (std::uint64_t i = 0; i < count; ++i) {
    FaultRule rule;
    rule.os_errno = prng.chance(2) ? EIO : ENOSPC;
    rule.times = 1 + prng.below(2);
    switch (prng.below(7)) {
      case 0:
        rule.kind = CallKind::kWrite;
        rule.path_contains = ".journal";
        rule.skip = prng.below(plan.commits / 2 + 1);
        rule.effect = std::array{FaultEffect::kFail, FaultEffect::kFailPartly,
                                 FaultEffect::kFailButPersist}[prng.below(3)];
        break;
      case 1:
        rule.kind = CallKind::kSync;
        rule.path_contains = "data.rks";
        rule.skip = prng.below(8);
        rule.effect = prng.chance(2) ? FaultEffect::kFail : FaultEffect::kFailAndForget;
        break;
      case 2:
        rule.kind = CallKind::kWrite;
        rule.path_contains = "data.rks";
        rule.skip = prng.below(20);
        rule.effect = prng.chance(2) ? FaultEffect::kFail : FaultEffect::kFailPartly;
        break;
      case 3:
        rule.kind = prng.chance(2) ? CallKind::kWrite : CallKind::kSync;
        rule.path_contains = "header.";
        rule.skip = 4 + prng.below(10);
        break;
      case 4:
        rule.kind = CallKind::kCreate;
        rule.path_contains = "ournal";
        rule.skip = 1 + prng.below(4);
        break;
      case 5:
        rule.kind = prng.chance(2) ? CallKind::kSyncDirectory : CallKind::kRename;
        rule.path_contains = "ournal";
        rule.skip = 1 + prng.below(4);
        break;
      default:
        rule.kind = CallKind::kAllocate;
        rule.skip = 2 + prng.below(6);
        rule.os_errno = ENOSPC;
        rule.times = 1 + prng.below(4);
        break;
    }
    numbers.push_back(add(files, plan, std::move(rule)));
  }
  return numbers;
}

std::vector<std::uint64_t> plan_reserve_faults(testing::SimFileSystem& files,
                                               const FaultPlan& plan) {
  Prng prng(plan.seed + 4);
  FaultRule rule;
  rule.path_contains = FullDisk::kReservePath;
  rule.times = 1 + prng.below(2);
  rule.os_errno = prng.chance(2) ? EIO : ENOSPC;
  switch (prng.below(6)) {
    case 0:  // while it is made, or made again
      rule.kind = std::array{CallKind::kCreate, CallKind::kAllocate, CallKind::kWrite,
                             CallKind::kSync}[prng.below(4)];
      rule.skip = prng.below(12);
      break;
    case 1:
      rule.kind = CallKind::kRename;
      break;
    case 2:
      rule.kind = CallKind::kRemove;
      break;
    case 3:
    case 4:
      rule.kind = CallKind::kAllocate;
      rule.path_contains = prng.chance(2) ? "spare-" : "data.rks";
      rule.skip = 1 + prng.below(4);
      rule.times = 2;  // of the size wished for, and of the smallest
      rule.os_errno = ENOSPC;
      break;
    default:
      return {};
  }
  return {add(files, plan, std::move(rule))};
}

}  // namespace rookery::sim
