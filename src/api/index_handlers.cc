// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <fmt/format.h>

#include "handlers.h"

// Indexes are not built: none can be made (PUT answers 501), so what is answered here is true of a
// server that has none.

namespace rookery::api {

namespace {

Response no_such_index(const Call& call, std::string_view name) {
  return error_response(Fault::kIndexMissing, call.url(),
                        fmt::format("There is no index with the name '{}'.", name));
}

// All indexes: none. One by name: 404, which clients read as null.
Response none_or_missing(const Call& call) {
  return call.request().query.has("name") ? Response::empty(404)
                                          : Response::json(R"({"Results":[]})");
}

}  // namespace

Result<Response> get_indexes(Call& call) {
  return none_or_missing(call);
}

Result<Response> get_index_statistics(Call& call) {
  return none_or_missing(call);
}

Result<Response> get_indexing_status(Call& call) {
  static_cast<void>(call);
  return Response::json(R"({"Status":"Running","Indexes":[]})");
}

Result<Response> get_index_errors(Call& call) {
  if (const auto name = call.request().query.find("name"); name.has_value()) {
    return no_such_index(call, *name);
  }
  return Response::json(R"({"Results":[]})");
}

Result<Response> delete_index_errors(Call& call) {
  if (const auto name = call.request().query.find("name"); name.has_value()) {
    return no_such_index(call, *name);
  }
  return Response::empty(204);
}

Result<Response> get_index_terms(Call& call) {
  RK_TRY_ASSIGN(const std::string_view name, call.required("name"));
  return no_such_index(call, name);
}

Result<Response> change_index(Call& call) {
  if (const auto name = call.request().query.find("name"); name.has_value()) {
    return no_such_index(call, *name);
  }
  RK_TRY_ASSIGN(const value::Document body, call.parse_body());
  const auto names = body.root().find("IndexNames");
  if (!names.has_value() || !names->is_array() || names->size() == 0) {
    return Error(ErrorCode::invalid_argument, "'IndexNames' must name at least one index.");
  }
  return no_such_index(call, names->at(0).as_string().value_or(""));
}

Result<Response> delete_index(Call& call) {
  RK_TRY(call.required("name"));
  return Response::empty(404);
}

Result<Response> start_or_stop_indexing(Call& call) {
  if (const auto name = call.request().query.find("name"); name.has_value()) {
    return no_such_index(call, *name);
  }
  // Of no index at all.
  return Response::empty(204);
}

Result<Response> has_index_changed(Call& call) {
  RK_TRY(call.parse_body());
  // What does not exist yet would change.
  return Response::json(R"({"Changed":true})");
}

}  // namespace rookery::api
