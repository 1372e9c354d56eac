// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rookery/base/prng.h"
#include "rookery/testing/sim_file_system.h"

#include "sim_content.h"
#include "sim_tree.h"

namespace rookery::testing {

struct SimDisk::Image {
  std::map<InodeNumber, Entries> directories;
  std::map<InodeNumber, DurableContentPtr> files;
  InodeNumber next_inode = kRootInode + 1;
};

class SimMapping;

// Purpose. One inode that is not a directory. Shared: an open file outlives its last name.
struct SimInode {
  InodeNumber number = kNoInode;
  std::unique_ptr<SimContent> content;
  std::uint64_t link_count = 0;
  std::uint64_t open_handles = 0;
  const void* lock_owner = nullptr;
  bool maps_failed = false;
  // How often faulted() is still asked before the maps fail; 0: they don't.
  std::atomic<std::uint64_t> looks_before_failure{0};
  std::vector<SimMapping*> maps;
};

using SimInodePtr = std::shared_ptr<SimInode>;

// Purpose. What is decided about a call before it does anything.
struct Verdict {
  SimCall call;
  std::optional<FaultEffect> fault;
  int os_errno = 0;
  bool cut_in_middle = false;
  bool cut_after = false;
  Survival survival = Survival::kSubset;

  [[nodiscard]] bool is(FaultEffect effect) const noexcept { return fault == effect; }

  // An error in place of the call.
  [[nodiscard]] bool refuses() const noexcept {
    return is(FaultEffect::kFail) || is(FaultEffect::kFailAndForget);
  }
};

// Purpose. The machine's file system: tree, inodes, faults and the power switch.
// Threads: `mutex` guards all; it is never held across a scheduling point.
class SimFileSystem::State {
 public:
  State(const SimFileSystemOptions& options, SimDisk disk);

  // Every call begins here: counts, cuts if it is time, finds its fault, takes its time.
  // `generation`: of the handle; 0 for calls on paths.
  Result<Verdict> enter(CallKind kind, std::string_view path, std::uint64_t generation,
                        os::Duration time);
  // Between two sectors, or before a sync has arrived. Errors: the machine has died meanwhile.
  Result<void> middle(const Verdict& verdict, std::uint64_t generation);
  // Every mutating call ends here, with what it would return.
  Result<void> leave(const Verdict& verdict, std::uint64_t generation);

  // Of the rest: `mutex` is held.
  void cut(Survival survival);
  void switch_on(const SimDisk::Image& image);
  [[nodiscard]] SimDisk::Image survivors(Survival survival, Prng& prng) const;

  struct Place {
    InodeNumber directory = kNoInode;  // kNoInode: the path is the root
    std::string name;
    InodeNumber inode = kNoInode;  // kNoInode: nothing has that name
  };

  Result<Place> find(std::string_view call, std::string_view path) const;
  SimInodePtr file(InodeNumber inode) const;
  // Requires: there is one at that path.
  SimInodePtr existing_file(std::string_view call, std::string_view path) const;
  SimInodePtr create_file();
  void forget_if_unused(InodeNumber inode);
  [[nodiscard]] os::FileInfo info_of(InodeNumber inode) const;
  // Gives blocks for [offset, end), or as many of its first bytes as there is space for. Returns
  // the end of what was given.
  std::uint64_t take_space(SimContent& content, std::uint64_t offset, std::uint64_t end);

  void give_space(std::uint64_t blocks) { used_bytes -= blocks * kBlock; }

  [[nodiscard]] bool alive(std::uint64_t of_generation) const {
    return !dead && (of_generation == 0 || of_generation == generation);
  }

  mutable std::mutex mutex;
  const SimFileSystemOptions options;
  Prng prng;
  std::uint64_t capacity_bytes;
  std::uint64_t used_bytes = 0;
  std::uint64_t generation = 1;  // of handles; a reopen begins a new one
  bool dead = false;
  SimDisk::Image survived;  // meaningful while dead

  SimTree tree;
  std::map<InodeNumber, SimInodePtr> files;
  InodeNumber next_inode = kRootInode + 1;

  std::optional<CutPlan> plan;
  Observer observer;

  struct Rule {
    std::uint64_t number = 0;
    FaultRule rule;
    std::uint64_t seen = 0;
    std::uint64_t hits = 0;
  };

  std::vector<Rule> rules;
  std::map<std::uint64_t, std::uint64_t> hits_of_removed;
  std::uint64_t next_rule = 1;

  std::uint64_t calls = 0;
  std::uint64_t mutations = 0;
  std::array<std::uint64_t, kCallKinds> calls_by_kind{};

 private:
  void judge(Verdict& verdict, os::Duration& time);
};

// A scheduling point, if this runs in a fiber.
void sim_yield(const char* what);
// In a fiber: takes that time. Elsewhere: nothing.
void sim_take_time(os::Duration time);

// The open file of `inode`. Counts it as a handle.
std::unique_ptr<os::File> make_sim_file(SimFileSystem::State& state, std::string path,
                                        SimInodePtr inode, const os::OpenOptions& options);
// Makes the maps of the file read as zeros. Requires: the mutex is held.
void fail_maps_of(SimInode& inode);

}  // namespace rookery::testing
