// SPDX-License-Identifier: Apache-2.0
#include "config_keys.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "rookery/api/http.h"

namespace rookery::cli {

namespace {

constexpr ConfigKey kKeys[] = {
    // Where the server is, and whom it lets in.
    {"ServerUrl", "http://localhost:8080", true},
    {"ServerUrl.Tcp", "", true},
    {"ServerUrl.Cluster", ""},
    {"PublicServerUrl", "", true},
    {"PublicServerUrl.Tcp", "", true},
    {"PublicServerUrl.Cluster", ""},
    {"Security.UnsecuredAccessAllowed", "Local", true},
    {"Security.Certificate.Path", "", true},
    {"Security.Certificate.Password", "", false, true},
    {"Setup.Mode", "None"},
    {"License", "", false, true},
    {"License.Path", ""},
    {"License.Eula.Accepted", "false"},
    {"Features.Availability", "Stable"},
    {"Testing.ParentProcessId", "", true},
    {"Testing.VerifyOnDelete", "false", true},

    // Where data lies.
    {"DataDir", "RavenData", true},
    {"RunInMemory", "false", true},
    {"Storage.TempPath", ""},
    {"Storage.MaxConcurrentFlushes", "10"},
    {"Storage.TimeToSyncAfterFlushInSec", "30"},
    {"Storage.NumberOfConcurrentSyncsPerPhysicalDrive", "3"},
    {"Storage.CompressTxAboveSizeInKb", "512"},
    {"Storage.MaxScratchBufferSizeInMb", "64", true},
    {"Storage.SyncJournalsCountThreshold", "2"},
    {"Storage.EnablePrefetching", "true"},
    {"Storage.PrefetchBatchSizeInKb", "1024"},
    {"Storage.PrefetchResetThresholdInGb", "8"},
    {"Storage.ReadAheadKbAlertThresholdInKb", "128"},
    {"Storage.UseSequentialReadAheadHintForJournalRecovery", "true"},
    {"Storage.IO.Metrics.Enabled", "true"},
    {"Storage.OnDirectoryInitialize.Exec.TimeoutInSec", "30"},
    {"TransactionMerger.MaxTxSizeInMb", "8", true},
    {"TransactionMerger.MaxTimeToWaitForPreviousTxBeforeRejectingInMs", "5000"},
    {"TransactionMerger.MaxTimeToWaitForPreviousTxInMs", "0"},

    // HTTP: keys of our own.
    {"Http.MaxRequestBodySizeInMb", "512", true},
    {"Http.MaxConcurrentRequestBodiesSizeInMb", "2048", true},
    {"Http.MaxRequestHeadersSizeInKb", "64", true},
    {"Http.MaxConnections", "10000", true},
    {"Http.RequestHeadersTimeoutInSec", "30", true},
    {"Http.KeepAliveTimeoutInSec", "130", true},
    {"Http.BodyGracePeriodInSec", "15", true},
    {"Http.MinDataRateInBytesPerSec", "1024", true},
    {"Http.StreamIdleTimeoutInSec", "120", true},
    {"Http.ShutdownTimeoutInSec", "10", true},
    {"Http.IoThreads", "0", true},
    {"Documents.MaxSizeInMb", "128", true},

    {"Databases.MaxConcurrentLoads", "8"},
    {"Databases.ConcurrentLoadTimeoutInSec", "60"},
    {"Databases.MaxIdleTimeInSec", "900", true},
    {"Databases.FrequencyToCheckForIdleInSec", "60", true},
    {"Databases.QueryTimeoutInSec", "300", true},
    {"Databases.QueryOperationTimeoutInSec", "300"},
    {"Databases.OperationTimeoutInSec", "300"},
    {"Databases.CollectionOperationTimeoutInSec", "300"},
    {"Databases.PulseReadTransactionLimitInMb", ""},
    {"Databases.Compression.CompressRevisionsDefault", "true"},
    {"Databases.Compression.CompressAllCollectionsDefault", "false"},
    {"Server.MaxTimeForTaskToWaitForDatabaseToLoadInSec", "30", true},
    {"Server.NumberOfUnusedCoresByIndexes", "1", true},
    {"Memory.LowMemoryLimitInMb", ""},
    {"Memory.LowMemoryCommitLimitInMb", "512"},
    {"Memory.MinimumFreeCommittedMemoryPercentage", "0.05"},
    {"Memory.MaxFreeCommittedMemoryToKeepInMb", "128"},

    {"Cluster.ElectionTimeoutInMs", "300"},
    {"Cluster.OperationTimeoutInSec", "15"},
    {"Cluster.TimeBeforeMovingToRehabInSec", "60"},
    {"Cluster.TimeBeforeAddingReplicaInSec", "900"},
    {"Cluster.TimeBeforeRotatingPreferredNodeInSec", "5"},
    {"Cluster.WorkerSamplePeriodInMs", "500"},
    {"Cluster.SupervisorSamplePeriodInMs", "1000"},
    {"Cluster.ReceiveFromWorkerTimeoutInMs", "5000"},
    {"Cluster.StatsStabilizationTimeInSec", "5"},
    {"Cluster.MaxChangeVectorDistance", "65536"},
    {"Cluster.MaxSizeOfSingleRaftCommandInMb", "128"},
    {"Cluster.MaxClusterTransactionBatchSize", "256"},
    {"Cluster.LogHistoryMaxEntries", "2048"},
    {"Cluster.HardDeleteOnReplacement", "true"},
    {"Cluster.CompareExchangeExpiredDeleteFrequencyInSec", "60"},
    {"Cluster.CompareExchangeTombstonesCleanupIntervalInMin", "10"},

    {"Indexing.Static.SearchEngineType", ""},
    {"Indexing.Auto.SearchEngineType", ""},
    {"Indexing.MapBatchSize", "", true},
    {"Indexing.MapTimeoutInSec", "-1"},
    {"Indexing.MaxTimeForDocumentTransactionToRemainOpenInSec", "15", true},
    {"Indexing.TimeToWaitBeforeMarkingAutoIndexAsIdleInMin", "30", true},
    {"Indexing.TimeToWaitBeforeDeletingAutoIndexMarkedAsIdleInHrs", "72", true},
    {"Indexing.MaxNumberOfConcurrentlyRunningIndexes", "", true},
    {"Indexing.Throttling.TimeIntervalInMs", "", true},
    {"Indexing.ScratchSpaceLimitInMb", ""},
    {"Indexing.GlobalScratchSpaceLimitInMb", ""},
    {"Indexing.History.NumberOfRevisions", "10"},
    {"Indexing.ErrorIndexStartupBehavior", "Default"},
    {"Indexing.IndexStartupBehavior", "Default", true},
    {"Indexing.ResetMode", "InPlace"},
    {"Indexing.MaxStepsForScript", "10000"},
    {"Indexing.ManagedAllocationsBatchSizeLimitInMb", "2048"},
    {"Indexing.Corax.UnmanagedAllocationsBatchSizeLimitInMb", "2048"},
    {"Indexing.Analyzers.Default", "LowerCaseKeywordAnalyzer"},
    {"Indexing.Analyzers.Exact.Default", "KeywordAnalyzer"},
    {"Indexing.Analyzers.Search.Default", "RavenStandardAnalyzer"},
    {"Indexing.IndexMissingFieldsAsNull", "false"},
    {"Indexing.IndexEmptyEntries", "false"},
    {"Indexing.Querying.Corax.NullsSortMode", "NullsSmallest"},
    {"Indexing.Corax.MaxMemoizationSizeInMb", "512"},
    {"Patching.MaxStepsForScript", "10000"},

    {"Replication.MaxItemsCount", "16384"},
    {"Replication.MaxSizeToSendInMb", "64"},
    {"Replication.ReplicationMinimalHeartbeatInSec", "15"},
    {"Replication.RetryMaxTimeoutInSec", "300"},
    {"Tombstones.CleanupIntervalInMin", "5", true},
    {"Tombstones.RetentionTimeWithReplicationHubInHrs", "336"},
    {"ETL.MaxNumberOfExtractedDocuments", "8192"},
    {"ETL.MaxBatchSizeInMb", "64"},
    {"ETL.ExtractAndTransformTimeoutInSec", "30"},
    {"ETL.MaxFallbackTimeInSec", "900"},
    {"Backup.MaxNumberOfConcurrentBackups", ""},
    {"Backup.ConcurrentBackupsDelayInSec", "30"},
    {"Backup.LowMemoryBackupDelayInMin", "10"},
    {"Subscriptions.MaxNumberOfConcurrentConnections", "1000"},
    {"PerformanceHints.MaxNumberOfResults", "2048"},
    {"PerformanceHints.TooLongRequestThresholdInSec", "30"},
    {"Notifications.FilterOut", ""},
    {"Monitoring.Snmp.Enabled", "false"},
    {"Monitoring.Snmp.Port", "161"},

    {"Logs.Mode", "Operations", true},
    {"Logs.Path", "", true},
    {"Logs.ArchiveAboveSizeInMb", "128", true},
    {"Logs.MaxArchiveDays", "3", true},
    {"Logs.MaxArchiveFiles", "10", true},
    {"Logs.UseUtcTime", "true"},
};

constexpr std::size_t kNear = 2;

char lower(char c) {
  return (c >= 'A' && c <= 'Z') ? static_cast<char>(c + 32) : c;
}

}  // namespace

std::span<const ConfigKey> config_keys() noexcept {
  return kKeys;
}

const ConfigKey* find_config_key(std::string_view name) noexcept {
  const auto* found = std::find_if(std::begin(kKeys), std::end(kKeys), [&](const ConfigKey& key) {
    return api::equal_ignoring_case(key.name, name);
  });
  return found == std::end(kKeys) ? nullptr : found;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the usual table; the third lets two swapped letters count as one edit.
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> previous(b.size() + 1);
  std::vector<std::size_t> current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) {
    previous[j] = j;
  }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      current[j] =
          std::min({previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
          lower(a[i - 2]) == lower(b[j - 1])) {
        current[j] = std::min(current[j], before[j - 2] + 1);
      }
    }
    before.swap(previous);
    previous.swap(current);
  }
  return previous[b.size()];
}

std::optional<NearKey> near_config_key(std::string_view name) {
  std::optional<NearKey> nearest;
  for (const ConfigKey& key : kKeys) {
    const std::size_t distance = edit_distance(name, key.name);
    if (distance <= kNear && (!nearest.has_value() || distance < nearest->distance)) {
      nearest = NearKey{&key, distance};
    }
  }
  return nearest;
}

}  // namespace rookery::cli
