// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <utility>

#include <sys/mman.h>

#include "rookery/base/check.h"
#include "rookery/os/os_error.h"

#include "sim_state.h"

namespace rookery::testing {

// Purpose. A view of the visible bytes that can be made to fail.
class SimMapping final : public os::Mapping {
 public:
  SimMapping(SimFileSystem::State& state, SimInodePtr inode, std::unique_ptr<os::Mapping> view)
      : state_(state), inode_(std::move(inode)), view_(std::move(view)) {}

  SimMapping(const SimMapping&) = delete;
  SimMapping& operator=(const SimMapping&) = delete;

  ~SimMapping() override {
    const std::lock_guard<std::mutex> lock(state_.mutex);
    std::erase(inode_->maps, this);
  }

  const std::byte* data() const noexcept override { return view_->data(); }

  std::byte* writable_data() noexcept override { return view_->writable_data(); }

  std::uint64_t size() const noexcept override { return view_->size(); }

  bool faulted() const noexcept override {
    // Acquire pairs with the release in fail().
    const bool answer = faulted_.load(std::memory_order_acquire);
    std::uint64_t left = inode_->looks_before_failure.load();
    while (left > 0 && !inode_->looks_before_failure.compare_exchange_weak(left, left - 1)) {
    }
    if (left == 1) {
      const std::lock_guard<std::mutex> lock(state_.mutex);
      fail_maps_of(*inode_);
    }
    return answer;
  }

  void fail() {
    const bool writable = view_->writable_data() != nullptr;
    auto* begin = const_cast<std::byte*>(view_->data());  // NOLINT: replaced, not written
    void* zeros = mmap(begin, view_->size(), writable ? PROT_READ | PROT_WRITE : PROT_READ,
                       MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    RK_CHECK(zeros == begin);
    faulted_.store(true, std::memory_order_release);
  }

 private:
  SimFileSystem::State& state_;
  const SimInodePtr inode_;
  const std::unique_ptr<os::Mapping> view_;
  std::atomic<bool> faulted_{false};
};

void fail_maps_of(SimInode& inode) {
  inode.maps_failed = true;
  for (SimMapping* map : inode.maps) {
    map->fail();
  }
}

namespace {

class SimFile final : public os::File {
 public:
  SimFile(SimFileSystem::State& state, std::string path, SimInodePtr inode,
          const os::OpenOptions& options)
      : state_(state),
        path_(std::move(path)),
        inode_(std::move(inode)),
        content_(*inode_->content),
        options_(options),
        generation_(state.generation) {}

  SimFile(const SimFile&) = delete;
  SimFile& operator=(const SimFile&) = delete;
  ~SimFile() override;

  Result<std::size_t> read_at(std::uint64_t offset, MutableBytes into) override;

  Result<void> write_at(std::uint64_t offset, Bytes from) override {
    return write_vector_at(offset, std::span(&from, 1));
  }

  Result<void> write_vector_at(std::uint64_t offset, std::span<const Bytes> parts) override;
  Result<void> sync_data() override;
  Result<void> allocate(std::uint64_t offset, std::uint64_t length) override;
  Result<void> punch_hole(std::uint64_t offset, std::uint64_t length) override;
  Result<void> truncate(std::uint64_t size_bytes) override;
  Result<os::FileInfo> info() override;
  Result<std::optional<std::int64_t>> try_lock() override;
  Result<std::unique_ptr<os::Mapping>> map(std::uint64_t length, os::Access access) override;

  bool is_direct() const noexcept override {
    return options_.direct && !state_.options.refuse_direct;
  }

 private:
  // Part of one write that lies in one sector.
  struct Piece {
    std::uint64_t offset = 0;
    Bytes bytes;
  };

  Error failure(const Verdict& verdict) const {
    return os::os_error(call_name(verdict.call.kind), path_, verdict.os_errno);
  }

  Error refusal(CallKind kind, int os_errno) const {
    return os::os_error(call_name(kind), path_, os_errno);
  }

  Result<Verdict> enter(CallKind kind, os::Duration time) {
    return state_.enter(kind, path_, generation_, time);
  }

  Result<void> leave(const Verdict& verdict) { return state_.leave(verdict, generation_); }

  Result<void> check_writable(CallKind kind) const;
  Result<void> check_aligned(CallKind kind, std::uint64_t offset, Bytes bytes) const;
  std::vector<Piece> cut_to_sectors(std::uint64_t offset, std::span<const Bytes> parts) const;
  Result<void> write_pieces(const Verdict& verdict, const std::vector<Piece>& pieces,
                            std::uint64_t& sequence);
  void write_some(const Verdict& verdict, const std::vector<Piece>& pieces, std::uint64_t began);

  SimFileSystem::State& state_;
  const std::string path_;
  const SimInodePtr inode_;
  SimContent& content_;
  const os::OpenOptions options_;
  const std::uint64_t generation_;
};

SimFile::~SimFile() {
  const std::lock_guard<std::mutex> lock(state_.mutex);
  if (generation_ != state_.generation) {
    return;  // of a machine that is gone
  }
  --inode_->open_handles;
  if (inode_->lock_owner == this) {
    inode_->lock_owner = nullptr;
  }
  if (inode_->link_count == 0 && inode_->open_handles == 0) {
    state_.give_space(content_.allocated_blocks());
    state_.forget_if_unused(inode_->number);
  }
}

Result<void> SimFile::check_writable(CallKind kind) const {
  if (options_.access == os::Access::kReadOnly) {
    return refusal(kind, EBADF);
  }
  return {};
}

Result<void> SimFile::check_aligned(CallKind kind, std::uint64_t offset, Bytes bytes) const {
  if (is_direct() &&
      (offset % os::kDirectAlignment != 0 || bytes.size() % os::kDirectAlignment != 0 ||
       reinterpret_cast<std::uintptr_t>(bytes.data()) % os::kDirectAlignment != 0)) {
    return refusal(kind, EINVAL);
  }
  return {};
}

Result<std::size_t> SimFile::read_at(std::uint64_t offset, MutableBytes into) {
  RK_TRY(check_aligned(CallKind::kRead, offset, into));
  RK_TRY_ASSIGN(const Verdict verdict, enter(CallKind::kRead, state_.options.read_time));
  if (verdict.refuses()) {
    return failure(verdict);
  }
  const std::lock_guard<std::mutex> lock(state_.mutex);
  return content_.read(offset, into);
}

std::vector<SimFile::Piece> SimFile::cut_to_sectors(std::uint64_t offset,
                                                    std::span<const Bytes> parts) const {
  std::vector<Piece> pieces;
  for (Bytes part : parts) {
    while (!part.empty()) {
      const std::uint64_t room = kSector - offset % kSector;
      const std::size_t count = std::min<std::uint64_t>(part.size(), room);
      pieces.push_back({.offset = offset, .bytes = part.first(count)});
      part = part.subspan(count);
      offset += count;
    }
  }
  return pieces;
}

// A subset of the sectors; the caller holds the lock.
void SimFile::write_some(const Verdict& verdict, const std::vector<Piece>& pieces,
                         std::uint64_t began) {
  for (const Piece& piece : pieces) {
    if (!state_.prng.chance(2)) {
      continue;
    }
    content_.write_piece(piece.offset, piece.bytes, began, SimContent::Fate::kPending);
    // The device has what was cut on its way to it, whatever becomes of the rest.
    if (options_.write_through && verdict.cut_in_middle) {
      content_.make_durable_range(piece.offset, piece.offset + piece.bytes.size(),
                                  content_.sequence());
    }
  }
}

Result<void> SimFile::write_pieces(const Verdict& verdict, const std::vector<Piece>& pieces,
                                   std::uint64_t& sequence) {
  const SimContent::Fate fate =
      verdict.is(FaultEffect::kLose) ? SimContent::Fate::kLost : SimContent::Fate::kPending;
  std::size_t stop = 0;
  std::uint64_t began = 0;
  {
    const std::lock_guard<std::mutex> lock(state_.mutex);
    began = content_.sequence();
    if (verdict.cut_in_middle || verdict.is(FaultEffect::kFailPartly)) {
      write_some(verdict, pieces, began);
      return {};
    }
    stop = state_.prng.below(pieces.size());
  }
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (i == stop) {
      RK_TRY(state_.middle(verdict, generation_));
    }
    {
      const std::lock_guard<std::mutex> lock(state_.mutex);
      if (!state_.alive(generation_)) {
        break;  // leave() says so
      }
      content_.write_piece(pieces[i].offset, pieces[i].bytes, began, fate);
      sequence = content_.sequence();
    }
    sim_yield("sector");
  }
  return {};
}

Result<void> SimFile::write_vector_at(std::uint64_t offset, std::span<const Bytes> parts) {
  RK_TRY(check_writable(CallKind::kWrite));
  std::uint64_t end = offset;
  for (const Bytes part : parts) {
    RK_TRY(check_aligned(CallKind::kWrite, offset, part));
    end += part.size();
  }
  RK_TRY_ASSIGN(const Verdict verdict, enter(CallKind::kWrite, state_.options.write_time));
  if (verdict.refuses()) {
    return failure(verdict);
  }
  if (end == offset) {
    return leave(verdict);
  }
  std::uint64_t given = end;
  {
    const std::lock_guard<std::mutex> lock(state_.mutex);
    RK_TRY(content_.reach(path_, end));
    given = state_.take_space(content_, offset, end);
  }
  std::vector<Piece> pieces = cut_to_sectors(offset, parts);
  std::erase_if(pieces, [given](const Piece& piece) { return piece.offset >= given; });
  std::uint64_t sequence = 0;
  if (!pieces.empty()) {
    RK_TRY(write_pieces(verdict, pieces, sequence));
  }
  if (options_.write_through && given == end && !verdict.is(FaultEffect::kFailPartly)) {
    sim_take_time(state_.options.write_time);
    const std::lock_guard<std::mutex> lock(state_.mutex);
    if (state_.alive(generation_) && !verdict.cut_in_middle) {
      content_.make_durable_range(offset, end, sequence);
    }
  }
  RK_TRY(leave(verdict));
  if (given < end) {  // as a short write that is continued into the full disk
    return refusal(CallKind::kWrite, ENOSPC);
  }
  return {};
}

Result<void> SimFile::sync_data() {
  std::uint64_t sequence = 0;
  {
    const std::lock_guard<std::mutex> lock(state_.mutex);
    sequence = content_.sequence();  // what is written from here on need not be covered
  }
  RK_TRY_ASSIGN(const Verdict verdict, enter(CallKind::kSync, state_.options.sync_time));
  if (verdict.is(FaultEffect::kFailAndForget)) {
    const std::lock_guard<std::mutex> lock(state_.mutex);
    content_.forget_pending();
    return failure(verdict);
  }
  if (verdict.refuses()) {
    return failure(verdict);
  }
  if (verdict.cut_in_middle || verdict.is(FaultEffect::kFailPartly)) {
    const std::lock_guard<std::mutex> lock(state_.mutex);
    content_.make_some_durable(state_.prng);
  } else {
    RK_TRY(state_.middle(verdict, generation_));
    const std::lock_guard<std::mutex> lock(state_.mutex);
    if (state_.alive(generation_)) {
      content_.make_durable(sequence);
    }
  }
  return leave(verdict);
}

Result<void> SimFile::allocate(std::uint64_t offset, std::uint64_t length) {
  RK_TRY(check_writable(CallKind::kAllocate));
  RK_TRY_ASSIGN(const Verdict verdict, enter(CallKind::kAllocate, state_.options.write_time));
  if (verdict.refuses()) {
    return failure(verdict);
  }
  if (length == 0) {
    return refusal(CallKind::kAllocate, EINVAL);
  }
  bool full = false;
  {
    const std::lock_guard<std::mutex> lock(state_.mutex);
    RK_TRY(content_.reach(path_, offset + length));
    const std::uint64_t missing = content_.missing_blocks(offset, offset + length) * kBlock;
    full = missing > state_.capacity_bytes || state_.used_bytes > state_.capacity_bytes - missing;
    if (!full) {
      static_cast<void>(state_.take_space(content_, offset, offset + length));
      content_.grow(offset + length);
    }
  }
  RK_TRY(leave(verdict));
  if (full) {
    return refusal(CallKind::kAllocate, ENOSPC);
  }
  return {};
}

Result<void> SimFile::punch_hole(std::uint64_t offset, std::uint64_t length) {
  RK_TRY(check_writable(CallKind::kPunch));
  RK_TRY_ASSIGN(const Verdict verdict, enter(CallKind::kPunch, state_.options.write_time));
  if (verdict.refuses()) {
    return failure(verdict);
  }
  if (length == 0) {
    return refusal(CallKind::kPunch, EINVAL);
  }
  {
    const std::lock_guard<std::mutex> lock(state_.mutex);
    state_.give_space(content_.punch(offset, offset + length));
  }
  return leave(verdict);
}

Result<void> SimFile::truncate(std::uint64_t size_bytes) {
  RK_TRY(check_writable(CallKind::kTruncate));
  RK_TRY_ASSIGN(const Verdict verdict, enter(CallKind::kTruncate, state_.options.write_time));
  if (verdict.refuses()) {
    return failure(verdict);
  }
  {
    const std::lock_guard<std::mutex> lock(state_.mutex);
    RK_TRY(content_.reach(path_, size_bytes));
    if (size_bytes >= content_.size_bytes()) {
      content_.grow(size_bytes);
    } else {
      const std::uint64_t before = content_.allocated_blocks();
      content_.shrink(size_bytes);
      state_.give_space(before - content_.allocated_blocks());
    }
  }
  return leave(verdict);
}

Result<os::FileInfo> SimFile::info() {
  RK_TRY_ASSIGN(const Verdict verdict, enter(CallKind::kInfo, os::Duration::zero()));
  if (verdict.refuses()) {
    return failure(verdict);
  }
  const std::lock_guard<std::mutex> lock(state_.mutex);
  return state_.info_of(inode_->number);
}

Result<std::optional<std::int64_t>> SimFile::try_lock() {
  RK_TRY(check_writable(CallKind::kLock));
  RK_TRY_ASSIGN(const Verdict verdict, enter(CallKind::kLock, os::Duration::zero()));
  if (verdict.refuses()) {
    return failure(verdict);
  }
  const std::lock_guard<std::mutex> lock(state_.mutex);
  if (inode_->lock_owner == nullptr || inode_->lock_owner == this) {
    inode_->lock_owner = this;
    return std::optional<std::int64_t>();
  }
  return std::optional<std::int64_t>(0);  // there are no processes here
}

Result<std::unique_ptr<os::Mapping>> SimFile::map(std::uint64_t length, os::Access access) {
  if (access == os::Access::kReadWrite) {
    RK_TRY(check_writable(CallKind::kMap));
  }
  RK_TRY_ASSIGN(const Verdict verdict, enter(CallKind::kMap, os::Duration::zero()));
  if (verdict.refuses()) {
    return failure(verdict);
  }
  if (length == 0) {
    return refusal(CallKind::kMap, EINVAL);
  }
  std::unique_ptr<SimMapping> map;
  const std::lock_guard<std::mutex> lock(state_.mutex);
  RK_TRY_ASSIGN(std::unique_ptr<os::Mapping> view, content_.view(path_, length, access));
  map = std::make_unique<SimMapping>(state_, inode_, std::move(view));
  inode_->maps.push_back(map.get());
  if (inode_->maps_failed) {
    map->fail();
  }
  return map;
}

}  // namespace

std::unique_ptr<os::File> make_sim_file(SimFileSystem::State& state, std::string path,
                                        SimInodePtr inode, const os::OpenOptions& options) {
  ++inode->open_handles;
  return std::make_unique<SimFile>(state, std::move(path), std::move(inode), options);
}

}  // namespace rookery::testing
