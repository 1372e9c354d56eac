// SPDX-License-Identifier: Apache-2.0
#include "rookery/db/database.h"

#include <optional>
#include <utility>

#include "rookery/os/sync.h"

#include "maintenance.h"
#include "merger.h"
#include "tombstone_purger.h"

namespace rookery::db {

namespace {

// An index's scratch beside its database's.
constexpr std::uint64_t kIndexScratches = 4;

}  // namespace

class Database::State {
 public:
  State(os::Platform& platform, Executors executors, DatabaseOptions options)
      : platform_(platform),
        executors_(executors),
        options_(std::move(options)),
        id_(options_.id),
        maintenance_(executors_.background, options_.name, options_.log),
        tombstones_(executors_.background, options_.name, options_.tombstone_purge_interval) {}

  Result<void> open() {
    store::EnvironmentOptions environment = options_.environment;
    environment.on_maintenance_needed = [this] { maintenance_.wake(); };
    RK_TRY_ASSIGN(environment_, store::Environment::open(platform_, std::move(environment)));
    RK_TRY_ASSIGN(const doc::Snapshot snapshot, doc::Snapshot::open(*environment_));
    RK_TRY_ASSIGN(const std::optional<doc::DatabaseId> own, snapshot->database_id());
    RK_TRY(snapshot.check_health());
    id_ = own.value_or(options_.id);
    RK_TRY(open_indexes());
    maintenance_.start(*environment_);
    merger_.emplace(*environment_, platform_, executors_.foreground, maintenance_, options_, id_,
                    [this] { indexes_->note_commit(); });
    tombstones_.add_consumer("indexes", [this] { return indexes_->tombstones_needed_after(); });
    tombstones_.start(*environment_, *merger_);
    return {};
  }

  Result<void> close(bool flush) {
    const os::MutexLock lock(close_mutex_);
    if (closed_ || !merger_.has_value()) {
      return {};
    }
    tombstones_.stop();
    merger_->drain();
    const Result<void> indexes_closed = indexes_->close();
    maintenance_.stop();
    closed_ = true;
    const Result<void> documents_closed =
        flush ? environment_->close() : environment_->close_unflushed();
    return documents_closed.has_value() ? indexes_closed : documents_closed;
  }

  // Before the first write of this run: what an index has seen beyond it is another history.
  Result<void> open_indexes() {
    index::IndexesOptions options;
    options.path = os::join_path(options_.environment.path, "Indexes");
    options.database = id_;
    options.settings = options_.indexing;
    options.start_paused = options_.indexing_starts_paused;
    options.environment = options_.environment;
    options.environment.on_maintenance_needed = nullptr;
    // A batch of an index touches the whole of each of its dictionaries, however big they are.
    options.environment.scratch_total_bytes_max *= kIndexScratches;
    if (options_.log != nullptr) {
      options.log = [this](index::Severity severity, std::string_view text) {
        options_.log(static_cast<LogLevel>(severity),
                     "database '" + options_.name + "': " + std::string(text));
      };
    }
    RK_TRY_ASSIGN(indexes_, index::Indexes::open(platform_, executors_.indexing, *environment_,
                                                 std::move(options)));
    return {};
  }

  // Constant after open().
  os::Platform& platform_;
  const Executors executors_;
  const DatabaseOptions options_;
  doc::DatabaseId id_;

  // Have their own synchronisation. The environment calls the maintenance worker, and is used by it
  // and by the merger: they are destroyed in this order backwards.
  MaintenanceWorker maintenance_;
  TombstonePurger tombstones_;
  std::unique_ptr<store::Environment> environment_;
  std::unique_ptr<index::Indexes> indexes_;
  std::optional<Merger> merger_;

  os::Mutex close_mutex_;
  bool closed_ RK_GUARDED_BY(close_mutex_) = false;
};

Database::Database(std::unique_ptr<State> state) : state_(std::move(state)) {}

Database::~Database() {
  static_cast<void>(state_->close(true));
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

void Database::keep_tombstones_for(std::string consumer, SeenEtag seen) {
  state_->tombstones_.add_consumer(std::move(consumer), std::move(seen));
}

void Database::release_tombstones_of(std::string_view consumer) {
  state_->tombstones_.remove_consumer(consumer);
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

index::Indexes& Database::indexes() noexcept {
  return *state_->indexes_;
}

store::Environment& Database::environment() noexcept {
  return *state_->environment_;
}

Result<store::VerifyReport> Database::verify() {
  RK_TRY_ASSIGN(store::VerifyReport report, state_->environment_->verify(doc::table_schemas()));
  RK_TRY_ASSIGN(const std::vector<std::string> problems, state_->indexes_->verify());
  for (const std::string& problem : problems) {
    report.problems.push_back("index " + problem);
  }
  return report;
}

Result<void> Database::sync_all() {
  return state_->environment_->sync_all();
}

Result<void> Database::close() {
  return state_->close(true);
}

Result<void> Database::close_unflushed() {
  return state_->close(false);
}

}  // namespace rookery::db
