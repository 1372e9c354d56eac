// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "rookery/api/http.h"
#include "rookery/base/result.h"

// Purpose. The one place where a failure becomes a status code and an error body. The official
// clients choose their exception by `Type`, show `Error` (for 409: `Message`), and act on the
// status: 404 reads as null, 408 and 502-504 make them try another node, so neither is used
// lightly.

namespace rookery::api {

enum class Fault : std::uint8_t {
  kBadRequest,
  kBadJson,
  kInvalidQuery,
  kLengthRequired,
  kTooLarge,
  kHeadersTooLarge,
  kUnsupportedMedia,
  kExpectationFailed,
  kRequestTimeout,
  kNotBuilt,  // a route or feature that does not exist: 501, never 404
  kDatabaseMissing,
  kDatabaseDisabled,
  kDatabaseLoading,
  kConcurrency,
  kConflict,
  kDocumentMissing,
  kIndexMissing,
  kForbidden,
  kDiskFull,
  kBusy,
  kTimedOut,
  kShuttingDown,
  kCancelled,  // by a client's wish
  kNotStored,
  kOutcomeUnknown,
  kPoisoned,
  kCorrupt,
  kInternal,
};

struct FaultRow {
  Fault fault;
  int status;
  std::string_view type;  // .NET full name, which is what the clients dispatch on
};

[[nodiscard]] const FaultRow& fault_row(Fault fault) noexcept;
[[nodiscard]] Fault fault_of(ErrorCode code) noexcept;

// The body is {Url, Type, Message, Error}; Error begins with the type's name.
[[nodiscard]] Response error_response(Fault fault, std::string_view url, std::string_view message);
[[nodiscard]] Response error_response(const Error& error, std::string_view url);
// 503 with the Database-Missing header.
[[nodiscard]] Response database_missing_response(std::string_view database, std::string_view url);
// The same error as 400 and without the header, for an administrator's mistake: clients then do not
// try another node.
[[nodiscard]] Response unknown_database_response(std::string_view database, std::string_view url);

}  // namespace rookery::api
