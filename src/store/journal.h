// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "rookery/base/result.h"
#include "rookery/os/platform.h"
#include "rookery/os/sync.h"
#include "rookery/store/space_reserve.h"

#include "aligned_buffer.h"
#include "header_file.h"
#include "journal_format.h"

// Purpose. The journal files of an environment while it runs: room is promised before a commit is
// queued, so that an append never allocates; files are made whole and durable before their first
// batch; nothing is ever appended behind a batch that failed.
// Threads: reserve() by the writer; activate() and append() by whoever leads the journal; the rest
//   by maintenance. These three may run at once.
// Source: STORE-INVARIANTS I2, I3, I14, I16, I17; docs/format/journal.md.

namespace rookery::store {

struct JournalOptions {
  std::string directory;
  std::uint64_t size_first_bytes = 0;
  std::uint64_t size_max_bytes = 0;
  SpaceReserve* reserve = nullptr;  // may be null
};

struct JournalIdentity {
  Uuid environment_id{};
  Uuid incarnation{};
  std::uint64_t epoch = 0;
};

// A file that no one will append to.
struct ClosedJournal {
  Uuid file_id{};
  std::uint64_t seq = 0;
  std::uint64_t last_batch = 0;  // that counts
  std::uint64_t size_bytes = 0;
  std::string path;
};

class Journal {
 public:
  Journal(os::Platform& platform, JournalOptions options);

  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // After recovery: what there is. The next append begins a new file behind `last`.
  void resume(const JournalIdentity& identity, const JournalPosition& last, std::uint64_t next_seq,
              std::vector<ClosedJournal> files);
  // After a failure: the current file is closed at `last`; the next append begins a new one.
  void restart(std::uint64_t epoch, const JournalPosition& last);

  // Promises room for a record of this size; returns the number of the file that it will be in.
  // Errors: no_space, io: nothing has happened.
  [[nodiscard]] Result<std::uint64_t> reserve(std::uint64_t record_bytes, bool allow_reserve);

  // Makes file number `target` the current one, durably. `txn_before`: the newest durable
  // transaction.
  // Requires: `target` was returned by reserve().
  // Errors: io, no_space: the journal has failed, restart() it.
  [[nodiscard]] Result<void> activate(std::uint64_t target, std::uint64_t txn_before);
  [[nodiscard]] bool is_current(std::uint64_t target) const;
  // One batch, durable on return. Requires: room, by reserve().
  [[nodiscard]] Result<void> append(std::span<const BatchItem> items);

  // The last batch that counts. The leader's, or when nobody leads.
  [[nodiscard]] const JournalPosition& position() const noexcept { return position_; }

  [[nodiscard]] std::uint64_t next_seq() const;

  // Whether nothing behind `position` in its file counts, now and for ever.
  [[nodiscard]] bool ends_at(const JournalPosition& position) const;
  // Removes the files before `start`, and its own too if `start_retired`.
  // Requires: a durable header says so.
  [[nodiscard]] Result<void> retire(const JournalPosition& start, bool start_retired);
  // Makes the next file while nobody waits for it, if the current one is half full.
  [[nodiscard]] bool wants_spare() const;
  [[nodiscard]] Result<void> make_spare();
  // Gives up the files that are not used.
  void remove_spares();

  struct Stats {
    std::uint64_t bytes = 0;
    std::uint64_t files = 0;
  };

  [[nodiscard]] Stats stats() const;

  // Bytes appended so far.
  [[nodiscard]] std::uint64_t appended_bytes() const noexcept { return appended_bytes_.load(); }

 private:
  struct LiveFile {
    std::uint64_t target = 0;
    std::uint64_t seq = 0;
    Uuid file_id{};
    std::string path;
    std::uint64_t size_bytes = 0;
    std::unique_ptr<os::File> file;  // while it is the current one
  };

  struct CreateOptions {
    std::uint64_t room = 0;        // for batches, at least
    std::uint64_t size_bytes = 0;  // wished for
    bool allow_reserve = false;
  };

  [[nodiscard]] Result<LiveFile> create(std::uint64_t size_bytes);
  [[nodiscard]] Result<LiveFile> create_or_shrink(const CreateOptions& options);
  [[nodiscard]] Result<LiveFile> draw_on_reserve(std::uint64_t least_bytes);
  // Of a file that nobody needs, and whose name ends in .tmp.
  void give_up(const std::string& path);
  [[nodiscard]] Result<std::unique_ptr<os::File>> open_to_append(const std::string& path);
  [[nodiscard]] bool disk_full() const;
  [[nodiscard]] bool keep_as_spare(const ClosedJournal& old) RK_REQUIRES(mutex_);
  void close_current(std::uint64_t last_batch) RK_REQUIRES(mutex_);
  void double_next_size() RK_REQUIRES(mutex_);
  [[nodiscard]] std::string spare_path();

  os::Platform& platform_;
  const JournalOptions options_;

  // The leader's alone.
  JournalIdentity identity_;
  JournalPosition position_;
  AlignedBuffer buffer_;
  std::uint64_t write_offset_ = 0;
  std::atomic<std::uint64_t> appended_bytes_{0};

  mutable os::Mutex mutex_;
  // Replaced under the lock; its file is used by the leader without.
  LiveFile current_ RK_GUARDED_BY(mutex_);
  os::File* current_file_ = nullptr;                     // the leader's view of it
  std::uint64_t current_target_ = 0;                     // the leader's
  std::deque<LiveFile> promised_ RK_GUARDED_BY(mutex_);  // reserved in, not current yet
  std::deque<LiveFile> spares_ RK_GUARDED_BY(mutex_);
  std::vector<ClosedJournal> closed_ RK_GUARDED_BY(mutex_);
  std::uint64_t reserve_target_ RK_GUARDED_BY(mutex_) = 0;  // 0: none
  std::uint64_t reserve_room_ RK_GUARDED_BY(mutex_) = 0;
  std::uint64_t reserve_size_ RK_GUARDED_BY(mutex_) = 0;
  std::uint64_t next_target_ RK_GUARDED_BY(mutex_) = 1;
  std::uint64_t next_seq_ RK_GUARDED_BY(mutex_) = 1;
  std::uint64_t next_size_ RK_GUARDED_BY(mutex_) = 0;
  std::atomic<std::uint64_t> next_spare_{1};
};

// "<seq 16 hex>-<first 8 hex of the id>.journal".
[[nodiscard]] std::string journal_file_name(std::uint64_t seq, const Uuid& file_id);
[[nodiscard]] bool is_journal_file_name(std::string_view name) noexcept;

}  // namespace rookery::store
