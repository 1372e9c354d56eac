// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "rookery/base/prng.h"
#include "rookery/testing/sim_file_system.h"

namespace rookery::testing {

using InodeNumber = std::uint64_t;
inline constexpr InodeNumber kNoInode = 0;
inline constexpr InodeNumber kRootInode = 1;

using Entries = std::map<std::string, InodeNumber, std::less<>>;

// Purpose. The names: what each directory shows, what of it is durable, and the changes between.
// Threads: one at a time (the file system's lock).
class SimTree {
 public:
  struct Change {
    InodeNumber directory = kNoInode;
    std::string name;
    InodeNumber inode = kNoInode;  // kNoInode: the name goes
  };

  void add_directory(InodeNumber directory) { visible_[directory]; }

  // For a disk that is switched on: all of it is durable.
  void set_durable(InodeNumber directory, Entries entries);

  [[nodiscard]] bool is_directory(InodeNumber inode) const { return visible_.count(inode) != 0; }

  // Requires: is_directory().
  [[nodiscard]] const Entries& entries(InodeNumber directory) const;

  // One atomic operation on names: visible at once, durable after a sync of every directory in it.
  void apply(std::vector<Change> changes);
  void sync(InodeNumber directory);
  // A sync that is cut: some of the changes in that directory have arrived.
  void sync_some(InodeNumber directory, Prng& prng);

  // True if a cut could still bring it back.
  [[nodiscard]] bool may_survive(InodeNumber inode) const;
  [[nodiscard]] std::map<InodeNumber, Entries> survivors(Survival survival, Prng& prng) const;

 private:
  struct Operation {
    std::vector<Change> changes;
    std::set<InodeNumber> unsynced;
  };

  using Name = std::pair<InodeNumber, std::string>;

  void settle(const std::vector<bool>& chosen);
  static void put(std::map<InodeNumber, Entries>& tree, const Operation& operation);

  std::map<InodeNumber, Entries> visible_;
  std::map<InodeNumber, Entries> durable_;
  std::vector<Operation> pending_;  // oldest first
};

}  // namespace rookery::testing
