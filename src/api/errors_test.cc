// SPDX-License-Identifier: Apache-2.0
#include "rookery/api/errors.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "rookery/value/json.h"

namespace rookery::api {
namespace {

TEST(Errors, HaveTheBodyThatClientsRead) {
  const Response r =
      error_response(Fault::kConcurrency, "/databases/x/docs?id=\"1\"", "It \"changed\".");
  EXPECT_EQ(r.status, 409);
  const auto body = value::parse_json(r.body);
  ASSERT_TRUE(body.has_value());
  EXPECT_EQ(body->root().find_string("Url"), "/databases/x/docs?id=\"1\"");
  EXPECT_EQ(body->root().find_string("Type"), "Raven.Client.Exceptions.ConcurrencyException");
  EXPECT_EQ(body->root().find_string("Message"), "It \"changed\".");
  EXPECT_EQ(body->root().find_string("Error"),
            "Raven.Client.Exceptions.ConcurrencyException: It \"changed\".");
}

TEST(Errors, MapEachCodeToItsStatus) {
  const struct {
    ErrorCode code;
    int status;
  } cases[] = {
      {ErrorCode::invalid_argument, 400},
      {ErrorCode::malformed, 400},
      {ErrorCode::invalid_query, 400},
      {ErrorCode::not_supported, 501},
      {ErrorCode::too_large, 413},
      {ErrorCode::not_found, 503},
      {ErrorCode::already_exists, 409},
      {ErrorCode::concurrency, 409},
      {ErrorCode::disabled, 503},
      {ErrorCode::no_space, 507},
      {ErrorCode::busy, 503},
      {ErrorCode::loading, 503},
      {ErrorCode::shutting_down, 503},
      {ErrorCode::not_stored, 500},
      {ErrorCode::outcome_unknown, 500},
      {ErrorCode::poisoned, 500},
      {ErrorCode::corrupt, 500},
      {ErrorCode::io, 500},
      {ErrorCode::timed_out, 500},
  };

  for (const auto& one : cases) {
    EXPECT_EQ(error_response(Error(one.code), "").status, one.status) << error_name(one.code);
  }
}

// 404 reads as null, and 408, 502, 503 and 504 make clients ask elsewhere: a write whose outcome is
// unknown must not be repeated there.
TEST(Errors, NeverInviteClientsToRepeatAWrite) {
  for (const ErrorCode code : {ErrorCode::outcome_unknown, ErrorCode::poisoned, ErrorCode::io,
                               ErrorCode::corrupt, ErrorCode::not_stored}) {
    const int status = error_response(Error(code), "").status;
    EXPECT_TRUE(status == 500 || status == 507) << error_name(code);
  }
  const FaultRow& unknown = fault_row(Fault::kOutcomeUnknown);
  for (int i = 0; i <= static_cast<int>(Fault::kInternal); ++i) {
    const FaultRow& row = fault_row(static_cast<Fault>(i));
    EXPECT_TRUE(row.fault == unknown.fault || row.type != unknown.type)
        << "the type of an unknown outcome must be its own";
    EXPECT_TRUE(row.status >= 400 && row.status < 600);
  }
}

TEST(Errors, NameAMissingDatabase) {
  const Response r = database_missing_response("shop", "/x");
  EXPECT_EQ(r.status, 503);
  EXPECT_EQ(r.headers.find("Database-Missing"), "shop");
  EXPECT_NE(r.body.find("DatabaseDoesNotExistException"), std::string::npos);
}

TEST(Errors, TellClientsNotToFailOverOnATimeOut) {
  const Response r = error_response(Fault::kTimedOut, "", "too slow");
  EXPECT_NE(r.body.find("\"FailImmediately\":true"), std::string::npos);
}

}  // namespace
}  // namespace rookery::api
