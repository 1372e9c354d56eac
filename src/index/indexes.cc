// SPDX-License-Identifier: Apache-2.0
#include "rookery/index/indexes.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "rookery/value/text.h"

#include "indexes_state.h"

namespace rookery::index {

namespace {

// Calls back when the last of several waits has ended.
class Gathering {
 public:
  Gathering(std::size_t count, std::function<void(bool)> done)
      : left_(count), done_(std::move(done)) {}

  void end_one(bool reached) {
    if (!reached) {
      all_reached_.store(false);
    }
    if (left_.fetch_sub(1) == 1) {
      done_(all_reached_.load());
    }
  }

 private:
  std::atomic<std::size_t> left_;
  std::atomic<bool> all_reached_ = true;
  std::function<void(bool)> done_;
};

bool is_wanted(const Definition& definition, const std::vector<std::string>& collections,
               const std::vector<std::string>& names) {
  const auto has = [](const std::vector<std::string>& list, const std::string& one) {
    return std::any_of(list.begin(), list.end(), [&one](const std::string& other) {
      return value::equal_folded(one, other);
    });
  };
  if (!names.empty()) {
    return has(names, definition.name);
  }
  return collections.empty() || definition.covers_all_documents() ||
         has(collections, definition.collection);
}

IndexInfo faulty_info(const Definition& definition, const Error& fault) {
  IndexInfo info;
  info.definition = definition;
  info.state = IndexState::kFaulty;
  info.status = RunningStatus::kPending;
  info.fault = fault.to_string();
  info.error_count = 1;
  return info;
}

}  // namespace

Indexes::Indexes(std::unique_ptr<State> state) : state_(std::move(state)) {}

Indexes::~Indexes() {
  static_cast<void>(close());
}

Result<std::unique_ptr<Indexes>> Indexes::open(os::Platform& platform, os::Executor& executor,
                                               store::Environment& documents,
                                               IndexesOptions options) {
  auto state = std::make_unique<State>(platform, executor, documents, std::move(options));
  RK_TRY(state->open());
  return std::unique_ptr<Indexes>(new Indexes(std::move(state)));
}

void Indexes::note_commit() {
  state_->note_commit();
}

Result<Indexes::Choice> Indexes::choose(std::string_view collection,
                                        const std::vector<IndexedField>& fields) {
  return state_->choose(collection, fields);
}

IndexRef Indexes::find(std::string_view name) const {
  std::optional<State::Entry> found = state_->entry(name);
  return found.has_value() ? std::move(found->index) : nullptr;
}

std::optional<Error> Indexes::fault(std::string_view name) const {
  const std::optional<State::Entry> found = state_->entry(name);
  return found.has_value() ? found->fault : std::nullopt;
}

Result<std::vector<IndexInfo>> Indexes::list() const {
  std::vector<IndexInfo> all;
  for (const State::Entry& entry : state_->entries()) {
    if (entry.index == nullptr) {
      all.push_back(faulty_info(entry.definition, *entry.fault));
    } else {
      RK_TRY_ASSIGN(IndexInfo info, entry.index->info());
      all.push_back(std::move(info));
    }
  }
  return all;
}

Result<std::optional<IndexInfo>> Indexes::info(std::string_view name) const {
  const std::optional<State::Entry> found = state_->entry(name);
  if (!found.has_value()) {
    return std::optional<IndexInfo>();
  }
  if (found->index == nullptr) {
    return std::optional(faulty_info(found->definition, *found->fault));
  }
  RK_TRY_ASSIGN(IndexInfo info, found->index->info());
  return std::optional(std::move(info));
}

std::vector<std::string> Indexes::names() const {
  std::vector<std::string> all;
  for (const State::Entry& entry : state_->entries()) {
    all.push_back(entry.definition.name);
  }
  return all;
}

Result<bool> Indexes::erase(std::string_view name) {
  return state_->erase(name);
}

Result<bool> Indexes::reset(std::string_view name) {
  return state_->reset(name);
}

bool Indexes::set_paused(std::string_view name, bool paused) {
  return state_->set_paused(name, paused);
}

bool Indexes::is_paused() const {
  return state_->is_paused();
}

Result<bool> Indexes::set_disabled(std::string_view name, bool disabled) {
  const std::optional<State::Entry> found = state_->entry(name);
  if (found.has_value() && found->index != nullptr) {
    RK_TRY(found->index->set_disabled(disabled));
  }
  return found.has_value();
}

Result<bool> Indexes::set_priority(std::string_view name, IndexPriority priority) {
  const std::optional<State::Entry> found = state_->entry(name);
  if (found.has_value() && found->index != nullptr) {
    RK_TRY(found->index->set_priority(priority));
  }
  return found.has_value();
}

Result<bool> Indexes::set_lock(std::string_view name, IndexLock lock) {
  const std::optional<State::Entry> found = state_->entry(name);
  if (found.has_value() && found->index != nullptr) {
    RK_TRY(found->index->set_lock(lock));
  }
  return found.has_value();
}

std::optional<std::vector<IndexingError>> Indexes::errors(std::string_view name) const {
  const std::optional<State::Entry> found = state_->entry(name);
  if (!found.has_value()) {
    return std::nullopt;
  }
  if (found->index != nullptr) {
    return found->index->errors();
  }
  return std::vector<IndexingError>{
      {state_->around().platform.clock.wall(), "", "Open", found->fault->to_string()}};
}

Result<bool> Indexes::clear_errors(std::string_view name) {
  const std::optional<State::Entry> found = state_->entry(name);
  if (found.has_value() && found->index != nullptr) {
    RK_TRY(found->index->clear_errors());
  }
  return found.has_value();
}

Result<std::optional<std::vector<std::string>>> Indexes::terms(std::string_view name,
                                                               std::string_view field,
                                                               std::string_view from,
                                                               std::uint64_t count) const {
  const IndexRef index = find(name);
  if (index == nullptr) {
    return std::optional<std::vector<std::string>>();
  }
  RK_TRY_ASSIGN(const IndexSnapshot snapshot, index->snapshot());
  const search::Term after = from.empty() ? search::Term() : search::string_term(from);
  RK_TRY_ASSIGN(const std::vector<search::Term> terms,
                snapshot.reader().terms(field, after, count));
  RK_TRY(snapshot.check_health());
  std::vector<std::string> texts;
  for (const search::Term& term : terms) {
    texts.push_back(search::term_to_string(term));
  }
  return std::optional(std::move(texts));
}

Result<std::vector<std::string>> Indexes::verify() const {
  std::vector<std::string> problems;
  for (const State::Entry& entry : state_->entries()) {
    if (entry.index == nullptr) {
      problems.push_back(entry.definition.name + ": " + entry.fault->to_string());
      continue;
    }
    RK_TRY_ASSIGN(const std::vector<std::string> found, entry.index->verify());
    for (const std::string& one : found) {
      problems.push_back(entry.definition.name + ": " + one);
    }
  }
  return problems;
}

void Indexes::wait_for(const std::vector<std::string>& collections,
                       const std::vector<std::string>& names, std::uint64_t etag,
                       os::Duration timeout, std::function<void(bool)> done) {
  std::vector<IndexRef> awaited;
  for (State::Entry& entry : state_->entries()) {
    if (entry.index != nullptr && !entry.superseded_at.has_value() &&
        is_wanted(entry.definition, collections, names)) {
      awaited.push_back(std::move(entry.index));
    }
  }
  if (awaited.empty()) {
    done(true);
    return;
  }
  const auto gathering = std::make_shared<Gathering>(awaited.size(), std::move(done));
  const os::MonotonicTime deadline = state_->around().platform.clock.monotonic() + timeout;
  for (const IndexRef& index : awaited) {
    index->wait(etag, deadline, [gathering](WaitOutcome outcome) {
      gathering->end_one(outcome != WaitOutcome::kTimedOut);
    });
  }
}

void Indexes::set_waiting(bool allowed) {
  state_->set_waiting(allowed);
}

bool Indexes::is_catching_up() const {
  const std::vector<State::Entry> all = state_->entries();
  return std::any_of(all.begin(), all.end(), [](const State::Entry& entry) {
    return entry.index != nullptr && entry.index->is_catching_up();
  });
}

std::optional<std::uint64_t> Indexes::tombstones_needed_after() const {
  std::optional<std::uint64_t> lowest;
  for (const State::Entry& entry : state_->entries()) {
    const bool is_damaged = entry.index == nullptr
                                ? entry.fault->error_class() != ErrorClass::kRetry
                                : entry.index->is_faulty();
    if (is_damaged) {
      continue;
    }
    // What an index knows that could not be opened this time (see reopen_faulty) is not known.
    // What one has seen and not noted was of other collections: it needs none of it, even if it
    // looks again after a crash.
    const std::uint64_t etag =
        entry.index == nullptr
            ? 0
            : std::max(entry.index->progress().tombstone_etag, entry.index->seen_etag());
    lowest = std::min(lowest.value_or(etag), etag);
  }
  return lowest;
}

const Settings& Indexes::settings() const noexcept {
  return state_->around().settings;
}

Result<void> Indexes::close() {
  return state_->close();
}

}  // namespace rookery::index
