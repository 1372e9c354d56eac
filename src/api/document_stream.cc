// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "rookery/doc/render.h"
#include "rookery/os/sync.h"
#include "rookery/value/json.h"

#include "handlers.h"

// GET ~/streams/docs: all documents, or those of a prefix, as of one moment, however many they are.

namespace rookery::api {

using doc::DocumentView;

namespace {

constexpr std::size_t kPartBytes = 64 * 1024;

struct StreamOptions {
  bool lines = false;      // one document a line; else {"Results":[...]}
  bool by_prefix = false;  // in the order of ids; else in that of their last changes
  std::string starts_with{};
  std::string matches{};
  std::string exclude{};
  std::string start_after{};
  std::uint64_t start = 0;
  std::uint64_t count = 0;
};

// Purpose. Reads one snapshot as far as the next part needs, each time from where it stood. The
// snapshot stays open for as long as the client takes, and the pages that it sees with it.
// Threads: one read() at a time, from any thread; stop() from any.
class DocumentStream final : public BodyStream,
                             public std::enable_shared_from_this<DocumentStream> {
 public:
  DocumentStream(ServiceState& service, db::DatabaseRef database, doc::Snapshot snapshot,
                 std::shared_ptr<Operation> operation, StreamOptions options)
      : service_(service),
        operation_(std::move(operation)),
        options_(std::move(options)),
        source_(Source{std::move(database), std::move(snapshot)}) {}

  DocumentStream(const DocumentStream&) = delete;
  DocumentStream& operator=(const DocumentStream&) = delete;

  ~DocumentStream() override { end_operation(); }

  void watch_for_kill() {
    operation_->on_kill([weak = weak_from_this()] {
      if (const auto self = weak.lock()) {
        self->stop();
      }
    });
  }

  void read(PartHandler done) noexcept override {
    auto task = [self = shared_from_this(), done] {
      Result<std::string> part = self->make_part();
      if (!part.has_value()) {
        self->operation_->fail(fault_of(part.error().code()), part.error().message(),
                               self->service_.platform.clock.monotonic());
      }
      done(std::move(part));
    };
    const auto& offload = service_.options.offload;
    if (!offload || !offload(task)) {
      task();
    }
  }

 private:
  // Destroyed in reverse: a snapshot goes before its database.
  struct Source {
    db::DatabaseRef database;
    doc::Snapshot snapshot;
  };

  [[nodiscard]] Result<std::string> make_part();
  [[nodiscard]] Result<void> append_documents(const doc::DocumentReader& reader, std::string& out);
  [[nodiscard]] Result<bool> append(const DocumentView& document, std::string& out);
  void stop();
  void end_operation();
  [[nodiscard]] std::optional<Source> borrow();
  void give_back(std::optional<Source> source);

  ServiceState& service_;
  const std::shared_ptr<Operation> operation_;
  const StreamOptions options_;

  // Of whoever reads.
  bool begun_ = false;
  bool over_ = false;  // all documents have been written
  bool ended_ = false;
  std::uint64_t next_etag_ = 0;
  std::string last_id_;
  std::uint64_t visited_ = 0;  // of those that match; the first options_.start are skipped
  std::uint64_t written_ = 0;

  os::Mutex mutex_;
  std::optional<Source> source_ RK_GUARDED_BY(mutex_);  // empty while it is read from
  bool stopped_ RK_GUARDED_BY(mutex_) = false;
};

std::optional<DocumentStream::Source> DocumentStream::borrow() {
  const os::MutexLock lock(mutex_);
  return std::exchange(source_, std::nullopt);
}

void DocumentStream::give_back(std::optional<Source> source) {
  const os::MutexLock lock(mutex_);
  if (!stopped_) {
    source_ = std::move(source);
  }
}

void DocumentStream::stop() {
  operation_->cancel(service_.platform.clock.monotonic());
  std::optional<Source> unused;  // destroyed without the lock
  const os::MutexLock lock(mutex_);
  stopped_ = true;
  unused.swap(source_);
}

void DocumentStream::end_operation() {
  operation_->complete("", service_.platform.clock.monotonic());
}

Result<std::string> DocumentStream::make_part() {
  std::string out;
  if (ended_) {
    return out;
  }
  std::optional<Source> source = borrow();
  if (!source.has_value()) {
    return Error(ErrorCode::cancelled, "the stream was stopped");
  }
  if (!begun_ && !options_.lines) {
    out += "{\"Results\":[";
  }
  begun_ = true;
  RK_TRY(append_documents(source->snapshot.documents(), out));
  // Pages that cannot be read look like zeros: nothing made of them goes out.
  RK_TRY(source->snapshot.check_health());
  if (!over_) {
    give_back(std::move(source));
    return out;
  }
  // The client may ask to drop the database as soon as it has read the end.
  source.reset();
  end_operation();
  ended_ = true;
  if (!options_.lines) {
    out += "]}";
  }
  return out;
}

Result<void> DocumentStream::append_documents(const doc::DocumentReader& reader, std::string& out) {
  over_ = true;
  const auto visit = [&](const DocumentView& document) -> Result<bool> {
    if (written_ >= options_.count) {
      return false;
    }
    RK_TRY_ASSIGN(const bool more, append(document, out));
    over_ = more;
    return more;
  };
  if (options_.count == 0) {
    return {};
  }
  if (!options_.by_prefix) {
    return reader.scan_etags(next_etag_, false, visit);
  }
  return reader.scan_prefix({.starts_with = options_.starts_with,
                             .matches = options_.matches,
                             .exclude = options_.exclude,
                             .start_after = last_id_.empty() ? options_.start_after : last_id_},
                            visit);
}

// False when the part is long enough, which is not to say that there is more.
Result<bool> DocumentStream::append(const DocumentView& document, std::string& out) {
  next_etag_ = document.etag + 1;
  last_id_ = document.id;
  if (visited_++ < options_.start) {
    return true;
  }
  if (!options_.lines && written_ > 0) {
    out += ',';
  }
  value::JsonWriter writer(out);
  RK_TRY(doc::write_document(writer, document));
  if (options_.lines) {
    out += '\n';
  }
  ++written_;
  return out.size() < kPartBytes;
}

Result<StreamOptions> read_options(const Call& call) {
  const QueryParameters& query = call.request().query;
  StreamOptions options;
  const std::string_view format = query.find("format").value_or("json");
  if (!equal_ignoring_case(format, "json") && !equal_ignoring_case(format, "jsonl")) {
    return Error(ErrorCode::invalid_argument, "'format' must be json or jsonl.");
  }
  options.lines = equal_ignoring_case(format, "jsonl");
  options.starts_with = query.find("startsWith").value_or("");
  options.matches = query.find("matches").value_or("");
  options.exclude = query.find("exclude").value_or("");
  options.start_after = query.find("startAfter").value_or("");
  options.by_prefix = !options.starts_with.empty() || !options.matches.empty() ||
                      !options.exclude.empty() || !options.start_after.empty();
  RK_TRY_ASSIGN(const std::optional<std::int64_t> start, call.integer("start"));
  RK_TRY_ASSIGN(const std::optional<std::int64_t> count, call.integer("pageSize"));
  options.start = static_cast<std::uint64_t>(std::max<std::int64_t>(0, start.value_or(0)));
  options.count = static_cast<std::uint64_t>(
      std::max<std::int64_t>(0, count.value_or(std::numeric_limits<std::int64_t>::max())));
  return options;
}

}  // namespace

Result<Response> stream_documents(Call& call) {
  RK_TRY_ASSIGN(StreamOptions options, read_options(call));
  ServiceState& service = call.service();
  RK_TRY_ASSIGN(doc::Snapshot snapshot, call.database().snapshot());
  RK_TRY_ASSIGN(std::shared_ptr<Operation> operation,
                service.operations.begin(call.database_name(), std::nullopt,
                                         service.platform.clock.monotonic()));
  Response response;
  if (options.lines) {
    response.content_type = "application/x-ndjson; charset=utf-8";
  }
  auto stream = std::make_shared<DocumentStream>(service, call.database_ref(), std::move(snapshot),
                                                 std::move(operation), std::move(options));
  stream->watch_for_kill();
  response.stream = std::move(stream);
  return response;
}

}  // namespace rookery::api
