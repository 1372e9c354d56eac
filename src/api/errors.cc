// SPDX-License-Identifier: Apache-2.0
#include "rookery/api/errors.h"

#include <algorithm>
#include <array>
#include <string>

#include "rookery/base/check.h"
#include "rookery/value/json.h"

namespace rookery::api {

namespace {

// In the order of Fault. A failed write whose outcome is unknown must not be 502-504: the clients
// would send it again to another node, and perhaps store it twice.
constexpr auto kRows = std::to_array<FaultRow>({
    {Fault::kBadRequest, 400, "System.ArgumentException"},
    {Fault::kBadJson, 400, "System.IO.InvalidDataException"},
    {Fault::kInvalidQuery, 400, "Raven.Client.Exceptions.InvalidQueryException"},
    {Fault::kLengthRequired, 411, "Raven.Client.Exceptions.BadRequestException"},
    {Fault::kTooLarge, 413, "Raven.Client.Exceptions.QuotaException"},
    {Fault::kHeadersTooLarge, 431, "Raven.Client.Exceptions.BadRequestException"},
    {Fault::kUnsupportedMedia, 415, "System.NotSupportedException"},
    {Fault::kExpectationFailed, 417, "Raven.Client.Exceptions.BadRequestException"},
    {Fault::kRequestTimeout, 408, "System.TimeoutException"},
    {Fault::kNotBuilt, 501, "System.NotSupportedException"},
    {Fault::kDatabaseMissing, 503,
     "Raven.Client.Exceptions.Database.DatabaseDoesNotExistException"},
    {Fault::kDatabaseDisabled, 503, "Raven.Client.Exceptions.Database.DatabaseDisabledException"},
    {Fault::kDatabaseLoading, 503, "Raven.Client.Exceptions.Database.DatabaseLoadTimeoutException"},
    {Fault::kConcurrency, 409, "Raven.Client.Exceptions.ConcurrencyException"},
    {Fault::kConflict, 409, "Raven.Client.Exceptions.Documents.DocumentConflictException"},
    {Fault::kDocumentMissing, 404,
     "Raven.Client.Exceptions.Documents.DocumentDoesNotExistException"},
    {Fault::kIndexMissing, 500,
     "Raven.Client.Exceptions.Documents.Indexes.IndexDoesNotExistException"},
    {Fault::kForbidden, 403, "Raven.Client.Exceptions.Security.AuthorizationException"},
    {Fault::kDiskFull, 507, "Raven.Client.Exceptions.DiskFullException"},
    {Fault::kBusy, 503, "Raven.Client.Exceptions.RavenException"},
    {Fault::kTimedOut, 500, "Raven.Client.Exceptions.RavenTimeoutException"},
    {Fault::kShuttingDown, 503, "System.OperationCanceledException"},
    {Fault::kCancelled, 500, "System.Threading.Tasks.TaskCanceledException"},
    {Fault::kNotStored, 500, "Raven.Client.Exceptions.StorageException"},
    {Fault::kOutcomeUnknown, 500, "Raven.Client.Exceptions.OutcomeUnknownException"},
    {Fault::kPoisoned, 500, "Raven.Client.Exceptions.VoronUnrecoverableErrorException"},
    {Fault::kCorrupt, 500, "Raven.Client.Exceptions.StorageException"},
    {Fault::kInternal, 500, "System.InvalidOperationException"},
});

constexpr bool rows_are_in_order() {
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (static_cast<std::size_t>(kRows[i].fault) != i) {
      return false;
    }
  }
  return kRows.size() == static_cast<std::size_t>(Fault::kInternal) + 1;
}

static_assert(rows_are_in_order());

}  // namespace

const FaultRow& fault_row(Fault fault) noexcept {
  return kRows[static_cast<std::size_t>(fault)];
}

Fault fault_of(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::invalid_argument:
      return Fault::kBadRequest;
    case ErrorCode::malformed:
      return Fault::kBadJson;
    case ErrorCode::invalid_query:
      return Fault::kInvalidQuery;
    case ErrorCode::not_supported:
      return Fault::kNotBuilt;
    case ErrorCode::too_large:
      return Fault::kTooLarge;
    case ErrorCode::not_found:
      return Fault::kDatabaseMissing;
    case ErrorCode::already_exists:
    case ErrorCode::concurrency:
      return Fault::kConcurrency;
    case ErrorCode::disabled:
      return Fault::kDatabaseDisabled;
    case ErrorCode::locked:
      return Fault::kInternal;
    case ErrorCode::no_space:
      return Fault::kDiskFull;
    case ErrorCode::busy:
    case ErrorCode::too_many:
    case ErrorCode::out_of_memory:
      return Fault::kBusy;
    case ErrorCode::timed_out:
    case ErrorCode::snapshot_too_old:
      return Fault::kTimedOut;
    case ErrorCode::loading:
      return Fault::kDatabaseLoading;
    case ErrorCode::cancelled:
    case ErrorCode::shutting_down:
      return Fault::kShuttingDown;
    case ErrorCode::not_stored:
      return Fault::kNotStored;
    case ErrorCode::outcome_unknown:
      return Fault::kOutcomeUnknown;
    case ErrorCode::poisoned:
      return Fault::kPoisoned;
    case ErrorCode::corrupt:
    case ErrorCode::incompatible:
      return Fault::kCorrupt;
    case ErrorCode::io:
      return Fault::kInternal;
  }
  return Fault::kInternal;
}

Response error_response(Fault fault, std::string_view url, std::string_view message) {
  const FaultRow& row = fault_row(fault);
  std::string error(row.type);
  error += ": ";
  error += message;
  std::string body;
  value::JsonWriter writer(body);
  writer.begin_object();
  writer.string("Url", url);
  writer.string("Type", row.type);
  writer.string("Message", message);
  writer.string("Error", error);
  if (fault == Fault::kTimedOut) {
    writer.boolean("FailImmediately", true);
  }
  writer.end_object();
  return Response::json(std::move(body), row.status);
}

Response error_response(const Error& error, std::string_view url) {
  return error_response(fault_of(error.code()), url, error.message());
}

Response database_missing_response(std::string_view database, std::string_view url) {
  Response response = unknown_database_response(database, url);
  response.status = fault_row(Fault::kDatabaseMissing).status;
  response.headers.add("Database-Missing", database);
  return response;
}

Response unknown_database_response(std::string_view database, std::string_view url) {
  std::string message = "Database '";
  message += database;
  message += "' does not exist.";
  Response response = error_response(Fault::kDatabaseMissing, url, message);
  response.status = fault_row(Fault::kBadRequest).status;
  return response;
}

}  // namespace rookery::api
