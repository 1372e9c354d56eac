// SPDX-License-Identifier: Apache-2.0
#include "rookery/testing/sim_file_system.h"

#include <algorithm>
#include <utility>

#include "rookery/base/check.h"
#include "rookery/os/os_error.h"

#include "sim_state.h"

namespace rookery::testing {
namespace {

constexpr std::array<std::string_view, kCallKinds> kCallNames{
    "open",  "read",  "info",           "lock",  "map",      "list",   "space", "create",
    "write", "sync",  "allocate",       "punch", "truncate", "rename", "link",  "remove",
    "mkdir", "rmdir", "sync directory",
};

using State = SimFileSystem::State;
using Place = State::Place;

Error refusal(CallKind kind, std::string_view path, int os_errno) {
  return os::os_error(call_name(kind), path, os_errno);
}

// Every mutating call on paths: judged, then `body` under the lock, then its end. A cut in the
// middle finds it made but not durable.
template <typename Body>
Result<void> mutate(State& state, CallKind kind, std::string_view path, Body body) {
  RK_TRY_ASSIGN(const Verdict verdict, state.enter(kind, path, 0, state.options.write_time));
  if (verdict.refuses()) {
    return refusal(kind, path, verdict.os_errno);
  }
  Result<void> result;
  {
    const std::lock_guard<std::mutex> lock(state.mutex);
    result = body(verdict);
  }
  RK_TRY(state.leave(verdict, 0));
  return result;
}

void count_link(State& state, InodeNumber inode, bool added) {
  const SimInodePtr file = state.file(inode);
  if (file == nullptr) {
    return;  // a directory
  }
  if (added) {
    ++file->link_count;
    return;
  }
  --file->link_count;
  if (file->link_count == 0 && file->open_handles == 0) {
    state.give_space(file->content->allocated_blocks());
  }
}

Result<void> check_rename(State& state, const Place& from, const Place& to, std::string_view source,
                          std::string_view target) {
  if (from.inode == kNoInode) {
    return refusal(CallKind::kRename, source, ENOENT);
  }
  if (from.directory == kNoInode || to.directory == kNoInode) {
    return refusal(CallKind::kRename, source, EBUSY);
  }
  const bool is_directory = state.tree.is_directory(from.inode);
  if (is_directory) {
    // Into itself: some directory on the way to the target is the source.
    for (std::string at(target); at != "/" && at != "." && !at.empty(); at = os::parent_path(at)) {
      const Result<Place> above = state.find("rename", os::parent_path(at));
      if (above.has_value() && above->inode == from.inode) {
        return refusal(CallKind::kRename, source, EINVAL);
      }
    }
  }
  if (to.inode != kNoInode && to.inode != from.inode) {
    const bool onto_directory = state.tree.is_directory(to.inode);
    if (onto_directory != is_directory) {
      return refusal(CallKind::kRename, target, onto_directory ? EISDIR : ENOTDIR);
    }
    if (onto_directory && !state.tree.entries(to.inode).empty()) {
      return refusal(CallKind::kRename, target, ENOTEMPTY);
    }
  }
  return {};
}

}  // namespace

std::string_view call_name(CallKind kind) noexcept {
  return kCallNames[static_cast<std::size_t>(kind)];
}

SimFileSystem::SimFileSystem(const SimFileSystemOptions& options, SimDisk disk)
    : state_(std::make_unique<State>(options, std::move(disk))) {}

SimFileSystem::~SimFileSystem() = default;

// --- power -------------------------------------------------------------------------------------

void SimFileSystem::power_cut(Survival survival) {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  state_->cut(survival);
}

void SimFileSystem::arm_cut(const CutPlan& plan) {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  RK_CHECK(plan.at_mutation > state_->mutations);
  state_->plan = plan;
}

void SimFileSystem::reopen() {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  RK_CHECK(state_->dead);
  state_->switch_on(state_->survived);
}

bool SimFileSystem::is_dead() const {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->dead;
}

SimDisk SimFileSystem::cut_copy(Survival survival, std::uint64_t seed) const {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  Prng prng(seed);
  SimDisk disk;
  disk.image_ = std::make_shared<const SimDisk::Image>(
      state_->dead ? state_->survived : state_->survivors(survival, prng));
  return disk;
}

void SimFileSystem::set_observer(Observer observer) {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  state_->observer = std::move(observer);
}

// --- faults ------------------------------------------------------------------------------------

std::uint64_t SimFileSystem::add_fault(FaultRule rule) {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  const std::uint64_t number = state_->next_rule++;
  state_->rules.push_back({.number = number, .rule = std::move(rule)});
  return number;
}

void SimFileSystem::remove_fault(std::uint64_t number) {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  std::erase_if(state_->rules, [&](const State::Rule& rule) {
    if (rule.number == number) {
      state_->hits_of_removed[number] = rule.hits;
    }
    return rule.number == number;
  });
}

void SimFileSystem::clear_faults() {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  for (const State::Rule& rule : state_->rules) {
    state_->hits_of_removed[rule.number] = rule.hits;
  }
  state_->rules.clear();
}

std::uint64_t SimFileSystem::fault_hits(std::uint64_t number) const {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  for (const State::Rule& rule : state_->rules) {
    if (rule.number == number) {
      return rule.hits;
    }
  }
  const auto removed = state_->hits_of_removed.find(number);
  RK_CHECK(removed != state_->hits_of_removed.end());
  return removed->second;
}

void SimFileSystem::set_capacity(std::uint64_t capacity_bytes) {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  state_->capacity_bytes = capacity_bytes;
}

std::uint64_t SimFileSystem::used_bytes() const {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->used_bytes;
}

void SimFileSystem::drop_caches() {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  for (const auto& [number, inode] : state_->files) {
    inode->content->drop_lost();
  }
}

void SimFileSystem::flip_bits(std::string_view path, std::uint64_t offset, std::uint8_t mask) {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  const SimInodePtr inode = state_->existing_file("flip bits", path);
  RK_CHECK(inode->content->load(path).has_value());
  inode->content->flip_bits(offset, mask);
}

void SimFileSystem::fail_maps(std::string_view path) {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  fail_maps_of(*state_->existing_file("fail maps", path));
}

void SimFileSystem::fail_maps_after(std::string_view path, std::uint64_t looks) {
  RK_CHECK(looks > 0);
  const std::lock_guard<std::mutex> lock(state_->mutex);
  state_->existing_file("fail maps", path)->looks_before_failure.store(looks);
}

void SimFileSystem::mend_maps(std::string_view path) {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  const SimInodePtr inode = state_->existing_file("mend maps", path);
  inode->looks_before_failure.store(0);
  inode->maps_failed = false;
}

// --- counts ------------------------------------------------------------------------------------

std::uint64_t SimFileSystem::calls() const {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->calls;
}

std::uint64_t SimFileSystem::mutations() const {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->mutations;
}

std::uint64_t SimFileSystem::calls_of(CallKind kind) const {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->calls_by_kind[static_cast<std::size_t>(kind)];
}

// --- os::FileSystem ----------------------------------------------------------------------------

Result<std::unique_ptr<os::File>> SimFileSystem::open(std::string_view path,
                                                      const os::OpenOptions& options) {
  CallKind kind = CallKind::kOpen;
  {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    const Result<Place> place = state_->find("open", path);
    if (place.has_value() && place->inode == kNoInode &&
        options.creation != os::Creation::kOpenExisting) {
      kind = CallKind::kCreate;
    }
  }
  RK_TRY_ASSIGN(const Verdict verdict, state_->enter(kind, path, 0, os::Duration::zero()));
  if (verdict.refuses()) {
    return refusal(kind, path, verdict.os_errno);
  }
  SimInodePtr inode;
  {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    RK_TRY_ASSIGN(const Place place, state_->find("open", path));
    if (place.inode == kNoInode) {
      if (options.creation == os::Creation::kOpenExisting) {
        return refusal(kind, path, ENOENT);
      }
      inode = state_->create_file();
      inode->link_count = 1;
      state_->tree.apply(
          {{.directory = place.directory, .name = place.name, .inode = inode->number}});
    } else if (options.creation == os::Creation::kCreateNew) {
      return refusal(kind, path, EEXIST);
    } else if (state_->tree.is_directory(place.inode)) {
      return refusal(kind, path, EISDIR);
    } else {
      inode = state_->file(place.inode);
    }
    RK_TRY(inode->content->load(path));
  }
  if (is_mutating(kind)) {
    RK_TRY(state_->leave(verdict, 0));
  }
  const std::lock_guard<std::mutex> lock(state_->mutex);
  return make_sim_file(*state_, std::string(path), inode, options);
}

Result<void> SimFileSystem::rename(std::string_view source, std::string_view target) {
  return mutate(*state_, CallKind::kRename, source, [&](const Verdict&) -> Result<void> {
    RK_TRY_ASSIGN(const Place from, state_->find("rename", source));
    RK_TRY_ASSIGN(const Place to, state_->find("rename", target));
    RK_TRY(check_rename(*state_, from, to, source, target));
    if (to.inode == from.inode) {
      return {};  // two names of one file: nothing to do, as POSIX has it
    }
    state_->tree.apply({{.directory = from.directory, .name = from.name, .inode = kNoInode},
                        {.directory = to.directory, .name = to.name, .inode = from.inode}});
    if (to.inode != kNoInode) {
      count_link(*state_, to.inode, false);
    }
    return {};
  });
}

Result<void> SimFileSystem::link(std::string_view source, std::string_view target) {
  return mutate(*state_, CallKind::kLink, target, [&](const Verdict&) -> Result<void> {
    RK_TRY_ASSIGN(const Place from, state_->find("link", source));
    RK_TRY_ASSIGN(const Place to, state_->find("link", target));
    if (from.inode == kNoInode) {
      return refusal(CallKind::kLink, source, ENOENT);
    }
    if (state_->tree.is_directory(from.inode)) {
      return refusal(CallKind::kLink, source, EPERM);
    }
    if (to.inode != kNoInode) {
      return refusal(CallKind::kLink, target, EEXIST);
    }
    state_->tree.apply({{.directory = to.directory, .name = to.name, .inode = from.inode}});
    count_link(*state_, from.inode, true);
    return {};
  });
}

Result<void> SimFileSystem::remove_file(std::string_view path) {
  return mutate(*state_, CallKind::kRemove, path, [&](const Verdict&) -> Result<void> {
    RK_TRY_ASSIGN(const Place place, state_->find("remove", path));
    if (place.inode == kNoInode) {
      return refusal(CallKind::kRemove, path, ENOENT);
    }
    if (state_->tree.is_directory(place.inode)) {
      return refusal(CallKind::kRemove, path, EISDIR);
    }
    state_->tree.apply({{.directory = place.directory, .name = place.name, .inode = kNoInode}});
    count_link(*state_, place.inode, false);
    return {};
  });
}

Result<void> SimFileSystem::create_directory(std::string_view path) {
  return mutate(*state_, CallKind::kMakeDirectory, path, [&](const Verdict&) -> Result<void> {
    RK_TRY_ASSIGN(const Place place, state_->find("mkdir", path));
    if (place.inode != kNoInode) {
      return refusal(CallKind::kMakeDirectory, path, EEXIST);
    }
    const InodeNumber directory = state_->next_inode++;
    state_->tree.add_directory(directory);
    state_->tree.apply({{.directory = place.directory, .name = place.name, .inode = directory}});
    return {};
  });
}

Result<void> SimFileSystem::remove_directory(std::string_view path) {
  return mutate(*state_, CallKind::kRemoveDirectory, path, [&](const Verdict&) -> Result<void> {
    RK_TRY_ASSIGN(const Place place, state_->find("rmdir", path));
    if (place.inode == kNoInode) {
      return refusal(CallKind::kRemoveDirectory, path, ENOENT);
    }
    if (!state_->tree.is_directory(place.inode)) {
      return refusal(CallKind::kRemoveDirectory, path, ENOTDIR);
    }
    if (place.directory == kNoInode || !state_->tree.entries(place.inode).empty()) {
      return refusal(CallKind::kRemoveDirectory, path,
                     place.directory == kNoInode ? EBUSY : ENOTEMPTY);
    }
    state_->tree.apply({{.directory = place.directory, .name = place.name, .inode = kNoInode}});
    return {};
  });
}

Result<void> SimFileSystem::sync_directory(std::string_view path) {
  return mutate(*state_, CallKind::kSyncDirectory, path, [&](const Verdict& v) -> Result<void> {
    RK_TRY_ASSIGN(const Place place, state_->find("sync directory", path));
    if (place.inode == kNoInode || !state_->tree.is_directory(place.inode)) {
      return refusal(CallKind::kSyncDirectory, path, place.inode == kNoInode ? ENOENT : ENOTDIR);
    }
    if (v.cut_in_middle || v.is(FaultEffect::kFailPartly)) {
      state_->tree.sync_some(place.inode, state_->prng);
      return {};
    }
    state_->tree.sync(place.inode);
    std::vector<InodeNumber> unused;
    for (const auto& [number, inode] : state_->files) {
      if (inode->link_count == 0 && inode->open_handles == 0) {
        unused.push_back(number);
      }
    }
    for (const InodeNumber number : unused) {
      state_->forget_if_unused(number);
    }
    return {};
  });
}

Result<std::vector<std::string>> SimFileSystem::list(std::string_view path) {
  RK_TRY_ASSIGN(const Verdict verdict,
                state_->enter(CallKind::kList, path, 0, os::Duration::zero()));
  if (verdict.refuses()) {
    return refusal(CallKind::kList, path, verdict.os_errno);
  }
  const std::lock_guard<std::mutex> lock(state_->mutex);
  RK_TRY_ASSIGN(const Place place, state_->find("list", path));
  if (place.inode == kNoInode || !state_->tree.is_directory(place.inode)) {
    return refusal(CallKind::kList, path, place.inode == kNoInode ? ENOENT : ENOTDIR);
  }
  std::vector<std::string> names;
  for (const auto& [name, inode] : state_->tree.entries(place.inode)) {
    names.push_back(name);
  }
  return names;
}

Result<std::optional<os::FileInfo>> SimFileSystem::info(std::string_view path) {
  RK_TRY_ASSIGN(const Verdict verdict,
                state_->enter(CallKind::kInfo, path, 0, os::Duration::zero()));
  if (verdict.refuses()) {
    return refusal(CallKind::kInfo, path, verdict.os_errno);
  }
  const std::lock_guard<std::mutex> lock(state_->mutex);
  const Result<Place> place = state_->find("info", path);
  if (!place.has_value() && place.error().code() != ErrorCode::not_found) {
    return place.error();
  }
  if (!place.has_value() || place->inode == kNoInode) {
    return std::optional<os::FileInfo>();
  }
  return std::optional(state_->info_of(place->inode));
}

Result<os::SpaceInfo> SimFileSystem::space(std::string_view path) {
  RK_TRY_ASSIGN(const Verdict verdict,
                state_->enter(CallKind::kSpace, path, 0, os::Duration::zero()));
  if (verdict.refuses()) {
    return refusal(CallKind::kSpace, path, verdict.os_errno);
  }
  const std::lock_guard<std::mutex> lock(state_->mutex);
  const std::uint64_t total = state_->capacity_bytes;
  const std::uint64_t used = state_->used_bytes;
  return os::SpaceInfo{.total_bytes = total, .available_bytes = used < total ? total - used : 0};
}

}  // namespace rookery::testing
