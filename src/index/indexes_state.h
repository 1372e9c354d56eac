// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rookery/index/indexes.h"
#include "rookery/os/executor.h"
#include "rookery/os/sync.h"

#include "index.h"

// Purpose. The insides of Indexes: one entry an index, and a worker that retires those that nobody
// needs.
//
//   made --query wider--> superseded --kept a while--> deleted --last query ends--> folder removed
//      \--not asked for--> idle --> deleted
//
// Threads: any. creation_ is taken before mutex_; neither is held by callbacks.

namespace rookery::index {

class Indexes::State {
 public:
  State(os::Platform& platform, os::Executor& executor, store::Environment& documents,
        IndexesOptions options);
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  [[nodiscard]] Result<void> open();
  [[nodiscard]] Result<void> close();
  void note_commit();
  void set_waiting(bool allowed);
  [[nodiscard]] Result<Choice> choose(std::string_view collection,
                                      const std::vector<IndexedField>& fields);
  [[nodiscard]] Result<bool> erase(std::string_view name);
  [[nodiscard]] Result<bool> reset(std::string_view name);
  [[nodiscard]] bool set_paused(std::string_view name, bool paused);
  // Retires superseded and unused indexes, removes folders of those that nobody uses any more.
  bool keep_house();

  struct Entry {
    Definition definition;
    std::string path;
    IndexRef index;              // null: faulty
    std::optional<Error> fault;  // if so, why
    std::optional<os::MonotonicTime> superseded_at;
    std::string successor;  // folded name
  };

  [[nodiscard]] std::optional<Entry> entry(std::string_view name) const;
  [[nodiscard]] std::vector<Entry> entries() const;

  [[nodiscard]] const Surroundings& around() const noexcept { return around_; }

  [[nodiscard]] bool is_paused() const;

 private:
  class Housekeeper;

  void open_one(const std::string& path, std::uint64_t last_etag);
  [[nodiscard]] std::optional<Result<Choice>> choose_existing(
      std::string_view collection, const std::vector<IndexedField>& fields) const;
  [[nodiscard]] Result<Choice> widen(std::string_view collection,
                                     const std::vector<IndexedField>& fields);
  [[nodiscard]] Result<IndexRef> make(Definition definition, const StoredSettings& settings);
  [[nodiscard]] std::string new_folder(std::string_view name);
  void note_superseded();
  void retire(Entry entry);
  [[nodiscard]] bool is_over(const Entry& entry, os::MonotonicTime now) const RK_REQUIRES(mutex_);
  bool bury();
  // What could not be opened for want of something that may be there now.
  void reopen_faulty();

  Surroundings around_;
  const std::string path_;
  std::unique_ptr<Housekeeper> housekeeper_;
  std::uint64_t opened_etag_ = 0;  // of the documents before this run's first write; see open()

  os::Mutex creation_;  // one index is made, or removed, at a time
  mutable os::Mutex mutex_;
  std::map<std::string, Entry, std::less<>> entries_ RK_GUARDED_BY(mutex_);  // by folded name
  // Deleted, but perhaps still read by a query.
  std::vector<IndexRef> graveyard_ RK_GUARDED_BY(mutex_);
  bool paused_ RK_GUARDED_BY(mutex_) = false;
  bool waiting_allowed_ RK_GUARDED_BY(mutex_) = true;
  bool closed_ RK_GUARDED_BY(mutex_) = false;
};

}  // namespace rookery::index
