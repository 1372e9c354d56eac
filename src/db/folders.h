// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rookery/base/result.h"
#include "rookery/os/platform.h"
#include "rookery/store/environment.h"

#include "system_store.h"

// Purpose. The folders of a data directory, and the steps that create and delete them whole.
//
//   <data>/System            records (SystemStore)
//   <data>/Databases/x       the database whose folded name is x
//   <data>/Databases/x.creating        being built: kept only if there is a record of x
//   <data>/Databases/x.<n>.deleting    dropped: noted in the system environment until it is gone
//
// Create: build x.creating, make it durable; write the record (the moment it exists); rename.
// Drop: note the deletion and erase the record in one transaction (the moment it is gone); rename;
// delete; erase the note. A cut at any point is completed or undone by the next start.
//
// Neither rename is synced before the answer: record and note are durable, and the next start makes
// a lost rename again. What must not happen behind a lost rename waits for it: the note is erased,
// a new x is recorded, or x without a record is kept (a soft drop), only after a sync().
// Threads: calls for different names at once.
// Source: STORE-INVARIANTS I30.

namespace rookery::db {

class Folders {
 public:
  Folders(os::Platform& platform, std::string data_dir);

  // Makes the directories that are missing.
  [[nodiscard]] Result<void> prepare();

  [[nodiscard]] std::string system_path() const;
  [[nodiscard]] std::string reserve_path() const;
  [[nodiscard]] std::string database_path(std::string_view folded_name) const;

  [[nodiscard]] Result<bool> database_exists(std::string_view folded_name) const;
  // Builds an empty environment in x.creating. Replaces what an earlier attempt left.
  [[nodiscard]] Result<void> build(std::string_view folded_name, store::EnvironmentOptions options);
  // x.creating becomes x. Nothing to do if x is there. not_found if neither is.
  [[nodiscard]] Result<void> complete_creation(std::string_view folded_name);
  void undo_build(std::string_view folded_name);
  // Renames the source if it is still there.
  [[nodiscard]] Result<void> begin_deletion(const Deletion& deletion);
  [[nodiscard]] Result<void> finish_deletion(const Deletion& deletion);
  // The renames so far are durable.
  [[nodiscard]] Result<void> sync();
  // The x of each x.creating.
  [[nodiscard]] Result<std::vector<std::string>> unfinished_creations() const;

 private:
  [[nodiscard]] std::string path(std::string_view folder) const;

  os::Platform& platform_;
  const std::string data_dir_;
  const std::string databases_dir_;
};

}  // namespace rookery::db
