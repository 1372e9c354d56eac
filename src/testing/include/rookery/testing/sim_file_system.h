// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rookery/os/file_system.h"
#include "rookery/os/time.h"

// Purpose. A disk that loses exactly what a disk may lose. It keeps what is durable apart from what
// is visible, can be cut at any call, and fails calls in the ways that storage really fails.
//
//   File contents: durable sector by sector (512 bytes), after sync_data or a write_through write.
//     What is not may be lost, kept, or kept in any of the versions written since the last sync,
//     each sector for itself. Size and block allocation likewise.
//   Directory entries: durable after sync_directory; one that moves between two directories, after
//     sync_directory of both. Until then each change is lost or kept for itself, except that a
//     change is kept only if all earlier ones of the same name are. A rename is kept or lost whole.
//   Syncing a file does not make its name durable.
//
// Threads: any. In a fiber each call and each sector written is a scheduling point, and calls take
//   simulated time.
// Source: STORE-INVARIANTS I1, I2, I3, I9, I13, I14, I19; DESIGN "Plain blocking code".

namespace rookery::testing {

enum class CallKind : std::uint8_t {
  kOpen,  // of a file that exists
  kRead,
  kInfo,
  kLock,
  kMap,
  kList,
  kSpace,
  // Mutating from here on.
  kCreate,  // open() of a file that does not exist
  kWrite,
  kSync,
  kAllocate,
  kPunch,
  kTruncate,
  kRename,
  kLink,
  kRemove,
  kMakeDirectory,
  kRemoveDirectory,
  kSyncDirectory,
};
inline constexpr std::size_t kCallKinds = 19;

[[nodiscard]] constexpr bool is_mutating(CallKind kind) noexcept {
  return kind >= CallKind::kCreate;
}

[[nodiscard]] std::string_view call_name(CallKind kind) noexcept;

struct SimCall {
  CallKind kind = CallKind::kOpen;
  std::string path;
  std::uint64_t number = 0;    // from 1, of all calls
  std::uint64_t mutation = 0;  // from 1, of the mutating calls; 0 for others
};

// Where in a mutating call. kMiddle: some sectors of a write are on their way, some of a sync have
// arrived; of a call that the file system does atomically, it is made but not durable.
enum class CutPhase : std::uint8_t { kBefore, kMiddle, kAfter };

// What of the unsynced survives.
enum class Survival : std::uint8_t { kNothing, kEverything, kSubset };

struct CutPlan {
  std::uint64_t at_mutation = 0;  // as counted by mutations()
  CutPhase phase = CutPhase::kMiddle;
  Survival survival = Survival::kSubset;
};

enum class FaultEffect : std::uint8_t {
  kFail,            // an error, and nothing has happened
  kFailPartly,      // an error, and some sectors of the write (not yet durable) have happened
  kFailButPersist,  // an error, and all of it has happened, durably if it was to be durable
  // For sync_data: an error; what was unsynced looks written until drop_caches(), later syncs say
  // ok, and it is never durable unless it is written again (I13). Elsewhere as kFail.
  kFailAndForget,
  // For writes: success, visible until drop_caches(), never durable: a lost write.
  kLose,
  kOnlyDelay,
};

struct FaultRule {
  static constexpr std::uint64_t kForever = std::numeric_limits<std::uint64_t>::max();

  // Which calls it fits; what is left empty fits all.
  std::optional<CallKind> kind{};
  std::string path_contains{};
  bool mutating_only = false;
  // Lets so many of those pass, then hits so many.
  std::uint64_t skip = 0;
  std::uint64_t times = 1;

  FaultEffect effect = FaultEffect::kFail;
  int os_errno = EIO;
  os::Duration delay{0};  // before the effect; in fibers only
};

// Purpose. What is on a disk that is switched off. A value; copies share their blocks.
// Threads: a value; copies may be used from several threads.
class SimDisk {
 public:
  SimDisk() = default;  // empty: a root directory

 private:
  friend class SimFileSystem;
  struct Image;
  std::shared_ptr<const Image> image_;  // immutable, hence shared by all copies
};

struct SimFileSystemOptions {
  static constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

  std::uint64_t seed = 1;
  std::uint64_t capacity_bytes = kUnlimited;
  bool refuse_direct = false;
  // Means; each call draws from [0, twice that). In fibers only.
  os::Duration read_time = std::chrono::microseconds(10);
  os::Duration write_time = std::chrono::microseconds(40);
  os::Duration sync_time = std::chrono::microseconds(200);
};

class SimFileSystem final : public os::FileSystem {
 public:
  using Observer = std::function<void(const SimCall&, CutPhase)>;

  explicit SimFileSystem(const SimFileSystemOptions& options = {}, SimDisk disk = {});
  SimFileSystem(const SimFileSystem&) = delete;
  SimFileSystem& operator=(const SimFileSystem&) = delete;
  // Requires: no File of it is left.
  ~SimFileSystem() override;

  // --- power -----------------------------------------------------------------------------------
  // The machine is dead from here on: every call fails with EIO until reopen(), and handles from
  // before fail for ever.
  void power_cut(Survival survival);
  // Cuts within a later mutating call, which fails with EIO; so does everything after it.
  void arm_cut(const CutPlan& plan);
  // The machine starts again with what survived. Requires: is_dead().
  void reopen();
  [[nodiscard]] bool is_dead() const;
  // What would survive a cut now; the machine goes on. Cheap: blocks are shared. With an observer,
  // a harness forks one run at every point of it.
  [[nodiscard]] SimDisk cut_copy(Survival survival, std::uint64_t seed) const;
  // Called at the three phases of each mutating call, with no lock held (the middle: of writes and
  // syncs). It may call cut_copy() but no file operation.
  void set_observer(Observer observer);

  // --- faults ----------------------------------------------------------------------------------
  // The first rule that fits a call decides. Returns its number.
  std::uint64_t add_fault(FaultRule rule);
  void remove_fault(std::uint64_t number);
  void clear_faults();
  // How often that rule has hit.
  [[nodiscard]] std::uint64_t fault_hits(std::uint64_t number) const;
  // May be set below what is used: then nothing more is given until enough is freed.
  void set_capacity(std::uint64_t capacity_bytes);
  [[nodiscard]] std::uint64_t used_bytes() const;
  // What was never durable and is not waiting to be (forgotten, lost) disappears from view.
  void drop_caches();
  // Rot: flips bits of one byte, visible and durable alike. Requires: the file has that byte.
  void flip_bits(std::string_view path, std::uint64_t offset, std::uint8_t mask);
  // Every map of the file reads as zeros and is faulted(), and so are new ones until
  // mend_maps() or reopen().
  void fail_maps(std::string_view path);
  // The same, right after faulted() was asked (and denied) for the `looks`-th time from now on:
  // what a reader meets that looked, and then read. Requires: looks > 0.
  void fail_maps_after(std::string_view path, std::uint64_t looks);
  // New maps of the file can be read again; those that failed stay as they are.
  void mend_maps(std::string_view path);

  // --- counts, since construction --------------------------------------------------------------
  [[nodiscard]] std::uint64_t calls() const;
  [[nodiscard]] std::uint64_t mutations() const;
  [[nodiscard]] std::uint64_t calls_of(CallKind kind) const;

  // --- os::FileSystem --------------------------------------------------------------------------
  Result<std::unique_ptr<os::File>> open(std::string_view path,
                                         const os::OpenOptions& options) override;
  Result<void> rename(std::string_view source, std::string_view target) override;
  Result<void> link(std::string_view source, std::string_view target) override;
  Result<void> remove_file(std::string_view path) override;
  Result<void> create_directory(std::string_view path) override;
  Result<void> remove_directory(std::string_view path) override;
  Result<std::vector<std::string>> list(std::string_view path) override;
  Result<void> sync_directory(std::string_view path) override;
  Result<std::optional<os::FileInfo>> info(std::string_view path) override;
  Result<os::SpaceInfo> space(std::string_view path) override;

  class State;  // shared with the files, in the private headers

 private:
  std::unique_ptr<State> state_;
};

}  // namespace rookery::testing
