// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "rookery/base/coding.h"
#include "rookery/base/result.h"
#include "rookery/os/platform.h"
#include "rookery/os/sync.h"

#include "meta.h"

// Purpose. header.one and header.two: where recovery starts, and what it may believe. Written in
// turn, in place, each with a sync of its own, so that one of them is always whole.
// Source: docs/format/header.md; STORE-INVARIANTS I3, I18, I24.

namespace rookery::store {

inline constexpr std::size_t kHeaderSize = 8192;
inline constexpr std::size_t kIncarnationsMax = 64;

// A place in the journals: a batch.
struct JournalPosition {
  Uuid file_id{};            // zeros: before the first file
  std::uint64_t seq = 0;     // of that file
  std::uint64_t batch = 0;   // 0: the file's own first block
  std::uint64_t offset = 0;  // of that batch
  std::uint64_t hash = 0;    // its checksum

  friend bool operator==(const JournalPosition&, const JournalPosition&) = default;
};

static_assert(sizeof(JournalPosition) == 48);

struct HeaderRecord {
  Uuid environment_id{};
  std::uint64_t epoch = 0;    // writable opens and reloads so far
  std::uint64_t counter = 0;  // the greater of two is the newer
  Uuid incarnation{};         // of the newest writable open
  // As of the recovery start: the state that the data file holds, synced.
  Meta meta;
  // The batch that ends with transaction meta.txn: replay begins in it. start_retired: nothing
  // behind it in its file counts, and the file may be gone; replay begins in the file after it.
  JournalPosition start;
  // A batch that was durable when this was written: nothing up to it may be missing or damaged.
  JournalPosition floor;
  // Batches of this file behind this one do not count, whatever they look like.
  JournalPosition fence;
  std::uint64_t next_seq = 1;  // of journal files
  std::uint32_t start_retired = 1;
  std::uint32_t has_fence = 0;
  std::uint32_t incarnation_count = 0;
  std::uint32_t reserved = 0;
  // Of the writable opens whose transactions replay may meet.
  std::array<Uuid, kIncarnationsMax> incarnations{};
};

static_assert(std::has_unique_object_representations_v<HeaderRecord>);

// `to` has kHeaderSize bytes.
void encode_header(const HeaderRecord& record, MutableBytes to);
// nullopt: damaged or torn. Errors: incompatible (`read_only` tolerates more).
[[nodiscard]] Result<std::optional<HeaderRecord>> decode_header(Bytes bytes, bool read_only);

// Purpose. The two files.
// Threads: one at a time, except as noted.
class HeaderFiles {
 public:
  HeaderFiles(os::Platform& platform, std::string directory);

  struct Loaded {
    HeaderRecord record;
    // The other file was unreadable: this record counts only if the chain of journals that it names
    // is whole.
    bool other_unreadable = false;
  };

  // Errors: not_found (no header.one), corrupt (neither is whole), incompatible, io.
  [[nodiscard]] Result<Loaded> load(bool read_only);

  // Makes the record that load() returned durable, unless its twin says the same: the process that
  // wrote it may have died before its sync, and the twin is the next to be overwritten.
  // Requires: load() was called, nothing written since.
  [[nodiscard]] Result<void> harden(const HeaderRecord& loaded);

  // Creates both; header.one, whose presence means that the environment exists, comes last.
  [[nodiscard]] Result<void> create(const HeaderRecord& record);

  // The same for a folder that counts for nothing before its maker has said so elsewhere: on return
  // both are durable, and what else is named in the folder; a cut before may leave any of it.
  [[nodiscard]] Result<void> create_unguarded(const HeaderRecord& record);

  // Writes the record, with the next counter, over the older file, and syncs it.
  [[nodiscard]] Result<void> write(HeaderRecord& record);
  // Both files alike: they differ in nothing but the counter.
  [[nodiscard]] Result<void> write_both(HeaderRecord& record);

 private:
  [[nodiscard]] std::string path(std::size_t index) const;
  [[nodiscard]] Result<void> write_slot(std::size_t index, const HeaderRecord& record);

  os::Platform& platform_;
  const std::string directory_;
  std::size_t newer_ = 0;  // the file that must not be written next
  bool alike_ = false;     // the two differ in nothing but the counter
};

}  // namespace rookery::store
