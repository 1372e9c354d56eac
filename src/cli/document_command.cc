// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rookery/db/server.h"
#include "rookery/doc/render.h"
#include "rookery/edge/http_client.h"
#include "rookery/os/platform.h"
#include "rookery/value/json.h"

#include "commands.h"

// rookery get | put | del

namespace rookery::cli {

namespace {

Result<std::string> read_input(const std::string& path) {
  if (path == "-") {
    return std::string(std::istreambuf_iterator<char>(std::cin), {});
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return Error(ErrorCode::not_found, fmt::format("'{}' cannot be opened", path));
  }
  return std::string(std::istreambuf_iterator<char>(file), {});
}

Error no_such_document(const std::string& id) {
  return {ErrorCode::not_found, fmt::format("there is no document '{}'", id)};
}

// What an error body says, or the status where there is none.
Error error_of(const api::Response& response) {
  const auto body = value::parse_json(response.body);
  std::string message = fmt::format("the server answered with status {}", response.status);
  if (body.has_value()) {
    if (const auto text = body->root().find_string("Error"); text.has_value()) {
      message = *text;
    }
  }
  return {ErrorCode::invalid_argument, std::move(message)};
}

Result<std::string> over_http(const DocumentArguments& arguments) {
  edge::ClientRequest request;
  request.url =
      fmt::format("{}/databases/{}/docs?id={}", arguments.url,
                  edge::percent_encode(arguments.database), edge::percent_encode(arguments.id));
  request.method = arguments.verb == DocumentVerb::kGet   ? "GET"
                   : arguments.verb == DocumentVerb::kPut ? "PUT"
                                                          : "DELETE";
  if (arguments.verb == DocumentVerb::kPut) {
    RK_TRY_ASSIGN(request.body, read_input(arguments.file));
    request.headers.add("Content-Type", "application/json");
  }
  RK_TRY_ASSIGN(const api::Response response, edge::http_call(request));
  if (response.status == 404) {
    return no_such_document(arguments.id);
  }
  if (response.status >= 400) {
    return error_of(response);
  }
  if (arguments.verb != DocumentVerb::kGet) {
    return response.body;
  }
  RK_TRY_ASSIGN(const value::Document body, value::parse_json(response.body));
  const auto results = body.root().find("Results");
  if (!results.has_value() || !results->is_array() || results->size() != 1) {
    return Error(ErrorCode::malformed, "the server's answer has no result");
  }
  return value::to_json(results->at(0));
}

Result<std::string> get_from(db::Database& database, const std::string& id) {
  RK_TRY_ASSIGN(const doc::Snapshot snapshot, database.snapshot());
  RK_TRY_ASSIGN(const std::optional<doc::DocumentView> found, snapshot->get(id));
  if (!found.has_value()) {
    return no_such_document(id);
  }
  std::string out;
  value::JsonWriter writer(out);
  RK_TRY(doc::write_document(writer, *found));
  RK_TRY(snapshot.check_health());
  return out;
}

Result<std::string> put_into(db::Database& database, const DocumentArguments& arguments) {
  RK_TRY_ASSIGN(const std::string text, read_input(arguments.file));
  RK_TRY_ASSIGN(value::Document document, value::parse_json(text));
  db::PutCommand command;
  command.id = arguments.id;
  RK_TRY_ASSIGN(command.document, doc::PreparedDocument::make(std::move(document)));
  std::vector<db::Command> commands;
  commands.emplace_back(std::move(command));
  RK_TRY_ASSIGN(const db::BatchResult result, database.execute(std::move(commands)));
  const auto& put = std::get<doc::PutResult>(result.results.front());
  std::string out;
  value::JsonWriter writer(out);
  writer.begin_object();
  writer.string("Id", put.id);
  writer.string("ChangeVector", put.change_vector);
  writer.end_object();
  return out;
}

Result<std::string> delete_from(db::Database& database, const std::string& id) {
  std::vector<db::Command> commands;
  commands.emplace_back(db::DeleteCommand{.id = id, .expected_change_vector = std::nullopt});
  RK_TRY_ASSIGN(const db::BatchResult result, database.execute(std::move(commands)));
  if (!std::get<doc::DeleteResult>(result.results.front()).deleted) {
    return no_such_document(id);
  }
  return std::string();
}

Result<std::string> in_folder(const DocumentArguments& arguments) {
  db::ServerOptions options;
  options.data_dir = arguments.folder;
  os::Platform& platform = os::real_platform();
  RK_TRY_ASSIGN(const auto info, platform.files.info(arguments.folder));
  if (!info.has_value()) {
    return Error(ErrorCode::not_found, fmt::format("there is no folder '{}'", arguments.folder));
  }
  RK_TRY_ASSIGN(const std::unique_ptr<db::Server> server,
                db::Server::open(platform, std::move(options)));
  Result<std::string> out = ErrorCode::not_found;
  {
    RK_TRY_ASSIGN(const db::DatabaseRef database, server->acquire_and_wait(arguments.database));
    switch (arguments.verb) {
      case DocumentVerb::kGet:
        out = get_from(*database, arguments.id);
        break;
      case DocumentVerb::kPut:
        out = put_into(*database, arguments);
        break;
      case DocumentVerb::kDelete:
        out = delete_from(*database, arguments.id);
        break;
    }
  }
  RK_TRY(server->close());
  return out;
}

}  // namespace

int run_document(const DocumentArguments& arguments) {
  const Result<std::string> text =
      arguments.folder.empty() ? over_http(arguments) : in_folder(arguments);
  if (!text.has_value()) {
    print_error(text.error());
    return kExitFailed;
  }
  if (!text->empty()) {
    fmt::print("{}\n", *text);
  }
  return kExitOk;
}

}  // namespace rookery::cli
