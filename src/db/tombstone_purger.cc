// SPDX-License-Identifier: Apache-2.0
#include "tombstone_purger.h"

#include <algorithm>
#include <utility>

#include "rookery/base/check.h"
#include "rookery/doc/reader.h"

namespace rookery::db {

namespace {

// By one batch: what a merged transaction can carry beside its other work.
constexpr std::uint64_t kPurgedABatch = 1024;

}  // namespace

TombstonePurger::TombstonePurger(os::Executor& executor, std::string_view database,
                                 os::Duration interval)
    : executor_(executor), name_("rk.tmb." + std::string(database)), interval_(interval) {}

TombstonePurger::~TombstonePurger() {
  RK_CHECK(!attached_);
}

void TombstonePurger::add_consumer(std::string name, SeenEtag seen) {
  RK_CHECK(seen != nullptr);
  const os::MutexLock lock(mutex_);
  const bool added = consumers_.emplace(std::move(name), std::move(seen)).second;
  RK_CHECK(added);
}

void TombstonePurger::remove_consumer(std::string_view name) {
  const os::MutexLock lock(mutex_);
  if (const auto found = consumers_.find(name); found != consumers_.end()) {
    consumers_.erase(found);
  }
}

void TombstonePurger::start(store::Environment& environment, Merger& merger) {
  RK_CHECK(!attached_);
  if (interval_ <= os::Duration::zero()) {
    return;
  }
  environment_ = &environment;
  merger_ = &merger;
  executor_.attach(*this);
  attached_ = true;
  executor_.wake_after(*this, interval_);
}

void TombstonePurger::stop() {
  if (attached_) {
    executor_.detach(*this);
    attached_ = false;
  }
}

bool TombstonePurger::run_once() {
  if (purging_.load()) {
    return false;  // the end of that batch wakes this worker
  }
  const Result<std::optional<std::uint64_t>> up_to = purgeable_up_to();
  if (up_to.has_value() && up_to->has_value()) {
    submit(**up_to);
  } else {
    executor_.wake_after(*this, interval_);
  }
  return false;
}

// The consumers are asked before the snapshot is opened: what they have seen was there then.
Result<std::optional<std::uint64_t>> TombstonePurger::purgeable_up_to() const {
  std::optional<std::uint64_t> seen;
  {
    const os::MutexLock lock(mutex_);
    for (const auto& [name, seen_up_to] : consumers_) {
      if (const std::optional<std::uint64_t> etag = seen_up_to(); etag.has_value()) {
        seen = std::min(seen.value_or(*etag), *etag);
      }
    }
  }
  RK_TRY_ASSIGN(const doc::Snapshot snapshot, doc::Snapshot::open(*environment_));
  RK_TRY_ASSIGN(const std::uint64_t last, snapshot->last_etag());
  const std::uint64_t up_to = std::min(seen.value_or(last), last);
  bool any = false;
  RK_TRY(snapshot->scan_tombstones(0, [&](const doc::DocumentView& oldest) -> Result<bool> {
    any = oldest.etag <= up_to;
    return false;
  }));
  RK_TRY(snapshot.check_health());
  return any ? std::optional(up_to) : std::nullopt;
}

void TombstonePurger::submit(std::uint64_t up_to_etag) {
  purging_.store(true);
  Batch batch;
  batch.commands.emplace_back(PurgeTombstonesCommand{up_to_etag, kPurgedABatch});
  batch.done = [this](const Result<BatchResult>& outcome) {
    purging_.store(false);
    // A failure (a full disk, say) waits for the next time.
    const bool more =
        outcome.has_value() &&
        std::get<PurgeTombstonesResult>(outcome->results.front()).count == kPurgedABatch;
    executor_.wake_after(*this, more ? os::Duration::zero() : interval_);
  };
  merger_->submit(std::move(batch));
}

}  // namespace rookery::db
