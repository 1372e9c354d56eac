// SPDX-License-Identifier: Apache-2.0
// The life of a database's indexes: opened, made, widened, retired.
#include "indexes_state.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>
#include <utility>

#include "rookery/base/check.h"
#include "rookery/value/text.h"

#include "label.h"

namespace rookery::index {

namespace {

constexpr std::size_t kFolderNameMax = 80;
// While folders wait to be removed.
constexpr os::Duration kBurialInterval = std::chrono::seconds(1);

std::string last_name(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

}  // namespace

class Indexes::State::Housekeeper final : public os::Worker {
 public:
  explicit Housekeeper(State& state) : state_(state) {}

  [[nodiscard]] std::string_view name() const noexcept override { return "rk.idx.house"; }

  [[nodiscard]] os::Priority priority() const noexcept override { return os::Priority::kLow; }

  bool run_once() override { return state_.keep_house(); }

 private:
  State& state_;
};

Indexes::State::State(os::Platform& platform, os::Executor& executor, store::Environment& documents,
                      IndexesOptions options)
    : around_{platform,
              executor,
              documents,
              options.database,
              options.settings,
              std::move(options.environment),
              std::move(options.log)},
      path_(std::move(options.path)),
      housekeeper_(std::make_unique<Housekeeper>(*this)),
      paused_(options.start_paused) {}

Indexes::State::~State() = default;

Result<void> Indexes::State::open() {
  RK_TRY_ASSIGN(const doc::Snapshot documents, doc::Snapshot::open(around_.documents));
  RK_TRY_ASSIGN(opened_etag_, documents->last_etag());
  RK_TRY_ASSIGN(const std::optional<os::FileInfo> there, around_.platform.files.info(path_));
  if (there.has_value()) {
    RK_TRY_ASSIGN(const std::vector<std::string> folders, around_.platform.files.list(path_));
    for (const std::string& folder : folders) {
      open_one(os::join_path(path_, folder), opened_etag_);
    }
  }
  note_superseded();
  around_.executor.attach(*housekeeper_);
  if (!entries().empty()) {
    around_.executor.wake(*housekeeper_);
  }
  for (const Entry& one : entries()) {
    if (one.index != nullptr) {
      one.index->set_paused(is_paused());
      one.index->start();
    }
  }
  return {};
}

void Indexes::State::open_one(const std::string& path, std::uint64_t last_etag) {
  Result<IndexRef> opened = Index::open(around_, path, last_etag);
  Entry entry;
  entry.path = path;
  // The label is the last thing that the making of an index writes.
  const bool is_unfinished = opened.has_value()
                                 ? *opened == nullptr
                                 : !has_label(around_.platform.files, path).value_or(true);
  if (is_unfinished) {
    // If that fails, the next start tries again.
    static_cast<void>(remove_index_folder(around_.platform.files, path));
    return;
  }
  if (opened.has_value()) {
    entry.definition = (*opened)->definition();
    if (!has_label(around_.platform.files, path).value_or(true)) {
      // Made anew, or cut short before its last step. Without a label it is an index all the same.
      static_cast<void>(write_label(around_.platform.files, path, entry.definition));
    }
    entry.index = std::move(*opened);
  } else {
    entry.fault = opened.error();
    const std::string folder = last_name(path);
    entry.definition =
        read_label(around_.platform.files, path).value_or(Definition{folder, "", {}});
    if (around_.log != nullptr) {
      around_.log(Severity::kError, "index '" + entry.definition.name +
                                        "' cannot be opened: " + opened.error().to_string());
    }
  }
  const os::MutexLock lock(mutex_);
  const std::string folded = value::fold_case(entry.definition.name);
  const auto [at, added] = entries_.try_emplace(folded, entry);
  if (!added) {
    // A reset was cut short between making the new one and marking the old one. Either will do.
    RK_CHECK(entry.path != at->second.path);
    if (at->second.index == nullptr) {
      std::swap(at->second, entry);
    }
    if (entry.index != nullptr) {
      graveyard_.push_back(std::move(entry.index));
    }
  }
}

// What was superseded before a restart still is.
void Indexes::State::note_superseded() {
  const os::MutexLock lock(mutex_);
  for (auto& [folded, narrow] : entries_) {
    for (const auto& [other, wide] : entries_) {
      if (other != folded && wide.index != nullptr && !wide.superseded_at.has_value() &&
          value::equal_folded(narrow.definition.collection, wide.definition.collection) &&
          covers(wide.definition.fields, narrow.definition.fields)) {
        narrow.superseded_at = around_.platform.clock.monotonic();
        narrow.successor = other;
      }
    }
  }
}

void Indexes::State::set_waiting(bool allowed) {
  {
    const os::MutexLock lock(mutex_);
    waiting_allowed_ = allowed;
  }
  // With no lock held: who waits is called back.
  for (const Entry& one : entries()) {
    if (one.index != nullptr) {
      one.index->set_waiting(allowed);
    }
  }
}

Result<void> Indexes::State::close() {
  set_waiting(false);
  const os::MutexLock creation(creation_);
  std::vector<IndexRef> all;
  {
    const os::MutexLock lock(mutex_);
    if (std::exchange(closed_, true)) {
      return {};
    }
    for (auto& [folded, entry] : entries_) {
      if (entry.index != nullptr) {
        all.push_back(std::move(entry.index));
      }
    }
    entries_.clear();
    std::move(graveyard_.begin(), graveyard_.end(), std::back_inserter(all));
    graveyard_.clear();
  }
  around_.executor.detach(*housekeeper_);
  Result<void> result;
  for (const IndexRef& index : all) {
    if (Result<void> closed = index->close(); !closed && result.has_value()) {
      result = closed.error().with_context("index '" + index->definition().name + "'");
    }
  }
  return result;
}

void Indexes::State::note_commit() {
  const os::MutexLock lock(mutex_);
  for (const auto& [folded, entry] : entries_) {
    if (entry.index != nullptr) {
      entry.index->wake();
    }
  }
}

std::optional<Indexes::State::Entry> Indexes::State::entry(std::string_view name) const {
  const std::string folded = value::fold_case(name);
  const os::MutexLock lock(mutex_);
  const auto found = entries_.find(folded);
  return found == entries_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<Indexes::State::Entry> Indexes::State::entries() const {
  const os::MutexLock lock(mutex_);
  std::vector<Entry> all;
  for (const auto& [folded, entry] : entries_) {
    all.push_back(entry);
  }
  return all;
}

bool Indexes::State::is_paused() const {
  const os::MutexLock lock(mutex_);
  return paused_;
}

// nullopt: none covers the fields.
std::optional<Result<Indexes::Choice>> Indexes::State::choose_existing(
    std::string_view collection, const std::vector<IndexedField>& fields) const {
  const Entry* best = nullptr;
  const Entry* faulty = nullptr;
  const std::string folded = value::fold_case(collection);
  // One that has caught up, then one that lives on, then the narrowest.
  const auto rank = [](const Entry& entry) {
    return std::make_tuple(!entry.index->has_caught_up(), entry.superseded_at.has_value(),
                           entry.definition.fields.size());
  };
  const os::MutexLock lock(mutex_);
  for (const auto& [name, entry] : entries_) {
    if (value::fold_case(entry.definition.collection) != folded ||
        !covers(entry.definition.fields, fields)) {
      continue;
    }
    if (entry.index == nullptr) {
      faulty = &entry;
    } else if (best == nullptr || rank(entry) < rank(*best)) {
      best = &entry;
    }
  }
  if (best != nullptr) {
    return Result<Choice>(Choice{best->index, "It covers all fields that the query uses."});
  }
  if (faulty != nullptr) {
    return Result<Choice>(
        faulty->fault->with_context("index '" + faulty->definition.name + "' is faulty"));
  }
  return std::nullopt;
}

Result<Indexes::Choice> Indexes::State::choose(std::string_view collection,
                                               const std::vector<IndexedField>& fields) {
  if (auto chosen = choose_existing(collection, fields); chosen.has_value()) {
    return std::move(*chosen);
  }
  const os::MutexLock creation(creation_);
  if (auto chosen = choose_existing(collection, fields); chosen.has_value()) {
    return std::move(*chosen);
  }
  return widen(collection, fields);
}

// A new index with the fields of those it makes superfluous.
Result<Indexes::Choice> Indexes::State::widen(std::string_view collection,
                                              const std::vector<IndexedField>& fields) {
  const std::string folded_collection = value::fold_case(collection);
  Definition definition{"", std::string(collection), {}};
  std::vector<std::string> superseded;
  {
    const os::MutexLock lock(mutex_);
    if (closed_) {
      return Error(ErrorCode::shutting_down);
    }
    for (const auto& [folded, entry] : entries_) {
      if (value::fold_case(entry.definition.collection) == folded_collection &&
          entry.index != nullptr && !entry.superseded_at.has_value() &&
          entry.index->settings().lock == IndexLock::kUnlock) {
        superseded.push_back(folded);
        merge_fields(definition.fields, entry.definition.fields);
      }
    }
  }
  merge_fields(definition.fields, fields);
  definition.name = auto_index_name(definition.collection, definition.fields);
  StoredSettings settings;
  settings.created = around_.platform.clock.wall();
  RK_TRY_ASSIGN(IndexRef index, make(std::move(definition), settings));
  const std::string folded = value::fold_case(index->definition().name);
  const bool replaces = !superseded.empty();
  const os::MutexLock lock(mutex_);
  for (const std::string& name : superseded) {
    if (const auto found = entries_.find(name); found != entries_.end() && name != folded) {
      found->second.superseded_at = around_.platform.clock.monotonic();
      found->second.successor = folded;
    }
  }
  around_.executor.wake_after(*housekeeper_, std::min(around_.settings.superseded_kept,
                                                      around_.settings.housekeeping_interval));
  return Choice{std::move(index), replaces ? "No index had all fields: a wider one was made."
                                           : "There was no index for it: one was made."};
}

std::string Indexes::State::new_folder(std::string_view name) {
  std::string folder;
  for (const char c : name.substr(0, kFolderNameMax)) {
    const bool is_plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
    folder += is_plain ? c : '_';
  }
  std::array<std::byte, 8> random{};
  around_.platform.random.fill(random);
  constexpr std::string_view kDigits = "0123456789abcdef";
  folder += '.';
  for (const std::byte byte : random) {
    folder += kDigits[std::to_integer<unsigned>(byte) >> 4U];
    folder += kDigits[std::to_integer<unsigned>(byte) & 15U];
  }
  return folder;
}

// Requires: creation_ is held. A name that is taken gets a number: names of fields that differ only
// by case make indexes whose names do.
Result<IndexRef> Indexes::State::make(Definition definition, const StoredSettings& settings) {
  const std::string wanted = definition.name;
  for (int i = 2; entry(definition.name).has_value(); ++i) {
    definition.name = wanted + "#" + std::to_string(i);
  }
  os::FileSystem& files = around_.platform.files;
  RK_TRY_ASSIGN(const std::optional<os::FileInfo> there, files.info(path_));
  if (!there.has_value()) {
    RK_TRY(files.create_directory(path_));
    RK_TRY(files.sync_directory(os::parent_path(path_)));
  }
  const std::string path = os::join_path(path_, new_folder(definition.name));
  Entry entry;
  entry.path = path;
  entry.definition = definition;
  RK_TRY_ASSIGN(entry.index, Index::create(around_, path, std::move(definition), settings));
  const Result<void> labelled = write_label(files, path, entry.definition);
  const Result<void> synced = labelled ? files.sync_directory(path_) : labelled;
  if (!synced) {
    // Without its folder's name being durable it would be lost at a power cut, which is harmless;
    // but what fails here fails later as well.
    RK_TRY(entry.index->close());
    RK_TRY(remove_index_folder(files, path));
    return synced.error();
  }
  IndexRef index = entry.index;
  bool paused = false;
  bool waiting_allowed = true;
  {
    const os::MutexLock lock(mutex_);
    entries_.emplace(value::fold_case(entry.definition.name), std::move(entry));
    paused = paused_;
    waiting_allowed = waiting_allowed_;
  }
  index->set_paused(paused);
  index->set_waiting(waiting_allowed);
  index->start();
  return index;
}

// Takes an index that no query finds any more out of the world. Calls back who waits for it, so no
// lock is held.
void Indexes::State::retire(Entry entry) {
  if (entry.index == nullptr) {
    if (const Result<void> removed = remove_index_folder(around_.platform.files, entry.path);
        !removed && around_.log != nullptr) {
      around_.log(Severity::kWarning, "cannot remove the folder of index '" +
                                          entry.definition.name +
                                          "': " + removed.error().to_string());
    }
    return;
  }
  entry.index->stop();
  if (const Result<void> marked = entry.index->mark_deleted(); !marked && around_.log != nullptr) {
    around_.log(Severity::kWarning,
                "index '" + entry.definition.name +
                    "' may come back at the next start: " + marked.error().to_string());
  }
  const os::MutexLock lock(mutex_);
  graveyard_.push_back(std::move(entry.index));
  around_.executor.wake(*housekeeper_);
}

Result<bool> Indexes::State::erase(std::string_view name) {
  const std::string folded = value::fold_case(name);
  Entry entry;
  {
    const os::MutexLock creation(creation_);
    const os::MutexLock lock(mutex_);
    const auto found = entries_.find(folded);
    if (found == entries_.end()) {
      return false;
    }
    entry = std::move(found->second);
    entries_.erase(found);
  }
  retire(std::move(entry));
  return true;
}

Result<bool> Indexes::State::reset(std::string_view name) {
  const std::string folded = value::fold_case(name);
  Entry entry;
  {
    const os::MutexLock creation(creation_);
    {
      const os::MutexLock lock(mutex_);
      const auto found = entries_.find(folded);
      if (found == entries_.end()) {
        return false;
      }
      if (found->second.definition.collection.empty()) {
        return Error(ErrorCode::corrupt,
                     "index '" + found->second.definition.name +
                         "' is so damaged that its definition is unknown: delete it, and the next "
                         "query makes it anew");
      }
      entry = std::move(found->second);
      entries_.erase(found);
    }
    StoredSettings settings;
    settings.created = around_.platform.clock.wall();
    if (entry.index != nullptr) {
      settings = entry.index->settings();
    }
    if (const Result<IndexRef> made = make(entry.definition, settings); !made) {
      const os::MutexLock lock(mutex_);
      entries_.emplace(folded, std::move(entry));
      return made.error();
    }
  }
  retire(std::move(entry));
  return true;
}

bool Indexes::State::set_paused(std::string_view name, bool paused) {
  if (!name.empty()) {
    const std::optional<Entry> found = entry(name);
    if (found.has_value() && found->index != nullptr) {
      found->index->set_paused(paused);
    }
    return found.has_value();
  }
  {
    const os::MutexLock lock(mutex_);
    paused_ = paused;
  }
  for (const Entry& one : entries()) {
    if (one.index != nullptr) {
      one.index->set_paused(paused);
    }
  }
  return true;
}

bool Indexes::State::is_over(const Entry& entry, os::MonotonicTime now) const {
  if (entry.index == nullptr || entry.index->settings().lock != IndexLock::kUnlock) {
    return false;
  }
  if (entry.superseded_at.has_value()) {
    const auto successor = entries_.find(entry.successor);
    const bool is_replaced = successor != entries_.end() && successor->second.index != nullptr &&
                             successor->second.index->has_caught_up();
    return is_replaced && now - *entry.superseded_at >= around_.settings.superseded_kept;
  }
  const os::Duration unused = now - entry.index->last_use();
  entry.index->set_idle(unused >= around_.settings.idle_after);
  return unused >= around_.settings.idle_after + around_.settings.delete_after_idle;
}

bool Indexes::State::keep_house() {
  // Whoever holds it is making or removing an index, and may wait for this worker's executor.
  if (!creation_.try_lock()) {
    around_.executor.wake_after(*housekeeper_, kBurialInterval);
    return false;
  }
  std::vector<Entry> over;
  bool has_superseded = false;
  {
    const os::MutexLock lock(mutex_);
    const os::MonotonicTime now = around_.platform.clock.monotonic();
    for (auto at = entries_.begin(); at != entries_.end();) {
      if (is_over(at->second, now)) {
        over.push_back(std::move(at->second));
        at = entries_.erase(at);
      } else {
        has_superseded = has_superseded || at->second.superseded_at.has_value();
        ++at;
      }
    }
  }
  creation_.unlock();
  for (Entry& entry : over) {
    retire(std::move(entry));
  }
  reopen_faulty();
  const bool buried = bury();
  if (buried && entries().empty()) {
    return false;  // whoever makes one wakes us
  }
  const os::Duration next = !buried          ? kBurialInterval
                            : has_superseded ? around_.settings.superseded_kept
                                             : around_.settings.housekeeping_interval;
  around_.executor.wake_after(*housekeeper_, next);
  return false;
}

void Indexes::State::reopen_faulty() {
  for (const Entry& one : entries()) {
    if (one.index != nullptr || one.fault->error_class() != ErrorClass::kRetry) {
      continue;
    }
    Result<IndexRef> opened = Index::open(around_, one.path, opened_etag_);
    if (!opened.has_value() || *opened == nullptr) {
      continue;
    }
    const IndexRef index = std::move(*opened);
    bool is_wanted = false;
    {
      const os::MutexLock lock(mutex_);
      const auto found = entries_.find(value::fold_case(one.definition.name));
      if (found != entries_.end() && found->second.index == nullptr && !closed_) {
        found->second.index = index;
        found->second.definition = index->definition();
        found->second.fault.reset();
        is_wanted = true;
      } else {
        graveyard_.push_back(index);
      }
    }
    if (is_wanted) {
      index->set_paused(is_paused());
      index->start();
    }
  }
}

// True: nothing is left to bury.
bool Indexes::State::bury() {
  std::vector<IndexRef> free;
  bool is_empty = true;
  {
    const os::MutexLock lock(mutex_);
    const auto used = std::partition(graveyard_.begin(), graveyard_.end(),
                                     [](const IndexRef& index) { return index.use_count() == 1; });
    std::move(graveyard_.begin(), used, std::back_inserter(free));
    graveyard_.erase(graveyard_.begin(), used);
    is_empty = graveyard_.empty();
  }
  for (const IndexRef& index : free) {
    Result<void> gone = index->close();
    if (gone.has_value()) {
      gone = remove_index_folder(around_.platform.files, index->path());
    }
    if (!gone && around_.log != nullptr) {
      // It is marked as deleted: the next start tries again.
      around_.log(Severity::kWarning, "cannot remove the folder of index '" +
                                          index->definition().name +
                                          "': " + gone.error().to_string());
    }
  }
  return is_empty;
}

}  // namespace rookery::index
