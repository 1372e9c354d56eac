// SPDX-License-Identifier: Apache-2.0
// How an environment comes to be, and comes back.
#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "aligned_buffer.h"
#include "engine.h"

namespace rookery::store {
namespace {

constexpr std::uint64_t kRecoveredSeq = 1;

Result<void> ensure_directory(os::FileSystem& files, const std::string& path) {
  auto made = files.create_directory(path);
  if (!made && made.error().code() != ErrorCode::already_exists) {
    return made;
  }
  return {};
}

// False: the list is full.
bool add_incarnation(HeaderRecord& record, const Uuid& incarnation) {
  const auto end = record.incarnations.begin() + record.incarnation_count;
  if (std::find(record.incarnations.begin(), end, incarnation) != end) {
    return true;
  }
  if (record.incarnation_count == kIncarnationsMax) {
    return false;
  }
  record.incarnations[record.incarnation_count++] = incarnation;
  return true;
}

}  // namespace

Engine::Engine(os::Platform& platform, EnvironmentOptions options)
    : platform_(platform),
      options_(std::move(options)),
      journal_path_(os::join_path(options_.path, "Journals")),
      temp_path_(os::join_path(options_.path, "Temp")),
      scratch_(platform, temp_path_,
               {.memory_bytes_max = options_.scratch_memory_bytes_max,
                .total_bytes_max = options_.scratch_total_bytes_max,
                .memory_only = options_.read_only,
                .budget = options_.memory_budget}),
      states_(scratch_),
      journal_(platform, {.directory = journal_path_,
                          .size_first_bytes = options_.journal_size_first_bytes,
                          .size_max_bytes = options_.journal_size_max_bytes,
                          .reserve = options_.reserve}),
      headers_(platform, options_.path) {}

Engine::~Engine() {
  RK_CHECK(states_.open_count() == 0);
}

Result<std::unique_ptr<Engine>> Engine::open(os::Platform& platform, EnvironmentOptions options) {
  auto engine = std::unique_ptr<Engine>(new Engine(platform, std::move(options)));
  const EnvironmentOptions& wanted = engine->options_;
  RK_TRY_ASSIGN(const auto header, platform.files.info(os::join_path(wanted.path, "header.one")));
  if (!header) {
    if (wanted.read_only || !wanted.create_if_missing) {
      return Error(ErrorCode::not_found, fmt::format("{}: no environment", wanted.path));
    }
    RK_TRY(engine->create_folder());
  }
  RK_TRY(engine->load());
  return engine;
}

// An environment exists once header.one does, which is the last thing to appear; whatever a cut
// left before that holds nothing, and is made again.
Result<void> Engine::create_folder() {
  os::FileSystem& files = platform_.files;
  RK_TRY(os::create_directories(files, options_.path));
  RK_TRY(files.sync_directory(os::parent_path(options_.path)));
  RK_TRY_ASSIGN(data_, DataFile::open(platform_, os::join_path(options_.path, "data.rks"), true));
  RK_TRY_ASSIGN(const auto made_meanwhile, files.info(os::join_path(options_.path, "header.one")));
  if (made_meanwhile) {
    return {};
  }
  RK_TRY(ensure_directory(files, journal_path_));
  RK_TRY(ensure_directory(files, temp_path_));
  RK_TRY_ASSIGN(const auto journals, files.list(journal_path_));
  if (data_->size_bytes() > 0 || !journals.empty()) {
    return Error(ErrorCode::corrupt,
                 fmt::format("{}: there is data, but header.one is missing", options_.path));
  }
  RK_TRY(files.sync_directory(options_.path));
  const HeaderRecord record = new_record();
  const os::MutexLock lock(header_mutex_);
  return headers_.create(record);
}

HeaderRecord Engine::new_record() {
  HeaderRecord record;
  platform_.random.fill(record.environment_id);
  record.meta.catalog.owner = kCatalogOwner;
  return record;
}

// Three syncs: of each header and of the folder. data.rks is empty and its name all there is of it.
Result<void> Engine::create(os::Platform& platform, const EnvironmentOptions& options) {
  Engine engine(platform, options);
  os::FileSystem& files = platform.files;
  RK_TRY(files.create_directory(options.path));
  RK_TRY(files.create_directory(engine.journal_path_));
  RK_TRY(files.create_directory(engine.temp_path_));
  RK_TRY(
      files.open(os::join_path(options.path, "data.rks"), {.creation = os::Creation::kCreateNew}));
  const HeaderRecord record = engine.new_record();
  const os::MutexLock lock(engine.header_mutex_);
  return engine.headers_.create_unguarded(record);
}

Result<void> Engine::empty_folder(const std::string& path, std::string_view suffix) {
  RK_TRY(ensure_directory(platform_.files, path));
  RK_TRY_ASSIGN(const auto names, platform_.files.list(path));
  for (const std::string& name : names) {
    if (std::string_view(name).ends_with(suffix)) {
      RK_TRY(platform_.files.remove_file(os::join_path(path, name)));
    }
  }
  return {};
}

Result<void> Engine::load() {
  if (data_ == nullptr) {
    RK_TRY_ASSIGN(data_,
                  DataFile::open(platform_, os::join_path(options_.path, "data.rks"), false));
  }
  RecoveryInput input{journal_path_, {}, false};
  {
    const os::MutexLock lock(header_mutex_);
    RK_TRY_ASSIGN(const auto loaded, headers_.load(options_.read_only));
    record_ = loaded.record;
    input.header = loaded.record;
    input.other_header_unreadable = loaded.other_unreadable;
  }
  if (data_->size_bytes() / kPageSize < input.header.meta.page_count) {
    return Error(ErrorCode::corrupt,
                 fmt::format("{}: data.rks has {} bytes, its header says {} pages", options_.path,
                             data_->size_bytes(), input.header.meta.page_count));
  }
  if (!options_.read_only) {
    RK_TRY(empty_folder(temp_path_, ""));
    RK_TRY(empty_folder(journal_path_, ".tmp"));
  }
  RK_TRY(data_->map_first());
  RK_TRY_ASSIGN(auto recovered, recover(platform_, input, kRecoveredSeq, scratch_));
  // From here on the page table is the state's.
  publish_recovered(recovered);
  synced_txn_.store(input.header.meta.txn);
  environment_id_ = input.header.environment_id;
  opened_txn_ = recovered.meta.txn;
  batches_replayed_ = recovered.batches_replayed;
  torn_tails_ = recovered.torn_tails;
  last_sync_ns_.store(platform_.clock.monotonic().time_since_epoch().count());
  if (options_.read_only) {
    return {};
  }
  RK_TRY(harden_tail(recovered.tail));
  return begin_epoch(recovered);
}

void Engine::publish_recovered(const Recovered& recovered) {
  auto state = std::make_unique<EnvironmentState>();
  state->seq = kRecoveredSeq;
  state->meta = recovered.meta;
  state->table = recovered.table;
  state->map = data_->map();
  state->position = recovered.last_commit;
  EnvironmentState* raw = state.get();
  std::vector<std::unique_ptr<EnvironmentState>> states;
  states.push_back(std::move(state));
  states_.publish(std::move(states));
  const os::MutexLock lock(commit_mutex_);
  tip_ = raw;
}

// The last batch was read whole, but the process that wrote it may have died before its write was
// durable, or after being told that it failed. Before anyone builds on it, it is made durable: the
// same bytes at the same place. Batches before it are: each was submitted when the one before was.
Result<void> Engine::harden_tail(const TailBatch& tail) {
  if (tail.bytes.empty()) {
    return {};
  }
  RK_TRY_ASSIGN(auto file,
                platform_.files.open(tail.path, {.direct = true, .write_through = true}));
  AlignedBuffer buffer;
  const MutableBytes bytes = buffer.take(tail.bytes.size());
  std::memcpy(bytes.data(), tail.bytes.data(), bytes.size());
  return file->write_at(tail.offset, bytes);
}

// A new epoch and a new incarnation, durable before the first commit; and the fence: what lies
// behind the last batch that counts never will.
Result<void> Engine::begin_epoch(const Recovered& recovered) {
  platform_.random.fill(incarnation_);
  if (recovered.last.batch == 0 && !recovered.files.empty()) {
    // The newest file has no batch yet: its maker may have died before its name was durable, which
    // the header is about to rely on.
    RK_TRY(platform_.files.sync_directory(journal_path_));
  }
  const os::MutexLock lock(header_mutex_);
  RK_TRY(headers_.harden(record_));
  HeaderRecord next = record_;
  next.epoch = std::max(next.epoch, recovered.epoch_newest) + 1;
  next.incarnation = incarnation_;
  next.next_seq = recovered.next_seq;
  next.fence = recovered.last;
  next.has_fence = 1;
  next.floor = recovered.last;
  if (recovered.meta.txn == next.meta.txn) {
    next.incarnation_count = 0;  // nothing is left to replay
  }
  // Only a header that lost its younger twin can lack one that was replayed.
  bool fits = true;
  for (const Uuid& replayed : recovered.incarnations) {
    fits = add_incarnation(next, replayed) && fits;
  }
  fits = add_incarnation(next, incarnation_) && fits;
  if (!fits) {
    const os::MutexLock commit_lock(commit_mutex_);
    incarnations_full_ = true;  // the first writer syncs, which empties the list
  }
  RK_TRY(headers_.write(next));
  record_ = next;
  journal_.resume(
      {.environment_id = next.environment_id, .incarnation = incarnation_, .epoch = next.epoch},
      recovered.last, recovered.next_seq, recovered.files);
  return {};
}

}  // namespace rookery::store
