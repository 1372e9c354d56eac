// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include <fmt/format.h>

#include "rookery/value/json.h"

#include "handlers.h"

// ~/operations: numbers for operations, how they are, and their end.

namespace rookery::api {

namespace {

Result<std::int64_t> operation_id(const Call& call) {
  RK_TRY_ASSIGN(const std::optional<std::int64_t> id, call.integer("id"));
  if (!id.has_value()) {
    return Error(ErrorCode::invalid_argument, "the query string parameter 'id' is missing");
  }
  return *id;
}

// 404, which clients read as "nothing known".
Response unknown_operation(const Call& call, std::int64_t id) {
  Response response =
      error_response(Fault::kBadRequest, call.url(),
                     fmt::format("Operation {} was not found in this database.", id));
  response.status = 404;
  return response;
}

}  // namespace

Result<Response> get_next_operation_id(Call& call) {
  std::string body;
  value::JsonWriter w(body);
  w.begin_object();
  w.int64("Id", call.service().operations.next_id());
  w.string("NodeTag", call.service().options.node_tag);
  w.end_object();
  return Response::json(std::move(body));
}

Result<Response> get_operation_state(Call& call) {
  RK_TRY_ASSIGN(const std::int64_t id, operation_id(call));
  const auto operation = call.service().operations.find(call.database_name(), id);
  return operation != nullptr ? Response::json(operation->state_json())
                              : unknown_operation(call, id);
}

Result<Response> kill_operation(Call& call) {
  RK_TRY_ASSIGN(const std::int64_t id, operation_id(call));
  const auto operation = call.service().operations.find(call.database_name(), id);
  if (operation == nullptr) {
    return unknown_operation(call, id);
  }
  operation->kill();
  return Response::empty(204);
}

}  // namespace rookery::api
