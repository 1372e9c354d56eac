// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rookery/base/result.h"
#include "rookery/doc/change_vector.h"
#include "rookery/index/definition.h"
#include "rookery/index/info.h"
#include "rookery/index/settings.h"
#include "rookery/os/executor.h"
#include "rookery/os/platform.h"
#include "rookery/store/environment.h"

// Purpose. All indexes of one database: finds or makes the one that a query needs, widens and
// retires them, and keeps each in a folder of its own.
// Threads: any. Calls marked "blocks" do file I/O.
// Source: docs/indexes.md.

namespace rookery::index {

class Index;
// Shared: a query that began with an index ends with it, though it was replaced meanwhile.
using IndexRef = std::shared_ptr<Index>;

struct IndexesOptions {
  std::string path;  // the folder that holds the indexes' folders; made with the first
  doc::DatabaseId database;
  Settings settings;
  // Opens them without indexing, until they are started.
  bool start_paused = false;
  store::EnvironmentOptions environment;  // path is set for each
  LogSink log;
};

class Indexes {
 public:
  // Blocks. Opens what is there; an index that cannot be opened is faulty, all by itself.
  // `documents` outlives this. Requires: nothing was written to `documents` since they were opened.
  [[nodiscard]] static Result<std::unique_ptr<Indexes>> open(os::Platform& platform,
                                                             os::Executor& executor,
                                                             store::Environment& documents,
                                                             IndexesOptions options);
  // As close(), ignoring errors.
  ~Indexes();
  Indexes(const Indexes&) = delete;
  Indexes& operator=(const Indexes&) = delete;

  // The documents have changed. Cheap.
  void note_commit();

  // --- For queries.

  struct Choice {
    IndexRef index;
    std::string reason;  // why this one, for people
  };

  // Blocks, if one must be made. The index that covers the fields; if there is none, a new one with
  // these fields and those of the one it replaces.
  // Errors: those of making it; the fault of the only one that would do.
  [[nodiscard]] Result<Choice> choose(std::string_view collection,
                                      const std::vector<IndexedField>& fields);
  // nullptr if there is none, or it is faulty: then fault() says why.
  [[nodiscard]] IndexRef find(std::string_view name) const;
  [[nodiscard]] std::optional<Error> fault(std::string_view name) const;

  // --- Administration. Names compare without case. False: there is no index of that name.

  // Blocks. Sorted by name.
  [[nodiscard]] Result<std::vector<IndexInfo>> list() const;
  [[nodiscard]] Result<std::optional<IndexInfo>> info(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> names() const;
  // Blocks.
  [[nodiscard]] Result<bool> erase(std::string_view name);
  // Blocks. Built anew from nothing, faulty ones too.
  [[nodiscard]] Result<bool> reset(std::string_view name);
  // Until the next start. Empty: all, and those that come.
  [[nodiscard]] bool set_paused(std::string_view name, bool paused);
  [[nodiscard]] bool is_paused() const;
  // Blocks.
  [[nodiscard]] Result<bool> set_disabled(std::string_view name, bool disabled);
  [[nodiscard]] Result<bool> set_priority(std::string_view name, IndexPriority priority);
  [[nodiscard]] Result<bool> set_lock(std::string_view name, IndexLock lock);
  [[nodiscard]] std::optional<std::vector<IndexingError>> errors(std::string_view name) const;
  [[nodiscard]] Result<bool> clear_errors(std::string_view name);
  // Terms of a field as people read them. nullopt: no such index. An unknown field has none.
  [[nodiscard]] Result<std::optional<std::vector<std::string>>> terms(std::string_view name,
                                                                      std::string_view field,
                                                                      std::string_view from,
                                                                      std::uint64_t count) const;

  // Blocks. Every index's own structures; "name: what is wrong".
  [[nodiscard]] Result<std::vector<std::string>> verify() const;

  // --- Waiting.

  // `done` is called once, with true when every index of `collections` (empty: of all) holds what
  // the database held at `etag`, with false at the deadline or when the database closes. `names`:
  // only these, if any are given.
  void wait_for(const std::vector<std::string>& collections, const std::vector<std::string>& names,
                std::uint64_t etag, os::Duration timeout, std::function<void(bool)> done);

  // False: whoever waits, or will, is told at once that there is nothing to wait for, since the
  // database is about to close.
  void set_waiting(bool allowed);

  // Whether any index is taking in documents or deletions just now. One that is paused, disabled,
  // out of order, or waits for a full disk is not.
  [[nodiscard]] bool is_catching_up() const;

  // Tombstones above this etag are needed still; nullopt: none are. A damaged index needs none: it
  // is built anew when it is reset, or opened again.
  [[nodiscard]] std::optional<std::uint64_t> tombstones_needed_after() const;

  [[nodiscard]] const Settings& settings() const noexcept;

  // Blocks. Stops all work, tells who waits, closes. Idempotent. Requires: no query is running.
  [[nodiscard]] Result<void> close();

 private:
  class State;
  explicit Indexes(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace rookery::index
