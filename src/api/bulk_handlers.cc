// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "rookery/api/time_span.h"
#include "rookery/db/command.h"
#include "rookery/value/builder.h"
#include "rookery/value/date.h"
#include "rookery/value/json.h"

#include "handlers.h"
#include "prepare.h"

// POST ~/bulk_docs: many changes that happen together or not at all.

namespace rookery::api {

using value::JsonWriter;
using value::View;

namespace {

// {"Commands": [{"Document": ...}]}: levels around a document.
constexpr std::size_t kLevelsAroundCommand = 3;

// A change vector in a command: absent or null, no check; else what must be there.
std::optional<std::string> expected_of(View command) {
  const auto text = command.find_string("ChangeVector");
  return text.has_value() ? std::optional<std::string>(*text) : std::nullopt;
}

Result<db::Command> make_put(View command, std::size_t size_bytes_max) {
  const auto document = command.find("Document");
  if (!document.has_value() || !document->is_object()) {
    return Error(ErrorCode::invalid_argument, "'Document' must be a JSON object.");
  }
  if (const auto strategy = command.find_string("ForceRevisionCreationStrategy");
      strategy.has_value() && *strategy != "None") {
    return Error(ErrorCode::not_supported, "Revisions are not supported.");
  }
  db::PutCommand put;
  if (const auto id = command.find("Id"); id.has_value() && !id->is_null()) {
    const auto text = id->as_string();
    if (!text.has_value()) {
      // As no id it would be stored under one that the client never hears of.
      return Error(ErrorCode::invalid_argument, "'Id' must be a string.");
    }
    if (!text->empty()) {
      put.id.emplace(*text);
    }
  }
  put.expected_change_vector = expected_of(command);
  value::Builder builder;
  builder.value(*document);
  RK_TRY_ASSIGN(value::Document copy, builder.finish());
  RK_TRY_ASSIGN(put.document, prepare_document(std::move(copy), size_bytes_max));
  return db::Command(std::move(put));
}

Result<db::Command> make_delete(View command) {
  const auto id = command.find_string("Id");
  if (!id.has_value()) {
    return Error(ErrorCode::invalid_argument, "'Id' must be a string.");
  }
  return db::Command(
      db::DeleteCommand{.id = std::string(*id), .expected_change_vector = expected_of(command)});
}

Result<db::Command> make_command(View command, std::size_t size_bytes_max) {
  const auto type = command.find_string("Type");
  if (!type.has_value()) {
    return Error(ErrorCode::invalid_argument, "'Type' must be a string.");
  }
  if (*type == "PUT") {
    return make_put(command, size_bytes_max);
  }
  if (*type == "DELETE") {
    return make_delete(command);
  }
  return Error(ErrorCode::not_supported,
               fmt::format("A batch command of type '{}' is not supported.", *type));
}

// What is asked of the whole batch, beyond its commands.
Result<void> check_batch(const Call& call, View body) {
  if (const auto mode = body.find_string("TransactionMode");
      mode.has_value() && equal_ignoring_case(*mode, "ClusterWide")) {
    return Error(ErrorCode::not_supported, "Cluster-wide transactions are not supported.");
  }
  const auto replicas = call.request().query.find("numberOfReplicasToWaitFor");
  if (replicas.has_value() && *replicas != "0" && !equal_ignoring_case(*replicas, "majority")) {
    return Error(ErrorCode::invalid_argument,
                 fmt::format("'numberOfReplicasToWaitFor' is {}, but this database is on one node.",
                             *replicas));
  }
  return {};
}

Result<std::vector<db::Command>> make_commands(Call& call) {
  const std::size_t size_bytes_max = call.service().options.document_bytes_max;
  const std::string_view media = call.request().headers.find("Content-Type").value_or("");
  if (media.starts_with("multipart/")) {
    return Error(ErrorCode::not_supported, "Attachments are not supported.");
  }
  RK_TRY_ASSIGN(const value::Document body, call.parse_body(kLevelsAroundCommand));
  RK_TRY(check_batch(call, body.root()));
  const auto commands = body.root().find("Commands");
  if (!commands.has_value() || !commands->is_array()) {
    return Error(ErrorCode::invalid_argument, "'Commands' must be an array.");
  }
  std::vector<db::Command> out;
  out.reserve(commands->size());
  for (std::size_t i = 0; i < commands->size(); ++i) {
    Result<db::Command> command = make_command(commands->at(i), size_bytes_max);
    if (!command.has_value()) {
      return command.error().with_context(fmt::format("command {} of the batch", i + 1));
    }
    out.push_back(std::move(command).value());
  }
  return out;
}

// Metadata keys only: clients copy every key but Type into the metadata of their entity.
void write_put(JsonWriter& w, const doc::PutResult& result) {
  w.string("Type", "PUT");
  w.string("@id", result.id);
  w.string("@collection", result.collection);
  w.string("@change-vector", result.change_vector);
  w.string("@last-modified", value::format_date(result.last_modified));
  if (result.flags != doc::DocumentFlags::kNone) {
    w.string("@flags", doc::flags_text(result.flags));
  }
}

void write_delete(JsonWriter& w, std::string_view id, const doc::DeleteResult& result) {
  w.string("Type", "DELETE");
  w.string("Id", id);
  w.boolean("Deleted", result.deleted);
  if (result.deleted) {
    w.string("ChangeVector", result.change_vector);
  } else {
    w.null("ChangeVector");
  }
}

Response render(const std::vector<std::string>& ids, const db::BatchResult& batch) {
  std::string body;
  JsonWriter w(body);
  w.begin_object();
  w.key("Results");
  w.begin_array();
  for (std::size_t i = 0; i < batch.results.size(); ++i) {
    w.begin_object();
    if (const auto* put = std::get_if<doc::PutResult>(&batch.results[i]); put != nullptr) {
      write_put(w, *put);
    } else {
      write_delete(w, ids[i], std::get<doc::DeleteResult>(batch.results[i]));
    }
    w.end_object();
  }
  w.end_array();
  w.null("TransactionIndex");
  w.end_object();
  return Response::json(std::move(body), 201);
}

// waitForIndexesTimeout and what goes with it.
struct IndexWait {
  os::Duration timeout{};
  bool must_succeed = false;
  std::vector<std::string> names;  // empty: all that the batch concerns
};

Result<std::optional<IndexWait>> index_wait_of(const Call& call) {
  const QueryParameters& query = call.request().query;
  const auto timeout = query.find("waitForIndexesTimeout");
  if (!timeout.has_value()) {
    return std::optional<IndexWait>();
  }
  const std::optional<Ticks> span = parse_time_span(*timeout);
  if (!span.has_value() || span->count() < 0) {
    return Error(ErrorCode::invalid_argument, "'waitForIndexesTimeout' must be a time span.");
  }
  IndexWait wait;
  wait.timeout = waiting_time(*span);
  RK_TRY_ASSIGN(wait.must_succeed, call.flag("waitForIndexThrow"));
  for (const std::string_view name : query.all("waitForSpecificIndex")) {
    wait.names.emplace_back(name);
  }
  return std::optional(std::move(wait));
}

// The batch is stored. No thread waits.
void wait_for_indexes(const CallPtr& call, const IndexWait& wait,
                      const std::vector<std::string>& ids, db::BatchResult result) {
  std::vector<std::string> collections;
  for (const db::CommandResult& one : result.results) {
    if (const auto* put = std::get_if<doc::PutResult>(&one); put != nullptr) {
      collections.push_back(put->collection);
    } else {
      collections.push_back(std::get<doc::DeleteResult>(one).collection);
    }
  }
  const std::uint64_t etag = result.last_etag;
  // The call, and with it the database, may be gone before wait_for() returns.
  const db::DatabaseRef database = call->database_ref();
  database->indexes().wait_for(
      collections, wait.names, etag, wait.timeout,
      [call, ids, etag, timeout = wait.timeout, must_succeed = wait.must_succeed,
       result = std::make_shared<db::BatchResult>(std::move(result))](bool reached) {
        if (reached || !must_succeed) {
          call->finish(render(ids, *result));
          return;
        }
        call->fail(Fault::kTimedOut,
                   fmt::format("The changes are stored, but after waiting for {} the server could "
                               "not verify that the indexes have caught up with etag {}.",
                               format_time_span(std::chrono::duration_cast<Ticks>(timeout)), etag));
      });
}

}  // namespace

void bulk_documents(const CallPtr& call) {
  Result<std::optional<IndexWait>> wait = index_wait_of(*call);
  if (!wait.has_value()) {
    call->fail(wait.error());
    return;
  }
  Result<std::vector<db::Command>> commands = make_commands(*call);
  if (!commands.has_value()) {
    call->fail(commands.error());
    return;
  }
  if (commands.value().empty()) {
    call->finish(render({}, {}));
    return;
  }
  // The ids of deletes, at their positions, for the answer.
  std::vector<std::string> ids(commands.value().size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (const auto* command = std::get_if<db::DeleteCommand>(&commands.value()[i]);
        command != nullptr) {
      ids[i] = command->id;
    }
  }
  db::Batch batch;
  batch.commands = std::move(commands).value();
  batch.done = [call, ids = std::move(ids),
                wait = std::move(wait).value()](Result<db::BatchResult> outcome) {
    if (!outcome.has_value()) {
      call->fail(outcome.error());
    } else if (wait.has_value()) {
      wait_for_indexes(call, *wait, ids, std::move(outcome).value());
    } else {
      call->finish(render(ids, outcome.value()));
    }
  };
  // The call, and with it the database, may be gone before submit() returns.
  const db::DatabaseRef database = call->database_ref();
  database->submit(std::move(batch));
}

}  // namespace rookery::api
