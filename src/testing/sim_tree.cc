// SPDX-License-Identifier: Apache-2.0
#include "sim_tree.h"

#include <algorithm>

#include "rookery/base/check.h"

namespace rookery::testing {

void SimTree::set_durable(InodeNumber directory, Entries entries) {
  visible_[directory] = entries;
  durable_[directory] = std::move(entries);
}

const Entries& SimTree::entries(InodeNumber directory) const {
  const auto found = visible_.find(directory);
  RK_CHECK(found != visible_.end());
  return found->second;
}

void SimTree::put(std::map<InodeNumber, Entries>& tree, const Operation& operation) {
  for (const Change& change : operation.changes) {
    if (change.inode == kNoInode) {
      tree[change.directory].erase(change.name);
    } else {
      tree[change.directory][change.name] = change.inode;
    }
  }
}

void SimTree::apply(std::vector<Change> changes) {
  Operation operation;
  for (const Change& change : changes) {
    operation.unsynced.insert(change.directory);
  }
  operation.changes = std::move(changes);
  put(visible_, operation);
  pending_.push_back(std::move(operation));
}

// Makes the chosen operations durable, and with them every earlier one that shares a name with one
// of them: a directory cannot hold the later state of a name without having held the earlier.
void SimTree::settle(const std::vector<bool>& chosen) {
  std::set<Name> wanted;
  std::vector<bool> settled = chosen;
  for (std::size_t i = pending_.size(); i-- > 0;) {
    const std::vector<Change>& changes = pending_[i].changes;
    settled[i] = settled[i] || std::any_of(changes.begin(), changes.end(), [&](const Change& c) {
                   return wanted.count(Name(c.directory, c.name)) != 0;
                 });
    if (settled[i]) {
      for (const Change& change : changes) {
        wanted.emplace(change.directory, change.name);
      }
    }
  }
  std::vector<Operation> left;
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    if (settled[i]) {
      put(durable_, pending_[i]);
    } else {
      left.push_back(std::move(pending_[i]));
    }
  }
  pending_ = std::move(left);
}

void SimTree::sync(InodeNumber directory) {
  std::vector<bool> chosen;
  for (Operation& operation : pending_) {
    operation.unsynced.erase(directory);
    chosen.push_back(operation.unsynced.empty());
  }
  settle(chosen);
}

void SimTree::sync_some(InodeNumber directory, Prng& prng) {
  std::vector<bool> chosen;
  for (const Operation& operation : pending_) {
    chosen.push_back(operation.unsynced.count(directory) != 0 && prng.chance(2));
  }
  settle(chosen);
}

bool SimTree::may_survive(InodeNumber inode) const {
  for (const auto& [directory, entries] : durable_) {
    for (const auto& [name, target] : entries) {
      if (target == inode) {
        return true;
      }
    }
  }
  for (const Operation& operation : pending_) {
    for (const Change& change : operation.changes) {
      if (change.inode == inode) {
        return true;
      }
    }
  }
  return false;
}

std::map<InodeNumber, Entries> SimTree::survivors(Survival survival, Prng& prng) const {
  std::map<InodeNumber, Entries> result = durable_;
  if (survival == Survival::kSubset && prng.chance(4)) {
    survival = prng.chance(2) ? Survival::kNothing : Survival::kEverything;
  }
  std::set<Name> stuck;  // names of which a change was lost
  for (const Operation& operation : pending_) {
    bool kept =
        survival == Survival::kEverything || (survival == Survival::kSubset && prng.chance(2));
    for (const Change& change : operation.changes) {
      kept = kept && stuck.count(Name(change.directory, change.name)) == 0;
    }
    if (kept) {
      put(result, operation);
      continue;
    }
    for (const Change& change : operation.changes) {
      stuck.emplace(change.directory, change.name);
    }
  }
  return result;
}

}  // namespace rookery::testing
