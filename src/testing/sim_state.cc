// SPDX-License-Identifier: Apache-2.0
#include "sim_state.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "rookery/base/check.h"
#include "rookery/os/os_error.h"
#include "rookery/os/scheduler_hook.h"

namespace rookery::testing {
namespace {

constexpr std::uint64_t kDevice = 0x73696D;  // "sim"

std::vector<std::string> split(std::string_view path) {
  std::vector<std::string> names;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view name = path.substr(0, slash);
    path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
    if (name == "..") {
      if (!names.empty()) {
        names.pop_back();
      }
    } else if (!name.empty() && name != ".") {
      names.emplace_back(name);
    }
  }
  return names;
}

Error machine_is_dead(const SimCall& call) {
  return os::os_error(std::string(call_name(call.kind)) + " on a dead machine", call.path, EIO);
}

}  // namespace

void sim_yield(const char* what) {
  if (os::SchedulerHook* hook = os::SchedulerHook::current(); hook != nullptr) {
    hook->yield(what);
  }
}

void sim_take_time(os::Duration time) {
  os::SchedulerHook* hook = os::SchedulerHook::current();
  if (hook != nullptr && time > os::Duration::zero()) {
    const char nobody_wakes_this = 0;
    hook->wait_on({.address = &nobody_wakes_this, .what = "the disk"}, time);
  }
}

SimFileSystem::State::State(const SimFileSystemOptions& given, SimDisk disk)
    : options(given), prng(given.seed), capacity_bytes(given.capacity_bytes) {
  switch_on(disk.image_ != nullptr ? *disk.image_ : SimDisk::Image());
}

void SimFileSystem::State::switch_on(const SimDisk::Image& image) {
  tree = SimTree();
  files.clear();
  used_bytes = 0;
  next_inode = image.next_inode;
  tree.add_directory(kRootInode);
  for (const auto& [directory, entries] : image.directories) {
    tree.set_durable(directory, entries);
  }
  for (const auto& [number, content] : image.files) {
    auto inode = std::make_shared<SimInode>();
    inode->number = number;
    inode->content = std::make_unique<SimContent>(content);
    used_bytes += inode->content->allocated_blocks() * kBlock;
    files.emplace(number, std::move(inode));
  }
  for (const auto& [directory, entries] : image.directories) {
    for (const auto& [name, target] : entries) {
      if (const SimInodePtr inode = file(target); inode != nullptr) {
        ++inode->link_count;
      }
    }
  }
  dead = false;
}

// Only what can be reached from the root is on the disk.
SimDisk::Image SimFileSystem::State::survivors(Survival survival, Prng& random) const {
  const std::map<InodeNumber, Entries> directories = tree.survivors(survival, random);
  SimDisk::Image image;
  image.next_inode = next_inode;
  std::vector<InodeNumber> found{kRootInode};
  for (std::size_t i = 0; i < found.size(); ++i) {
    const InodeNumber number = found[i];
    if (image.directories.count(number) != 0 || image.files.count(number) != 0) {
      continue;  // another name of the same file
    }
    if (const SimInodePtr inode = file(number); inode != nullptr) {
      image.files.emplace(number, inode->content->survivors(survival, random));
      continue;
    }
    const auto entries = directories.find(number);
    Entries& kept = image.directories[number];
    if (entries != directories.end()) {
      kept = entries->second;
    }
    for (const auto& [name, target] : kept) {
      found.push_back(target);
    }
  }
  return image;
}

void SimFileSystem::State::cut(Survival survival) {
  RK_CHECK(!dead);
  survived = survivors(survival, prng);
  dead = true;
  ++generation;
  plan.reset();
  for (const auto& [number, inode] : files) {
    inode->lock_owner = nullptr;
  }
}

void SimFileSystem::State::judge(Verdict& verdict, os::Duration& time) {
  const SimCall& call = verdict.call;
  for (Rule& candidate : rules) {
    const FaultRule& rule = candidate.rule;
    if ((rule.kind.has_value() && *rule.kind != call.kind) ||
        (rule.mutating_only && !is_mutating(call.kind)) ||
        call.path.find(rule.path_contains) == std::string::npos) {
      continue;
    }
    ++candidate.seen;
    if (candidate.seen <= rule.skip || candidate.hits >= rule.times) {
      continue;
    }
    ++candidate.hits;
    // Of a call that changes nothing there is nothing that could persist.
    const bool only_slow = rule.effect == FaultEffect::kOnlyDelay;
    verdict.fault = is_mutating(call.kind) || only_slow ? rule.effect : FaultEffect::kFail;
    verdict.os_errno = rule.os_errno;
    time += rule.delay;
    return;
  }
}

Result<Verdict> SimFileSystem::State::enter(CallKind kind, std::string_view path,
                                            std::uint64_t of_generation, os::Duration time) {
  sim_yield(call_name(kind).data());
  Verdict verdict;
  verdict.call = {.kind = kind, .path = std::string(path)};
  Observer watch;
  {
    const std::lock_guard<std::mutex> lock(mutex);
    verdict.call.number = ++calls;
    ++calls_by_kind[static_cast<std::size_t>(kind)];
    if (is_mutating(kind)) {
      verdict.call.mutation = ++mutations;
      watch = observer;
    }
    if (!alive(of_generation)) {
      return machine_is_dead(verdict.call);
    }
    if (plan.has_value() && is_mutating(kind) && plan->at_mutation == verdict.call.mutation) {
      verdict.survival = plan->survival;
      verdict.cut_in_middle = plan->phase == CutPhase::kMiddle;
      verdict.cut_after = plan->phase == CutPhase::kAfter;
      if (plan->phase == CutPhase::kBefore) {
        cut(plan->survival);
        return machine_is_dead(verdict.call);
      }
    }
    time = os::Duration(
        static_cast<std::int64_t>(prng.below(2 * static_cast<std::uint64_t>(time.count()) + 1)));
    judge(verdict, time);
  }
  if (watch) {
    watch(verdict.call, CutPhase::kBefore);
  }
  sim_take_time(time);
  const std::lock_guard<std::mutex> lock(mutex);
  if (!alive(of_generation)) {
    return machine_is_dead(verdict.call);
  }
  return verdict;
}

Result<void> SimFileSystem::State::middle(const Verdict& verdict, std::uint64_t of_generation) {
  Observer watch;
  {
    const std::lock_guard<std::mutex> lock(mutex);
    if (!alive(of_generation)) {
      return machine_is_dead(verdict.call);
    }
    watch = observer;
  }
  if (watch) {
    watch(verdict.call, CutPhase::kMiddle);
  }
  return {};
}

Result<void> SimFileSystem::State::leave(const Verdict& verdict, std::uint64_t of_generation) {
  Observer watch;
  {
    const std::lock_guard<std::mutex> lock(mutex);
    if (!alive(of_generation)) {
      return machine_is_dead(verdict.call);
    }
    if (verdict.cut_after || verdict.cut_in_middle) {
      cut(verdict.survival);
      return machine_is_dead(verdict.call);
    }
    watch = observer;
  }
  if (watch) {
    watch(verdict.call, CutPhase::kAfter);
  }
  if (verdict.is(FaultEffect::kFailButPersist) || verdict.is(FaultEffect::kFailPartly)) {
    return os::os_error(call_name(verdict.call.kind), verdict.call.path, verdict.os_errno);
  }
  return {};
}

Result<SimFileSystem::State::Place> SimFileSystem::State::find(std::string_view call,
                                                               std::string_view path) const {
  std::vector<std::string> names = split(path);
  if (names.empty()) {
    return Place{.directory = kNoInode, .name = "", .inode = kRootInode};
  }
  InodeNumber at = kRootInode;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!tree.is_directory(at)) {
      return os::os_error(call, path, ENOTDIR);
    }
    const Entries& entries = tree.entries(at);
    const auto found = entries.find(names[i]);
    const InodeNumber target = found == entries.end() ? kNoInode : found->second;
    if (i + 1 == names.size()) {
      return Place{.directory = at, .name = std::move(names[i]), .inode = target};
    }
    if (target == kNoInode) {
      return os::os_error(call, path, ENOENT);
    }
    at = target;
  }
  return os::os_error(call, path, ENOENT);
}

SimInodePtr SimFileSystem::State::file(InodeNumber inode) const {
  const auto found = files.find(inode);
  return found == files.end() ? nullptr : found->second;
}

SimInodePtr SimFileSystem::State::existing_file(std::string_view call,
                                                std::string_view path) const {
  const Result<Place> place = find(call, path);
  RK_CHECK(place.has_value());
  SimInodePtr inode = file(place->inode);
  RK_CHECK(inode != nullptr);
  return inode;
}

SimInodePtr SimFileSystem::State::create_file() {
  auto inode = std::make_shared<SimInode>();
  inode->number = next_inode++;
  inode->content = std::make_unique<SimContent>(std::make_shared<DurableContent>());
  files.emplace(inode->number, inode);
  return inode;
}

// A file with neither name nor handle gives its space back at once; its bytes stay as long as a cut
// could bring a name of it back.
void SimFileSystem::State::forget_if_unused(InodeNumber number) {
  const SimInodePtr inode = file(number);
  if (inode != nullptr && inode->link_count == 0 && inode->open_handles == 0 &&
      !tree.may_survive(number)) {
    files.erase(number);
  }
}

os::FileInfo SimFileSystem::State::info_of(InodeNumber number) const {
  const SimInodePtr inode = file(number);
  if (inode == nullptr) {
    return {.size_bytes = 0,
            .allocated_bytes = 0,
            .link_count = 2,
            .inode = number,
            .device = kDevice,
            .is_directory = true};
  }
  return {.size_bytes = inode->content->size_bytes(),
          .allocated_bytes = inode->content->allocated_blocks() * kBlock,
          .link_count = inode->link_count,
          .inode = number,
          .device = kDevice,
          .is_directory = false};
}

std::uint64_t SimFileSystem::State::take_space(SimContent& content, std::uint64_t offset,
                                               std::uint64_t end) {
  const std::uint64_t free = capacity_bytes > used_bytes ? capacity_bytes - used_bytes : 0;
  std::uint64_t given = end;
  if (content.missing_blocks(offset, end) * kBlock > free) {
    given = offset;
    while (given < end) {
      const std::uint64_t next = std::min(end, (given / kBlock + 1) * kBlock);
      if (content.missing_blocks(offset, next) * kBlock > free) {
        break;
      }
      given = next;
    }
  }
  if (given > offset) {
    used_bytes += content.missing_blocks(offset, given) * kBlock;
    content.allocate_blocks(offset, given);
  }
  return given;
}

}  // namespace rookery::testing
