// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rookery/value/json.h"

#include "handlers.h"
#include "index_json.h"

// Indexes as administrators see them. All are auto-indexes: defining one is not built, and says so.

namespace rookery::api {

using index::IndexInfo;
using value::JsonWriter;

namespace {

Response no_such_index(const Call& call, std::string_view name) {
  return error_response(Fault::kIndexMissing, call.url(),
                        fmt::format("There is no index with the name '{}'.", name));
}

// {"Results": [...]} of one index by name, or of a page of all. One that is none: 404, which
// clients read as null.
Result<Response> results(Call& call,
                         const std::function<void(JsonWriter&, const IndexInfo&)>& write) {
  std::vector<IndexInfo> infos;
  if (const auto name = call.request().query.find("name"); name.has_value()) {
    RK_TRY_ASSIGN(std::optional<IndexInfo> info, call.database().indexes().info(*name));
    if (!info.has_value()) {
      return Response::empty(404);
    }
    infos.push_back(std::move(*info));
  } else {
    RK_TRY_ASSIGN(infos, call.database().indexes().list());
  }
  RK_TRY_ASSIGN(const std::optional<std::int64_t> start, call.integer("start"));
  RK_TRY_ASSIGN(const std::optional<std::int64_t> page_size, call.integer("pageSize"));
  if (start.value_or(0) < 0 || page_size.value_or(0) < 0) {
    return Error(ErrorCode::invalid_argument, "'start' and 'pageSize' cannot be negative.");
  }
  const auto first = static_cast<std::uint64_t>(start.value_or(0));
  const auto count =
      static_cast<std::uint64_t>(page_size.value_or(std::numeric_limits<std::int32_t>::max()));
  std::string body;
  JsonWriter w(body);
  w.begin_object();
  w.key("Results");
  w.begin_array();
  for (std::uint64_t i = first; i < infos.size() && i - first < count; ++i) {
    write(w, infos[i]);
  }
  w.end_array();
  w.end_object();
  return Response::json(std::move(body));
}

// Of the one index that the request names.
Result<Response> change_named(Call& call, int status,
                              const std::function<Result<bool>(std::string_view)>& change) {
  RK_TRY_ASSIGN(const std::string_view name, call.required("name"));
  RK_TRY_ASSIGN(const bool found, change(name));
  return found ? Response::empty(status) : no_such_index(call, name);
}

// Of all that the body lists: {"IndexNames": [...], `key`: ...}.
Result<Response> change_listed(
    Call& call, std::string_view key,
    const std::function<Result<bool>(std::string_view name, std::string_view value)>& change) {
  RK_TRY_ASSIGN(const value::Document body, call.parse_body());
  const auto names = body.root().find("IndexNames");
  const auto wanted = body.root().find_string(key);
  if (!names.has_value() || !names->is_array() || names->size() == 0) {
    return Error(ErrorCode::invalid_argument, "'IndexNames' must name at least one index.");
  }
  if (!wanted.has_value()) {
    return Error(ErrorCode::invalid_argument, fmt::format("'{}' must be a string.", key));
  }
  for (std::size_t i = 0; i < names->size(); ++i) {
    const std::string_view name = names->at(i).as_string().value_or("");
    RK_TRY_ASSIGN(const bool found, change(name, *wanted));
    if (!found) {
      return no_such_index(call, name);
    }
  }
  return Response::empty(204);
}

Result<Response> set_paused(Call& call, bool paused) {
  const std::string_view name = call.request().query.find("name").value_or("");
  return call.database().indexes().set_paused(name, paused) ? Response::empty(204)
                                                            : no_such_index(call, name);
}

}  // namespace

Result<Response> get_indexes(Call& call) {
  RK_TRY_ASSIGN(const bool names_only, call.flag("namesOnly"));
  return results(call, [names_only](JsonWriter& w, const IndexInfo& info) {
    if (names_only) {
      w.string(info.definition.name);
    } else {
      write_index_definition(w, info);
    }
  });
}

Result<Response> get_index_statistics(Call& call) {
  return results(call, write_index_statistics);
}

Result<Response> get_indexing_status(Call& call) {
  RK_TRY_ASSIGN(const std::vector<IndexInfo> infos, call.database().indexes().list());
  std::string body;
  JsonWriter w(body);
  w.begin_object();
  w.string("Status", call.database().indexes().is_paused() ? "Paused" : "Running");
  w.key("Indexes");
  w.begin_array();
  for (const IndexInfo& info : infos) {
    w.begin_object();
    w.string("Name", info.definition.name);
    w.string("Status", index::to_string(info.status));
    w.end_object();
  }
  w.end_array();
  w.end_object();
  return Response::json(std::move(body));
}

Result<Response> get_index_errors(Call& call) {
  std::vector<std::string> names;
  for (const std::string_view name : call.request().query.all("name")) {
    names.emplace_back(name);
  }
  if (names.empty()) {
    names = call.database().indexes().names();
  }
  std::string body;
  JsonWriter w(body);
  w.begin_object();
  w.key("Results");
  w.begin_array();
  for (const std::string& name : names) {
    const auto errors = call.database().indexes().errors(name);
    if (!errors.has_value()) {
      return no_such_index(call, name);
    }
    w.begin_object();
    w.string("Name", name);
    w.key("Errors");
    w.begin_array();
    for (const index::IndexingError& error : *errors) {
      write_indexing_error(w, error);
    }
    w.end_array();
    w.end_object();
  }
  w.end_array();
  w.end_object();
  return Response::json(std::move(body));
}

Result<Response> delete_index_errors(Call& call) {
  std::vector<std::string> names;
  for (const std::string_view name : call.request().query.all("name")) {
    names.emplace_back(name);
  }
  if (names.empty()) {
    names = call.database().indexes().names();
  }
  for (const std::string& name : names) {
    RK_TRY_ASSIGN(const bool found, call.database().indexes().clear_errors(name));
    if (!found) {
      return no_such_index(call, name);
    }
  }
  return Response::empty(204);
}

Result<Response> get_index_terms(Call& call) {
  RK_TRY_ASSIGN(const std::string_view name, call.required("name"));
  RK_TRY_ASSIGN(const std::string_view field, call.required("field"));
  RK_TRY_ASSIGN(const std::optional<std::int64_t> page_size, call.integer("pageSize"));
  if (page_size.value_or(0) < 0) {
    return Error(ErrorCode::invalid_argument, "'pageSize' cannot be negative.");
  }
  RK_TRY_ASSIGN(const auto terms,
                call.database().indexes().terms(
                    name, field, call.request().query.find("fromValue").value_or(""),
                    static_cast<std::uint64_t>(
                        page_size.value_or(std::numeric_limits<std::int32_t>::max()))));
  if (!terms.has_value()) {
    return no_such_index(call, name);
  }
  std::string body;
  JsonWriter w(body);
  w.begin_object();
  w.string("IndexName", name);
  w.key("Terms");
  w.begin_array();
  for (const std::string& term : *terms) {
    w.string(term);
  }
  w.end_array();
  w.end_object();
  return Response::json(std::move(body));
}

Result<Response> set_index_lock(Call& call) {
  return change_listed(call, "Mode", [&call](std::string_view name, std::string_view mode) {
    const Result<index::IndexLock> lock = index::parse_index_lock(mode);
    return lock.has_value() ? call.database().indexes().set_lock(name, lock.value())
                            : Result<bool>(lock.error());
  });
}

Result<Response> set_index_priority(Call& call) {
  return change_listed(call, "Priority", [&call](std::string_view name, std::string_view text) {
    const Result<index::IndexPriority> priority = index::parse_index_priority(text);
    return priority.has_value() ? call.database().indexes().set_priority(name, priority.value())
                                : Result<bool>(priority.error());
  });
}

Result<Response> delete_index(Call& call) {
  RK_TRY_ASSIGN(const std::string_view name, call.required("name"));
  RK_TRY_ASSIGN(const bool found, call.database().indexes().erase(name));
  return Response::empty(found ? 204 : 404);
}

Result<Response> reset_index(Call& call) {
  return change_named(
      call, 204, [&call](std::string_view name) { return call.database().indexes().reset(name); });
}

Result<Response> start_indexing(Call& call) {
  return set_paused(call, false);
}

Result<Response> stop_indexing(Call& call) {
  return set_paused(call, true);
}

Result<Response> enable_index(Call& call) {
  return change_named(call, 204, [&call](std::string_view name) {
    return call.database().indexes().set_disabled(name, false);
  });
}

Result<Response> disable_index(Call& call) {
  return change_named(call, 204, [&call](std::string_view name) {
    return call.database().indexes().set_disabled(name, true);
  });
}

Result<Response> put_indexes(Call& call) {
  static_cast<void>(call);
  return Error(ErrorCode::not_supported,
               "Indexes that are defined by clients are not supported yet; queries make the "
               "auto-indexes that they need.");
}

Result<Response> has_index_changed(Call& call) {
  RK_TRY(call.parse_body());
  return Error(ErrorCode::not_supported,
               "Indexes that are defined by clients are not supported yet.");
}

}  // namespace rookery::api
