// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "rookery/os/sync.h"
#include "rookery/value/json.h"

#include "bulk_reader.h"
#include "handlers.h"

// POST ~/bulk_insert: documents without end, stored while they arrive.

namespace rookery::api {

namespace {

// What one upload has under way in the database's writer: a batch is one unit of its work, which
// others wait for; beyond the whole no more of the body is read.
constexpr std::size_t kBatchBytesMax = 512 * 1024;
constexpr std::size_t kBatchCountMax = 1024;
constexpr std::size_t kInFlightBytesMax = 4 * 1024 * 1024;

// Purpose. One upload: reads a part of the body, cuts documents out of it, gives them to the
// database's writer in batches, and reads on. A batch is submitted when it is large, and whenever
// the writer has nothing of this upload: so documents of a slow client are not held back.
//
// Invariants.
// 1. One part is read or taken apart at a time (activity_), so documents keep their order.
// 2. It ends once: at the end of the body, at the first error, or when it is killed; and it answers
//    when nothing of it is under way any more, with the first error of what was under way at the
//    end of the body. Whatever was submitted before is stored whole.
// Threads: any; what one part needs is touched by whoever takes it apart.
class BulkInsert : public std::enable_shared_from_this<BulkInsert> {
 public:
  BulkInsert(CallPtr call, std::shared_ptr<Operation> operation, const BulkReaderOptions& options)
      : call_(std::move(call)),
        operation_(std::move(operation)),
        stream_(call_->take_body_stream()),
        reader_(options) {}

  void start() {
    operation_->on_kill([weak = weak_from_this()] {
      if (const auto self = weak.lock()) {
        self->kill();
      }
    });
    read_on();
  }

 private:
  // kFlushing: what was held back is submitted while a part is awaited, which waits if it comes.
  enum class Activity : std::uint8_t { kNone, kReading, kTakingApart, kFlushing };

  // How it ended: nullopt, with all documents stored.
  struct End {
    std::optional<Error> error;
    bool killed = false;
  };

  struct Submitted {
    std::size_t bytes = 0;
    std::size_t count = 0;
  };

  void read_on();
  void take(Result<std::string> part);
  void take_apart(const std::string& part);
  [[nodiscard]] Result<void> add_documents(const std::string& part);
  void submit_batch();
  void note_stored(const Submitted& submitted, const Result<db::BatchResult>& outcome);
  void note_progress(const Submitted& submitted, const db::BatchResult& result);
  [[nodiscard]] bool may_read_on();
  [[nodiscard]] bool end_flush();
  void kill();
  // Ends it, unless it has ended; end_part() for whoever takes a part apart.
  void end(End how);
  void end_part(End how);
  void answer_if_over();
  void answer(const End& how);
  [[nodiscard]] bool writer_is_idle();
  [[nodiscard]] std::string progress_json() const RK_REQUIRES(mutex_);

  const CallPtr call_;
  const std::shared_ptr<Operation> operation_;
  const std::shared_ptr<BodyStream> stream_;

  BulkReader reader_;
  // Of whoever takes a part apart or flushes; else guarded by mutex_.
  std::vector<db::Command> batch_;
  std::size_t batch_bytes_ = 0;

  os::Mutex mutex_;
  Activity activity_ RK_GUARDED_BY(mutex_) = Activity::kReading;
  std::size_t in_flight_bytes_ RK_GUARDED_BY(mutex_) = 0;
  std::size_t in_flight_batches_ RK_GUARDED_BY(mutex_) = 0;
  std::optional<End> end_ RK_GUARDED_BY(mutex_);
  std::optional<Result<std::string>> arrived_ RK_GUARDED_BY(mutex_);  // during a flush
  bool answered_ RK_GUARDED_BY(mutex_) = false;
  std::uint64_t stored_count_ RK_GUARDED_BY(mutex_) = 0;
  std::uint64_t batch_count_ RK_GUARDED_BY(mutex_) = 0;
  std::string last_id_ RK_GUARDED_BY(mutex_);
};

// Requires: activity_ is kReading.
void BulkInsert::read_on() {
  stream_->read(
      [self = shared_from_this()](Result<std::string> part) { self->take(std::move(part)); });
}

void BulkInsert::take(Result<std::string> part) {
  {
    const os::MutexLock lock(mutex_);
    if (activity_ == Activity::kFlushing) {
      arrived_ = std::move(part);
      return;
    }
    if (activity_ != Activity::kReading) {
      return;  // it has ended meanwhile
    }
    activity_ = Activity::kTakingApart;
  }
  if (!part.has_value()) {
    end_part({.error = part.error()});
    return;
  }
  auto task = [self = shared_from_this(),
               held = std::make_shared<std::string>(std::move(part).value())] {
    self->take_apart(*held);
  };
  // Parsing would hold up the thread of the socket.
  const auto& offload = call_->service().options.offload;
  if (!offload) {
    task();
  } else if (!offload(std::move(task))) {
    end_part({.error = Error(ErrorCode::too_many, "the server has more work than it can take")});
  }
}

void BulkInsert::take_apart(const std::string& part) {
  const bool is_last = part.empty();
  Result<void> done = is_last ? reader_.finish() : add_documents(part);
  if (is_last || !done.has_value() || writer_is_idle()) {
    // What came before a fault was asked for, and is stored.
    submit_batch();
  }
  if (!done.has_value()) {
    end_part({.error = std::move(done).error()});
  } else if (is_last) {
    end_part({});
  } else if (may_read_on()) {
    read_on();
  } else {
    answer_if_over();
  }
}

Result<void> BulkInsert::add_documents(const std::string& part) {
  reader_.feed(part);
  for (;;) {
    RK_TRY_ASSIGN(std::optional<db::PutCommand> put, reader_.next());
    if (!put.has_value()) {
      return {};
    }
    batch_bytes_ += put->document.document.bytes().size();
    batch_.emplace_back(std::move(*put));
    if (batch_bytes_ >= kBatchBytesMax || batch_.size() >= kBatchCountMax) {
      submit_batch();
    }
  }
}

bool BulkInsert::writer_is_idle() {
  const os::MutexLock lock(mutex_);
  return in_flight_batches_ == 0;
}

// The part is done with. Where the writer is behind, note_stored() reads on.
bool BulkInsert::may_read_on() {
  const os::MutexLock lock(mutex_);
  const bool may = !end_.has_value() && in_flight_bytes_ < kInFlightBytesMax;
  activity_ = may ? Activity::kReading : Activity::kNone;
  return may;
}

void BulkInsert::submit_batch() {
  if (batch_.empty()) {
    return;
  }
  const Submitted submitted{.bytes = std::exchange(batch_bytes_, 0), .count = batch_.size()};
  {
    const os::MutexLock lock(mutex_);
    in_flight_bytes_ += submitted.bytes;
    ++in_flight_batches_;
  }
  db::Batch batch;
  batch.commands = std::exchange(batch_, {});
  batch.done = [self = shared_from_this(), submitted](Result<db::BatchResult> outcome) {
    self->note_stored(submitted, outcome);
  };
  // Whoever takes a part apart keeps the call, and with it the database, from ending.
  call_->database().submit(std::move(batch));
}

void BulkInsert::note_stored(const Submitted& submitted, const Result<db::BatchResult>& outcome) {
  if (outcome.has_value()) {
    note_progress(submitted, *outcome);
  } else {
    end({.error = outcome.error()});
  }
  bool go_on = false;
  bool flush = false;
  {
    const os::MutexLock lock(mutex_);
    in_flight_bytes_ -= submitted.bytes;
    --in_flight_batches_;
    if (!end_.has_value()) {
      go_on = activity_ == Activity::kNone && in_flight_bytes_ < kInFlightBytesMax;
      activity_ = go_on ? Activity::kReading : activity_;
      // The client may be quiet for long, and the writer has nothing of it any more.
      flush = activity_ == Activity::kReading && in_flight_batches_ == 0 && !batch_.empty();
      activity_ = flush ? Activity::kFlushing : activity_;
    }
  }
  if (flush) {
    submit_batch();
    go_on = end_flush() && go_on;
  }
  if (go_on) {
    read_on();
  } else {
    answer_if_over();
  }
}

// False if it has ended meanwhile. Takes the part that has arrived, if one has.
bool BulkInsert::end_flush() {
  std::optional<Result<std::string>> part;
  {
    const os::MutexLock lock(mutex_);
    part.swap(arrived_);
    if (end_.has_value()) {
      activity_ = Activity::kNone;
      return false;
    }
    activity_ = Activity::kReading;
  }
  if (part.has_value()) {
    take(std::move(*part));
  }
  return true;
}

void BulkInsert::note_progress(const Submitted& submitted, const db::BatchResult& result) {
  const os::MutexLock lock(mutex_);
  stored_count_ += submitted.count;
  ++batch_count_;
  last_id_ = std::get<doc::PutResult>(result.results.back()).id;
  operation_->set_progress(progress_json());
}

std::string BulkInsert::progress_json() const {
  std::string json;
  value::JsonWriter w(json);
  w.begin_object();
  w.uint64("Total", stored_count_);
  w.uint64("BatchCount", batch_count_);
  if (last_id_.empty()) {
    w.null("LastProcessedId");
  } else {
    w.string("LastProcessedId", last_id_);
  }
  w.uint64("DocumentsProcessed", stored_count_);
  w.uint64("AttachmentsProcessed", 0);
  w.uint64("CountersProcessed", 0);
  w.uint64("TimeSeriesProcessed", 0);
  w.end_object();
  return json;
}

void BulkInsert::kill() {
  end({.error = std::nullopt, .killed = true});
}

void BulkInsert::end_part(End how) {
  {
    const os::MutexLock lock(mutex_);
    activity_ = Activity::kNone;
  }
  end(std::move(how));
}

void BulkInsert::end(End how) {
  {
    const os::MutexLock lock(mutex_);
    // The body may have ended well before the batch fails that holds its last documents.
    const bool was_well = end_.has_value() && !end_->killed && !end_->error.has_value();
    if (!end_.has_value() || (was_well && how.error.has_value())) {
      end_ = std::move(how);
    }
    // A part that is on its way is not waited for: a client may never send it.
    if (activity_ == Activity::kReading) {
      activity_ = Activity::kNone;
    }
  }
  answer_if_over();
}

void BulkInsert::answer_if_over() {
  End how;
  {
    const os::MutexLock lock(mutex_);
    if (answered_ || !end_.has_value() || activity_ != Activity::kNone || in_flight_batches_ > 0) {
      return;
    }
    answered_ = true;
    how = *end_;
  }
  answer(how);
}

void BulkInsert::answer(const End& how) {
  const os::MonotonicTime now = call_->service().platform.clock.monotonic();
  if (how.killed) {
    operation_->cancel(now);
    call_->fail(Fault::kCancelled, "the bulk insert was killed");
  } else if (how.error.has_value()) {
    operation_->fail(fault_of(how.error->code()), how.error->message(), now);
    call_->fail(*how.error);
  } else {
    std::string result;
    {
      const os::MutexLock lock(mutex_);
      result = progress_json();
    }
    operation_->complete(std::move(result), now);
    call_->finish(Response::empty(204));
  }
}

}  // namespace

void bulk_insert(const CallPtr& call) {
  const Result<std::optional<std::int64_t>> id = call->integer("id");
  const Result<bool> skip = call->flag("skipOverwriteIfUnchanged");
  // Of our own: documents come with the change vectors that they had where they were exported.
  const Result<bool> keep = call->flag("keepVersions");
  if (!id.has_value() || !skip.has_value() || !keep.has_value()) {
    call->fail(!id.has_value() ? id.error() : !skip.has_value() ? skip.error() : keep.error());
    return;
  }
  ServiceState& service = call->service();
  Result<std::shared_ptr<Operation>> operation =
      service.operations.begin(call->database_name(), *id, service.platform.clock.monotonic());
  if (!operation.has_value()) {
    call->fail(operation.error());
    return;
  }
  const BulkReaderOptions options{.document_bytes_max = service.options.document_bytes_max,
                                  .skip_if_unchanged = *skip,
                                  .keep_versions = *keep};
  std::make_shared<BulkInsert>(call, std::move(operation).value(), options)->start();
}

}  // namespace rookery::api
