// SPDX-License-Identifier: Apache-2.0
// Records: creating, changing and dropping databases.
#include <algorithm>
#include <array>
#include <utility>

#include "rookery/value/text.h"

#include "record_json.h"
#include "server_state.h"
#include "server_workers.h"

namespace rookery::db {

Server::State::NameLock::NameLock(State& state, std::vector<std::string> folded_names)
    : state_(state), folded_names_(std::move(folded_names)) {
  std::sort(folded_names_.begin(), folded_names_.end());
  folded_names_.erase(std::unique(folded_names_.begin(), folded_names_.end()), folded_names_.end());
  const os::MutexLock lock(state_.mutex_);
  for (std::size_t i = 0; i < folded_names_.size(); ++i) {
    // All take names in this order, so nobody waits in a circle.
    while (state_.busy_names_.contains(folded_names_[i])) {
      state_.changed_.wait(state_.mutex_);
    }
    state_.busy_names_.insert(folded_names_[i]);
  }
  if (state_.closing_) {
    for (const std::string& name : folded_names_) {
      state_.busy_names_.erase(name);
    }
    folded_names_.clear();
    state_.changed_.notify_all();
  }
}

Server::State::NameLock::~NameLock() {
  const os::MutexLock lock(state_.mutex_);
  for (const std::string& name : folded_names_) {
    state_.busy_names_.erase(name);
  }
  state_.changed_.notify_all();
}

Result<void> Server::State::NameLock::taken() const {
  return folded_names_.empty() ? Result<void>(ErrorCode::shutting_down) : Result<void>();
}

Server::State::EntryRef Server::State::find(std::string_view folded) const {
  const os::MutexLock lock(mutex_);
  const auto found = entries_.find(folded);
  return found == entries_.end() ? nullptr : found->second;
}

Result<Server::State::EntryRef> Server::State::existing(const NameLock& lock,
                                                        std::string_view name) const {
  RK_TRY(lock.taken());
  EntryRef entry = find(value::fold_case(name));
  if (entry == nullptr) {
    return unknown_database(name);
  }
  return entry;
}

doc::DatabaseId Server::State::new_id() {
  std::array<std::byte, 16> random{};
  platform_.random.fill(random);
  return doc::DatabaseId(random);
}

// The record of an entry whose name is locked.
Result<DatabaseRecord> Server::State::stored_record(const EntryRef& entry) {
  RK_TRY_ASSIGN(std::optional<DatabaseRecord> record, system_->record(entry->folded_name));
  if (!record.has_value()) {
    return Error(ErrorCode::corrupt).with_context("the record of '" + entry->name + "' is gone");
  }
  return std::move(*record);
}

void Server::State::adopt(const EntryRef& entry, const DatabaseRecord& record) {
  const os::MutexLock lock(mutex_);
  entry->name = record.name;
  entry->etag = record.etag;
  entry->id = record.id;
  entry->disabled = record.disabled;
  entry->lock_mode = record.lock_mode;
  if (entry->state == DatabaseState::kDisabled && !record.disabled) {
    entry->state = DatabaseState::kIdle;
  } else if (entry->state == DatabaseState::kIdle && record.disabled) {
    entry->state = DatabaseState::kDisabled;
  }
  if (record.etag > last_index_.load()) {
    last_index_.store(record.etag);
  }
}

// After a commit that may or may not have happened: believes what is stored.
void Server::State::refresh(const EntryRef& entry) {
  const Result<DatabaseRecord> record = stored_record(entry);
  if (record.has_value()) {
    adopt(entry, *record);
  } else {
    log(LogLevel::kError, "database '" + entry->name + "': " + record.error().to_string());
  }
}

Result<DatabaseRecord> Server::State::put_database(std::string_view name, value::View json,
                                                   std::optional<std::uint64_t> expected_etag) {
  RK_TRY(check_database_name(name));
  const std::string folded = value::fold_case(name);
  const NameLock name_lock(*this, {folded});
  RK_TRY(name_lock.taken());
  const EntryRef entry = find(folded);
  RK_TRY_ASSIGN(DatabaseRecord record,
                make_record(entry == nullptr ? name : std::string_view(entry->name), json));
  const std::uint64_t expected = expected_etag.value_or(0);
  if (entry == nullptr) {
    if (expected != 0) {
      return Error(ErrorCode::concurrency, "database '" + std::string(name) +
                                               "' does not exist, but the etag " +
                                               std::to_string(expected) + " was expected");
    }
    return create(name, folded, std::move(record));
  }
  if (entry->etag != expected) {
    return Error(ErrorCode::concurrency,
                 "database '" + entry->name + "' already exists" +
                     (expected == 0 ? std::string()
                                    : ", and its etag is " + std::to_string(entry->etag) +
                                          ", not " + std::to_string(expected)));
  }
  record.id = entry->id;
  return apply(entry, std::move(record));
}

Result<DatabaseRecord> Server::State::create(std::string_view name, const std::string& folded,
                                             DatabaseRecord record) {
  RK_TRY_ASSIGN(const bool has_files, folders_.database_exists(folded));
  if (!has_files) {
    store::EnvironmentOptions options = options_.environment;
    options.reserve = reserve_.get();
    if (const Result<void> built = folders_.build(folded, std::move(options)); !built) {
      folders_.undo_build(folded);
      return built.error().with_context("database '" + std::string(name) + "' was not created");
    }
  }
  record.id = new_id();
  if (const Result<void> created = system_->create_record(record); !created) {
    // Perhaps it was stored: then the next start finds folder and record, else the folder alone.
    if (created.error().code() != ErrorCode::outcome_unknown) {
      folders_.undo_build(folded);
    }
    return created.error();
  }
  if (const Result<void> completed = folders_.complete_creation(folded); !completed) {
    log(LogLevel::kWarning, "database '" + record.name + "' gets its folder when it is opened: " +
                                completed.error().to_string());
  }
  auto entry = std::make_shared<Entry>();
  entry->folded_name = folded;
  adopt(entry, record);
  const os::MutexLock lock(mutex_);
  entries_.emplace(folded, std::move(entry));
  return record;
}

// Replaces the record of an existing database, and brings the database into the state it asks for.
Result<DatabaseRecord> Server::State::apply(const EntryRef& entry, DatabaseRecord record) {
  if (record.disabled && !entry->disabled) {
    RK_TRY(retire(entry, DatabaseState::kDisabled, Closing::kFlushed));
  }
  if (const Result<void> stored = system_->put_records({&record}); !stored) {
    refresh(entry);
    return stored.error();
  }
  adopt(entry, record);
  return record;
}

Result<DatabaseRecord> Server::State::change_record(std::string_view name,
                                                    const RecordChange& change) {
  const NameLock name_lock(*this, {value::fold_case(name)});
  RK_TRY_ASSIGN(const EntryRef entry, existing(name_lock, name));
  RK_TRY_ASSIGN(const DatabaseRecord before, stored_record(entry));
  RK_TRY_ASSIGN(DatabaseRecord record, changed_record(before, change));
  return apply(entry, std::move(record));
}

Result<DatabaseRecord> Server::State::set_disabled(std::string_view name, bool disabled) {
  return change_record(name, {.disabled = disabled});
}

Result<DatabaseRecord> Server::State::put_settings(std::string_view name, value::View settings) {
  return change_record(name, {.settings = settings});
}

Result<void> Server::State::set_lock_mode(std::span<const std::string> names, LockMode mode) {
  std::vector<std::string> folded;
  for (const std::string& name : names) {
    folded.push_back(value::fold_case(name));
  }
  if (folded.empty()) {
    return {};
  }
  const NameLock name_lock(*this, folded);
  RK_TRY(name_lock.taken());
  std::vector<EntryRef> entries;
  std::vector<DatabaseRecord> records;
  for (std::size_t i = 0; i < folded.size(); ++i) {
    const EntryRef entry = find(folded[i]);
    if (entry == nullptr) {
      return unknown_database(names[i]);
    }
    RK_TRY_ASSIGN(const DatabaseRecord before, stored_record(entry));
    RK_TRY_ASSIGN(DatabaseRecord record, changed_record(before, {.lock_mode = mode}));
    entries.push_back(entry);
    records.push_back(std::move(record));
  }
  std::vector<DatabaseRecord*> pointers;
  for (DatabaseRecord& record : records) {
    pointers.push_back(&record);
  }
  const Result<void> stored = system_->put_records(pointers);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (stored.has_value()) {
      adopt(entries[i], records[i]);
    } else {
      refresh(entries[i]);
    }
  }
  return stored;
}

Result<DropResult> Server::State::drop_database(std::string_view name, bool hard) {
  const NameLock name_lock(*this, {value::fold_case(name)});
  RK_TRY_ASSIGN(const EntryRef entry, existing(name_lock, name));
  if (entry->lock_mode == LockMode::kPreventDeletesIgnore) {
    return DropResult{};
  }
  if (entry->lock_mode == LockMode::kPreventDeletesError) {
    return Error(ErrorCode::locked,
                 "database '" + entry->name + "' cannot be deleted because of the set lock mode");
  }
  const bool verified = options_.verify_on_delete && verify_if_ready(entry);
  RK_TRY(retire(entry, DatabaseState::kDropping, hard ? Closing::kUnflushed : Closing::kFlushed));
  if (options_.verify_on_delete && !verified) {
    verify_closed(entry);
  }
  RK_TRY_ASSIGN(const std::uint64_t index, erase(entry, hard));
  return DropResult{index};
}

// From the commit on the database is gone; what follows only takes its files away.
Result<std::uint64_t> Server::State::erase(const EntryRef& entry, bool hard) {
  const Result<void> kept = hard ? Result<void>() : folders_.sync();
  const Result<SystemStore::Erased> erased =
      kept.has_value() ? system_->erase_record(entry->folded_name, hard) : kept.error();
  if (!erased) {
    set_state(entry, DatabaseState::kIdle);
    refresh(entry);
    return erased.error();
  }
  if (erased->index > last_index_.load()) {
    last_index_.store(erased->index);
  }
  if (erased->deletion.has_value()) {
    if (const Result<void> renamed = folders_.begin_deletion(*erased->deletion); !renamed) {
      // The name stays taken until the next start, which completes the drop before anything else.
      return renamed.error().with_context("database '" + entry->name +
                                          "' is dropped, but its folder keeps its name");
    }
  }
  const os::MutexLock lock(mutex_);
  entries_.erase(entry->folded_name);
  changed_.notify_all();
  if (erased->deletion.has_value()) {
    deletions_.push_back(*erased->deletion);
    ++stats_.deletions_pending;
    background_->wake(*deletion_worker_);
  }
  return erased->index;
}

// Verifies through a use of the database, if it is open.
bool Server::State::verify_if_ready(const EntryRef& entry) {
  DatabaseRef database;
  {
    const os::MutexLock lock(mutex_);
    if (entry->state != DatabaseState::kReady) {
      return false;
    }
    database = make_ref(entry);
  }
  count_verified(*entry, database->verify());
  return true;
}

// Opens what is retired, only to verify it.
void Server::State::verify_closed(const EntryRef& entry) {
  const Result<std::unique_ptr<Database>> database = open_database(*entry);
  if (!database) {
    return count_verified(*entry, database.error());
  }
  count_verified(*entry, (*database)->verify());
  if (const Result<void> closed = (*database)->close(); !closed) {
    log(LogLevel::kWarning, "database '" + entry->name + "': " + closed.error().to_string());
  }
}

void Server::State::count_verified(const Entry& entry, const Result<store::VerifyReport>& report) {
  std::vector<std::string> problems;
  if (report.has_value()) {
    problems = report->problems;
  } else {
    problems.push_back(report.error().to_string());
  }
  for (const std::string& problem : problems) {
    log(LogLevel::kError, "verify before drop of '" + entry.name + "': " + problem);
  }
  const os::MutexLock lock(mutex_);
  ++stats_.verified_on_delete_count;
  stats_.verify_problem_count += problems.empty() ? 0U : 1U;
}

Result<void> Server::State::recover_folders() {
  RK_TRY_ASSIGN(const std::vector<DatabaseRecord> records, system_->records());
  for (const DatabaseRecord& record : records) {
    auto entry = std::make_shared<Entry>();
    entry->folded_name = value::fold_case(record.name);
    adopt(entry, record);
    const os::MutexLock lock(mutex_);
    entries_.emplace(entry->folded_name, std::move(entry));
  }
  RK_TRY_ASSIGN(const std::vector<Deletion> deletions, system_->deletions());
  for (const Deletion& deletion : deletions) {
    if (!deletion.source.empty() && find(deletion.source) == nullptr) {
      RK_TRY(folders_.begin_deletion(deletion));
    }
    const os::MutexLock lock(mutex_);
    deletions_.push_back(deletion);
    ++stats_.deletions_pending;
  }
  RK_TRY_ASSIGN(const std::vector<std::string> unfinished, folders_.unfinished_creations());
  for (const std::string& folded : unfinished) {
    // Without a record it never existed; with one and a folder of its name it is of no use.
    RK_TRY_ASSIGN(const bool has_files, folders_.database_exists(folded));
    if (has_files || find(folded) == nullptr) {
      folders_.undo_build(folded);
    } else {
      RK_TRY(folders_.complete_creation(folded));
    }
  }
  return {};
}

}  // namespace rookery::db
