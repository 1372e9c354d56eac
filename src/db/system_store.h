// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rookery/base/result.h"
#include "rookery/db/record.h"
#include "rookery/store/environment.h"

#include "maintenance.h"

// Purpose. The system environment: records of databases, and the folders that are to be deleted.
// Each change is one durable transaction with an index of its own.
// Threads: any; writers take turns. Writing blocks on I/O.
// Source: docs/format/documents.md, "System environment".

namespace rookery::db {

// A dropped database's files: `source` is to be renamed to `target`, if it still exists under that
// name, and `target` to be deleted. Names of folders beside each other.
struct Deletion {
  std::string target;
  std::string source;
};

class SystemStore {
 public:
  [[nodiscard]] static Result<std::unique_ptr<SystemStore>> open(os::Platform& platform,
                                                                 os::Executor& background,
                                                                 store::EnvironmentOptions options,
                                                                 const LogSink& log);
  ~SystemStore();
  SystemStore(const SystemStore&) = delete;
  SystemStore& operator=(const SystemStore&) = delete;

  [[nodiscard]] Result<std::vector<DatabaseRecord>> records();
  [[nodiscard]] Result<std::optional<DatabaseRecord>> record(std::string_view folded_name);
  [[nodiscard]] Result<std::vector<Deletion>> deletions();
  [[nodiscard]] Result<std::uint64_t> last_index();

  // Writes the record of a new database and sets its etag. Notes of deletions of an earlier one
  // of that name forget their source: that folder was renamed long ago, and this one is another.
  [[nodiscard]] Result<void> create_record(DatabaseRecord& record);
  // Writes all of them, each with a new etag (set in place): all or none.
  [[nodiscard]] Result<void> put_records(std::vector<DatabaseRecord*> records);

  // `deletion`: notes the folder in the same transaction; its target gets the index as part of its
  // name. Returns the index.
  struct Erased {
    std::uint64_t index = 0;
    std::optional<Deletion> deletion;
  };

  [[nodiscard]] Result<Erased> erase_record(std::string_view folded_name, bool with_deletion);
  [[nodiscard]] Result<void> erase_deletions(const std::vector<Deletion>& deletions);

  [[nodiscard]] Result<store::VerifyReport> verify() { return environment_->verify(); }

  [[nodiscard]] Result<void> close();

 private:
  SystemStore(os::Executor& background, const LogSink& log) : maintenance_(background, "", log) {}

  MaintenanceWorker maintenance_;  // outlives the environment, which calls it
  std::unique_ptr<store::Environment> environment_;
};

}  // namespace rookery::db
