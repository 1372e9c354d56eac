// SPDX-License-Identifier: Apache-2.0
#include "serve_settings.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <limits>
#include <thread>

#include <fmt/format.h>

#include "rookery/api/http.h"
#include "rookery/os/memory_limit.h"
#include "rookery/os/platform.h"

namespace rookery::cli {

namespace {

constexpr std::int64_t kMega = 1 << 20;
constexpr std::int64_t kDayInSeconds = 24 * 3600;
constexpr std::uint64_t kScratchLeastBytes = 16ULL * 1024 * 1024;
constexpr std::int64_t kMegaMax = 1 << 20;  // a terabyte

Result<std::chrono::milliseconds> seconds_of(const Configuration& configuration,
                                             std::string_view key) {
  RK_TRY_ASSIGN(const std::int64_t seconds, configuration.integer(key, 0, kDayInSeconds));
  return std::chrono::milliseconds(seconds * 1000);
}

Result<std::uint64_t> bytes_of(const Configuration& configuration, std::string_view key,
                               std::int64_t unit, std::int64_t max) {
  RK_TRY_ASSIGN(const std::int64_t count, configuration.integer(key, 1, max));
  return static_cast<std::uint64_t>(count * unit);
}

Result<edge::HttpLimits> read_limits(const Configuration& c) {
  edge::HttpLimits limits;
  RK_TRY_ASSIGN(limits.body_bytes_max, bytes_of(c, "Http.MaxRequestBodySizeInMb", kMega, kMegaMax));
  RK_TRY_ASSIGN(limits.body_bytes_total_max,
                bytes_of(c, "Http.MaxConcurrentRequestBodiesSizeInMb", kMega, kMegaMax));
  RK_TRY_ASSIGN(limits.header_bytes_max,
                bytes_of(c, "Http.MaxRequestHeadersSizeInKb", 1024, 65536));
  RK_TRY_ASSIGN(const std::int64_t connections, c.integer("Http.MaxConnections", 1, 1'000'000));
  limits.connection_count_max = static_cast<std::uint32_t>(connections);
  RK_TRY_ASSIGN(limits.header_time_max, seconds_of(c, "Http.RequestHeadersTimeoutInSec"));
  RK_TRY_ASSIGN(limits.idle_time_max, seconds_of(c, "Http.KeepAliveTimeoutInSec"));
  RK_TRY_ASSIGN(limits.body_time_grace, seconds_of(c, "Http.BodyGracePeriodInSec"));
  RK_TRY_ASSIGN(const std::int64_t rate,
                c.integer("Http.MinDataRateInBytesPerSec", 1, 1'000'000'000));
  limits.rate_bytes_per_s_min = static_cast<std::uint64_t>(rate);
  RK_TRY_ASSIGN(limits.stream_idle_time_max, seconds_of(c, "Http.StreamIdleTimeoutInSec"));
  RK_TRY_ASSIGN(limits.drain_time_max, seconds_of(c, "Http.ShutdownTimeoutInSec"));
  return limits;
}

Result<api::LogOptions> read_log(const Configuration& c) {
  api::LogOptions log;
  RK_TRY_ASSIGN(log.mode, api::parse_log_mode(c.text("Logs.Mode").value_or("Operations")));
  log.directory = c.text("Logs.Path").value_or("");
  RK_TRY_ASSIGN(log.rotate_above_bytes, bytes_of(c, "Logs.ArchiveAboveSizeInMb", kMega, kMegaMax));
  RK_TRY_ASSIGN(const std::int64_t days, c.integer("Logs.MaxArchiveDays", 0, 36500));
  log.retention = std::chrono::seconds(days * kDayInSeconds);
  RK_TRY_ASSIGN(const std::int64_t files, c.integer("Logs.MaxArchiveFiles", 0, 100'000));
  log.rotated_count_max = static_cast<std::uint32_t>(files);
  return log;
}

// One core is left to answer clients, unless the configuration says how many indexes may run.
Result<std::uint32_t> read_indexing_threads(const Configuration& c) {
  constexpr std::int64_t kThreadsMax = 1024;
  if (c.text("Indexing.MaxNumberOfConcurrentlyRunningIndexes").has_value()) {
    RK_TRY_ASSIGN(const std::int64_t given,
                  c.integer("Indexing.MaxNumberOfConcurrentlyRunningIndexes", 1, kThreadsMax));
    return static_cast<std::uint32_t>(given);
  }
  RK_TRY_ASSIGN(const std::int64_t unused,
                c.integer("Server.NumberOfUnusedCoresByIndexes", 0, kThreadsMax));
  const auto cores = static_cast<std::int64_t>(std::thread::hardware_concurrency());
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(cores - unused, 1, kThreadsMax));
}

Result<void> read_indexing(const Configuration& c, db::ServerOptions& out) {
  RK_TRY_ASSIGN(out.indexing_threads, read_indexing_threads(c));
  RK_TRY_ASSIGN(const std::int64_t idle_minutes,
                c.integer("Indexing.TimeToWaitBeforeMarkingAutoIndexAsIdleInMin", 0, 1'000'000));
  out.indexing.idle_after = std::chrono::minutes(idle_minutes);
  RK_TRY_ASSIGN(
      const std::int64_t idle_hours,
      c.integer("Indexing.TimeToWaitBeforeDeletingAutoIndexMarkedAsIdleInHrs", 0, 100'000));
  out.indexing.delete_after_idle = std::chrono::hours(idle_hours);
  RK_TRY_ASSIGN(const std::int64_t seconds,
                c.integer("Indexing.MaxTimeForDocumentTransactionToRemainOpenInSec", 1, 3600));
  out.indexing.snapshot_time_max =
      std::min<os::Duration>(out.indexing.snapshot_time_max, std::chrono::seconds(seconds));
  if (c.text("Indexing.MapBatchSize").has_value()) {
    RK_TRY_ASSIGN(const std::int64_t size,
                  c.integer("Indexing.MapBatchSize", 128, std::numeric_limits<int>::max()));
    out.indexing.batch_documents_max = static_cast<std::uint64_t>(size);
  }
  if (c.text("Indexing.Throttling.TimeIntervalInMs").has_value()) {
    RK_TRY_ASSIGN(const std::int64_t millis,
                  c.integer("Indexing.Throttling.TimeIntervalInMs", 0, 86'400'000));
    out.indexing.throttle = std::chrono::milliseconds(millis);
  }
  const std::string start(c.text("Indexing.IndexStartupBehavior").value_or("Default"));
  if (api::equal_ignoring_case(start, "Pause")) {
    out.indexing_starts_paused = true;
  } else if (!api::equal_ignoring_case(start, "Default") &&
             !api::equal_ignoring_case(start, "Immediate")) {
    return Error(ErrorCode::not_supported,
                 fmt::format("Indexing.IndexStartupBehavior is '{}'; Default, Immediate and Pause "
                             "are supported",
                             start));
  }
  return {};
}

// What servers do to databases by themselves, from time to time.
Result<void> read_upkeep(const Configuration& c, db::ServerOptions& server) {
  RK_TRY_ASSIGN(server.idle_time_max, seconds_of(c, "Databases.MaxIdleTimeInSec"));
  RK_TRY_ASSIGN(const std::int64_t idle_check_s,
                c.integer("Databases.FrequencyToCheckForIdleInSec", 1, kDayInSeconds));
  server.idle_check_interval = std::chrono::seconds(idle_check_s);
  RK_TRY_ASSIGN(const std::int64_t purge_min,
                c.integer("Tombstones.CleanupIntervalInMin", 1, kDayInSeconds / 60));
  server.tombstone_purge_interval = std::chrono::minutes(purge_min);
  return {};
}

}  // namespace

Result<ServeSettings> ServeSettings::read(const Configuration& c, const Resolver& resolver) {
  ServeSettings out;
  RK_TRY_ASSIGN(out.url, parse_server_url(c.text("ServerUrl").value_or("")));
  if (out.url.scheme != "http" || c.text("Security.Certificate.Path").has_value()) {
    return Error(ErrorCode::not_supported,
                 "TLS is not built yet: ServerUrl must be http, without a certificate");
  }
  RK_TRY_ASSIGN(const Reach allowed,
                parse_reach(c.text("Security.UnsecuredAccessAllowed").value_or("Local")));
  RK_TRY_ASSIGN(const ListenAddress address,
                choose_listen_address(out.url.host, allowed, resolver));
  out.reach = address.reach;
  out.public_url = c.text("PublicServerUrl");
  out.tcp_url = c.text("PublicServerUrl.Tcp");
  if (!out.tcp_url.has_value()) {
    out.tcp_url = c.text("ServerUrl.Tcp");
  }
  RK_TRY_ASSIGN(out.run_in_memory, c.boolean("RunInMemory"));
  if (c.text("Testing.ParentProcessId").has_value()) {
    RK_TRY_ASSIGN(out.parent_process_id,
                  c.integer("Testing.ParentProcessId", 1, std::numeric_limits<int>::max()));
  }
  RK_TRY_ASSIGN(out.log, read_log(c));
  out.http.address = address.numeric;
  out.http.port = out.url.port;
  RK_TRY_ASSIGN(const std::int64_t io_threads, c.integer("Http.IoThreads", 0, 1024));
  out.http.thread_count = static_cast<std::uint32_t>(io_threads);
  RK_TRY_ASSIGN(out.http.limits, read_limits(c));
  out.server.data_dir = c.text("DataDir").value_or("RavenData");
  RK_TRY_ASSIGN(out.server.verify_on_delete, c.boolean("Testing.VerifyOnDelete"));
  RK_TRY_ASSIGN(const auto load_wait,
                seconds_of(c, "Server.MaxTimeForTaskToWaitForDatabaseToLoadInSec"));
  out.server.load_wait_max = load_wait;
  RK_TRY(read_upkeep(c, out.server));
  RK_TRY_ASSIGN(out.server.limits.dirty_bytes_per_txn_max,
                bytes_of(c, "TransactionMerger.MaxTxSizeInMb", kMega, 4096));
  RK_TRY_ASSIGN(out.server.environment.scratch_memory_bytes_max,
                bytes_of(c, "Storage.MaxScratchBufferSizeInMb", kMega, 65536));
  RK_TRY(read_indexing(c, out.server));
  RK_TRY_ASSIGN(out.query_time_max, seconds_of(c, "Databases.QueryTimeoutInSec"));
  // A quarter of what the process may have before the kernel kills it; the rest is for documents
  // under way, and for the pages of the data files, which the kernel counts too.
  if (const auto limit = os::memory_limit_bytes(os::real_platform().files); limit.has_value()) {
    out.server.scratch_memory_bytes_max = std::max(*limit / 4, kScratchLeastBytes);
  }
  RK_TRY_ASSIGN(out.document_bytes_max, bytes_of(c, "Documents.MaxSizeInMb", kMega, 2048));
  return out;
}

}  // namespace rookery::cli
