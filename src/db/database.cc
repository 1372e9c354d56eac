// SPDX-License-Identifier: Apache-2.0
#include "rookery/db/database.h"

#include <optional>
#include <utility>

#include "rookery/os/sync.h"

#include "maintenance.h"
#include "merger.h"

namespace rookery::db {

class Database::State {
 public:
  State(os::Platform& platform, Executors executors, DatabaseOptions options)
      : platform_(platform),
        executors_(executors),
        options_(std::move(options)),
        id_(options_.id),
        maintenance_(executors_.background, options_.name, options_.log) {}

  Result<void> open() {
    store::EnvironmentOptions environment = options_.environment;
    environment.on_maintenance_needed = [this] { maintenance_.wake(); };
    RK_TRY_ASSIGN(environment_, store::Environment::open(platform_, std::move(environment)));
    RK_TRY_ASSIGN(const doc::Snapshot snapshot, doc::Snapshot::open(*environment_));
    RK_TRY_ASSIGN(const std::optional<doc::DatabaseId> own, snapshot->database_id());
    RK_TRY(snapshot.check_health());
    id_ = own.value_or(options_.id);
    maintenance_.start(*environment_);
    merger_.emplace(*environment_, platform_, executors_.foreground, maintenance_, options_, id_);
    return {};
  }

  Result<void> close() {
    const os::MutexLock lock(close_mutex_);
    if (closed_ || !merger_.has_value()) {
      return {};
    }
    merger_->drain();
    maintenance_.stop();
    closed_ = true;
    return environment_->close();
  }

  // Constant after open().
  os::Platform& platform_;
  const Executors executors_;
  const DatabaseOptions options_;
  doc::DatabaseId id_;

  // Have their own synchronisation. The environment calls the maintenance worker, and is used by it
  // and by the merger: they are destroyed in this order backwards.
  MaintenanceWorker maintenance_;
  std::unique_ptr<store::Environment> environment_;
  std::optional<Merger> merger_;

  os::Mutex close_mutex_;
  bool closed_ RK_GUARDED_BY(close_mutex_) = false;
};

Database::Database(std::unique_ptr<State> state) : state_(std::move(state)) {}

Database::~Database() {
  static_cast<void>(state_->close());
}

Result<std::unique_ptr<Database>> Database::open(os::Platform& platform, Executors executors,
                                                 DatabaseOptions options) {
  auto state = std::make_unique<State>(platform, executors, std::move(options));
  RK_TRY(state->open());
  return std::unique_ptr<Database>(new Database(std::move(state)));
}

const std::string& Database::name() const noexcept {
  return state_->options_.name;
}

const doc::DatabaseId& Database::id() const noexcept {
  return state_->id_;
}

Result<doc::Snapshot> Database::snapshot() {
  return doc::Snapshot::open(*state_->environment_);
}

void Database::submit(Batch batch) {
  state_->merger_->submit(std::move(batch));
}

Result<BatchResult> Database::execute(std::vector<Command> commands) {
  std::optional<Result<BatchResult>> outcome;
  os::Event done;
  submit({std::move(commands), [&](Result<BatchResult> result) {
            outcome = std::move(result);
            done.set();
          }});
  done.wait();
  return std::move(*outcome);
}

Result<DatabaseStats> Database::stats() {
  DatabaseStats stats;
  {
    RK_TRY_ASSIGN(const doc::Snapshot read, snapshot());
    Result<doc::DocumentStats> documents = read->stats();
    RK_TRY(read.check_health());  // first: what cannot be read looks corrupt
    RK_TRY_ASSIGN(stats.documents, std::move(documents));
  }
  stats.environment = state_->environment_->stats();
  const MergerStats merger = state_->merger_->stats();
  stats.merger_queue_length = merger.queue_length;
  stats.batches_executed = merger.batches_executed;
  stats.batches_failed = merger.batches_failed;
  stats.transactions_committed = merger.transactions_committed;
  stats.transactions_split = merger.transactions_split;
  return stats;
}

Result<store::VerifyReport> Database::verify() {
  return state_->environment_->verify(doc::table_schemas());
}

Result<void> Database::sync_all() {
  return state_->environment_->sync_all();
}

Result<void> Database::close() {
  return state_->close();
}

}  // namespace rookery::db
