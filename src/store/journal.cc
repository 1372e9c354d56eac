// SPDX-License-Identifier: Apache-2.0
#include "journal.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "rookery/base/canary.h"

#include "zeroed_file.h"

namespace rookery::store {
namespace {

constexpr std::string_view kSuffix = ".journal";
constexpr std::uint64_t kSizeLeastBytes = 64 * 1024;
constexpr std::size_t kSparesMax = 2;
constexpr std::size_t kBufferKeptBytes = 1024 * 1024;

std::uint64_t round_up_to_block(std::uint64_t size) noexcept {
  return (size + kJournalBlock - 1) / kJournalBlock * kJournalBlock;
}

}  // namespace

std::string journal_file_name(std::uint64_t seq, const Uuid& file_id) {
  std::string id;
  for (std::size_t i = 0; i < 4; ++i) {
    id += fmt::format("{:02x}", static_cast<unsigned>(file_id[i]));
  }
  return fmt::format("{:016x}-{}{}", seq, id, kSuffix);
}

bool is_journal_file_name(std::string_view name) noexcept {
  return name.size() == 16 + 1 + 8 + kSuffix.size() && name.ends_with(kSuffix);
}

Journal::Journal(os::Platform& platform, JournalOptions options)
    : platform_(platform), options_(std::move(options)) {
  const os::MutexLock lock(mutex_);
  next_size_ = round_up_to_block(std::max(options_.size_first_bytes, kSizeLeastBytes));
}

void Journal::resume(const JournalIdentity& identity, const JournalPosition& last,
                     std::uint64_t next_seq, std::vector<ClosedJournal> files) {
  const os::MutexLock lock(mutex_);
  identity_ = identity;
  position_ = last;
  next_seq_ = next_seq;
  closed_ = std::move(files);
}

void Journal::close_current(std::uint64_t last_batch) {
  if (current_.file != nullptr) {
    closed_.push_back(
        {current_.file_id, current_.seq, last_batch, current_.size_bytes, current_.path});
    current_ = {};
  }
  current_file_ = nullptr;
  current_target_ = 0;
}

void Journal::restart(std::uint64_t epoch, const JournalPosition& last) {
  const os::MutexLock lock(mutex_);
  if (current_.file != nullptr) {
    close_current(current_.file_id == last.file_id ? last.batch : 0);
  }
  identity_.epoch = epoch;
  position_ = last;
  // What was promised in these files is no longer asked for.
  for (LiveFile& file : promised_) {
    spares_.push_back(std::move(file));
  }
  promised_.clear();
  reserve_target_ = 0;
  reserve_room_ = 0;
}

Result<std::uint64_t> Journal::reserve(std::uint64_t record_bytes, bool allow_reserve) {
  const std::uint64_t room = journal_room_for(record_bytes);
  const os::MutexLock lock(mutex_);
  if (reserve_target_ == 0 || reserve_room_ < room) {
    LiveFile next;
    const auto spare = std::find_if(spares_.begin(), spares_.end(), [&](const LiveFile& file) {
      return file.size_bytes >= room + kJournalBlock;
    });
    if (spare != spares_.end()) {
      next = std::move(*spare);
      spares_.erase(spare);
    } else {
      RK_TRY_ASSIGN(next,
                    create_or_shrink(
                        {.room = room, .size_bytes = next_size_, .allow_reserve = allow_reserve}));
      double_next_size();
    }
    next.target = next_target_++;
    reserve_target_ = next.target;
    reserve_size_ = next.size_bytes;
    reserve_room_ = next.size_bytes - kJournalBlock;
    promised_.push_back(std::move(next));
  }
  RK_CHECK(reserve_room_ >= room);
  reserve_room_ -= room;
  return reserve_target_;
}

void Journal::double_next_size() {
  next_size_ = std::max(next_size_, std::min(next_size_ * 2, options_.size_max_bytes));
}

bool Journal::disk_full() const {
  return options_.reserve != nullptr && options_.reserve->disk_full();
}

// Full-sized where there is space, else as small as will do. On a full disk: from the reserve, for
// those who may.
Result<Journal::LiveFile> Journal::create_or_shrink(const CreateOptions& options) {
  const std::uint64_t least =
      std::max(round_up_to_block(options.room + kJournalBlock),
               std::min<std::uint64_t>(options.size_bytes, kSizeLeastBytes));
  if (disk_full()) {
    if (options.allow_reserve) {
      return draw_on_reserve(least);
    }
    return Error(ErrorCode::no_space, "the volume is full: only deletes have room in the journal");
  }
  auto made = create(std::max(least, options.size_bytes));
  const auto full = [&] { return !made && made.error().code() == ErrorCode::no_space; };
  if (full() && least < options.size_bytes) {
    made = create(least);
  }
  if (full() && options_.reserve != nullptr) {
    options_.reserve->enter_disk_full();
    if (options.allow_reserve) {
      made = draw_on_reserve(least);
    }
  }
  return made;
}

Result<Journal::LiveFile> Journal::draw_on_reserve(std::uint64_t least_bytes) {
  LiveFile drawn;
  drawn.path = spare_path();
  if (const auto size = options_.reserve->take_file(drawn.path, least_bytes)) {
    drawn.size_bytes = *size;
    return drawn;
  }
  // None is big enough, or none is left.
  auto made = create(least_bytes);
  while (!made && made.error().code() == ErrorCode::no_space && options_.reserve->release_file()) {
    made = create(least_bytes);
  }
  return made;
}

std::string Journal::spare_path() {
  return os::join_path(options_.directory, fmt::format("spare-{:06}.tmp", next_spare_++));
}

Result<Journal::LiveFile> Journal::create(std::uint64_t size_bytes) {
  LiveFile made;
  made.path = spare_path();
  made.size_bytes = size_bytes;
  RK_TRY(make_zeroed_file(platform_.files, made.path, size_bytes));
  return made;
}

Result<std::unique_ptr<os::File>> Journal::open_to_append(const std::string& path) {
  return platform_.files.open(
      path, {.direct = true, .write_through = !canary(Canary::kAnswerBeforeSync)});
}

bool Journal::is_current(std::uint64_t target) const {
  return current_target_ == target;
}

Result<void> Journal::activate(std::uint64_t target, std::uint64_t txn_before) {
  const os::MutexLock lock(mutex_);
  // A commit that was refused after its promise may have left a file that nobody needs.
  while (!promised_.empty() && promised_.front().target < target) {
    spares_.push_back(std::move(promised_.front()));
    promised_.pop_front();
  }
  RK_CHECK(!promised_.empty());
  RK_CHECK(promised_.front().target == target);
  LiveFile next = std::move(promised_.front());
  promised_.pop_front();

  next.seq = next_seq_++;
  platform_.random.fill(next.file_id);
  const JournalFileHeader header{.file_id = next.file_id,
                                 .environment_id = identity_.environment_id,
                                 .incarnation = identity_.incarnation,
                                 .predecessor_id = position_.file_id,
                                 .epoch = identity_.epoch,
                                 .seq = next.seq,
                                 .predecessor_batch = position_.batch,
                                 .predecessor_hash = position_.hash,
                                 .txn_before = txn_before,
                                 .size_bytes = next.size_bytes};
  const MutableBytes block = buffer_.take(kJournalBlock);
  const std::uint64_t hash = encode_journal_file_header(header, block);
  {
    RK_TRY_ASSIGN(auto file, open_to_append(next.path));
    RK_TRY(file->write_at(0, block));
  }
  const std::string path =
      os::join_path(options_.directory, journal_file_name(next.seq, next.file_id));
  RK_TRY(platform_.files.rename(next.path, path));
  next.path = path;
  if (!canary(Canary::kJournalWithoutDirectorySync)) {
    RK_TRY(platform_.files.sync_directory(options_.directory));
  }

  RK_TRY_ASSIGN(next.file, open_to_append(path));

  close_current(position_.batch);
  current_ = std::move(next);
  current_file_ = current_.file.get();
  current_target_ = target;
  write_offset_ = kJournalBlock;
  position_ = {current_.file_id, current_.seq, 0, 0, hash};
  return {};
}

Result<void> Journal::append(std::span<const BatchItem> items) {
  RK_CHECK(current_file_ != nullptr);
  std::uint64_t payload = 0;
  for (const BatchItem& item : items) {
    payload += item.bytes.size();
  }
  const std::uint64_t length = batch_length(items.size(), payload);
  const BatchHeader header{.file_id = position_.file_id,
                           .number = position_.batch + 1,
                           .epoch = identity_.epoch,
                           .offset = write_offset_,
                           .length = length,
                           .hash_before = position_.hash};
  const MutableBytes bytes = buffer_.take(static_cast<std::size_t>(length));
  const std::uint64_t hash = encode_batch(header, items, bytes);
  RK_TRY(current_file_->write_at(write_offset_, bytes));
  position_ = {position_.file_id, position_.seq, header.number, write_offset_, hash};
  write_offset_ += length;
  appended_bytes_.fetch_add(length);
  buffer_.shrink(kBufferKeptBytes);
  return {};
}

std::uint64_t Journal::next_seq() const {
  const os::MutexLock lock(mutex_);
  return next_seq_;
}

bool Journal::ends_at(const JournalPosition& position) const {
  if (position.file_id == Uuid{}) {
    return true;
  }
  const os::MutexLock lock(mutex_);
  if (current_.file != nullptr && current_.file_id == position.file_id) {
    return false;
  }
  const auto found = std::find_if(closed_.begin(), closed_.end(), [&](const ClosedJournal& file) {
    return file.file_id == position.file_id;
  });
  // A file that is not listed was retired whole.
  return found == closed_.end() || found->last_batch == position.batch;
}

// A retired file becomes the next one if nobody else has a name for it: its old batches are of
// another file id, so its contents do not matter.
bool Journal::keep_as_spare(const ClosedJournal& old) {
  // On a full disk a small one is better than none.
  if (spares_.size() >= kSparesMax || (old.size_bytes < next_size_ && !disk_full())) {
    return false;
  }
  LiveFile spare;
  spare.path = spare_path();
  spare.size_bytes = old.size_bytes;
  if (!platform_.files.rename(old.path, spare.path)) {
    return false;
  }
  const auto info = platform_.files.info(spare.path);
  if (info && *info && (*info)->link_count == 1 && (*info)->size_bytes == old.size_bytes) {
    spares_.push_back(std::move(spare));
    return true;
  }
  static_cast<void>(platform_.files.remove_file(spare.path));
  return true;
}

Result<void> Journal::retire(const JournalPosition& start, bool start_retired) {
  const os::MutexLock lock(mutex_);
  bool removed = false;
  std::vector<std::string> given_up;
  while (!closed_.empty()) {
    const ClosedJournal& oldest = closed_.front();
    const bool own = oldest.file_id == start.file_id;
    if (oldest.seq > start.seq || (own && !start_retired)) {
      break;
    }
    if (!keep_as_spare(oldest)) {
      if (disk_full()) {  // its name as a journal has to be gone before somebody else writes to it
        given_up.push_back(spare_path());
        RK_TRY(platform_.files.rename(oldest.path, given_up.back()));
      } else {
        RK_TRY(platform_.files.remove_file(oldest.path));
      }
    }
    closed_.erase(closed_.begin());
    removed = true;
  }
  if (removed) {
    RK_TRY(platform_.files.sync_directory(options_.directory));
  }
  for (const std::string& path : given_up) {
    give_up(path);
  }
  return {};
}

void Journal::give_up(const std::string& path) {
  if (options_.reserve == nullptr || !options_.reserve->take_back(path)) {
    static_cast<void>(platform_.files.remove_file(path));
  }
}

bool Journal::wants_spare() const {
  const os::MutexLock lock(mutex_);
  return reserve_target_ != 0 && spares_.empty() && reserve_room_ < reserve_size_ / 2 &&
         !disk_full();
}

// Made outside the lock: filling it takes long, and commits go on meanwhile.
Result<void> Journal::make_spare() {
  CreateOptions options;
  {
    const os::MutexLock lock(mutex_);
    options.size_bytes = next_size_;
  }
  RK_TRY_ASSIGN(auto made, create_or_shrink(options));
  const os::MutexLock lock(mutex_);
  spares_.push_back(std::move(made));
  double_next_size();
  return {};
}

void Journal::remove_spares() {
  const os::MutexLock lock(mutex_);
  for (const auto* files : {&spares_, &promised_}) {
    for (const LiveFile& file : *files) {
      give_up(file.path);
    }
  }
  spares_.clear();
  promised_.clear();
}

Journal::Stats Journal::stats() const {
  const os::MutexLock lock(mutex_);
  Stats stats;
  if (current_.file != nullptr) {
    stats = {current_.size_bytes, 1};
  }
  for (const ClosedJournal& file : closed_) {
    stats.bytes += file.size_bytes;
    ++stats.files;
  }
  return stats;
}

}  // namespace rookery::store
