// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "rookery/db/command.h"
#include "rookery/value/date.h"
#include "rookery/value/json.h"

#include "etag.h"
#include "handlers.h"
#include "json_object.h"
#include "prepare.h"

// Single changes. None of them waits: the database's merger calls back when the change is durable.

namespace rookery::api {

using value::JsonWriter;

namespace {

// Submits one command and answers with what `render` makes of its result.
template <typename CommandResultType>
void submit_one(const CallPtr& call, db::Command command,
                std::function<Response(Call&, const CommandResultType&)> render) {
  db::Batch batch;
  batch.commands.push_back(std::move(command));
  batch.done = [call, render = std::move(render)](Result<db::BatchResult> outcome) {
    if (!outcome.has_value()) {
      call->fail(outcome.error());
      return;
    }
    call->finish(render(*call, std::get<CommandResultType>(outcome.value().results.front())));
  };
  // The call, and with it the database, may be gone before submit() returns.
  const db::DatabaseRef database = call->database_ref();
  database->submit(std::move(batch));
}

Result<db::PutCommand> make_put(Call& call) {
  const auto id = call.request().query.find("id");
  db::PutCommand command;
  if (id.has_value() && !id->empty()) {
    command.id.emplace(*id);
  }
  command.expected_change_vector = expected_change_vector(call.request());
  RK_TRY_ASSIGN(value::Document body, call.parse_body());
  RK_TRY_ASSIGN(command.document,
                prepare_document(std::move(body), call.service().options.document_bytes_max));
  return command;
}

Result<db::HiLoNextCommand> make_hilo_next(Call& call) {
  db::HiLoNextCommand command;
  RK_TRY_ASSIGN(const std::string_view tag, call.required("tag"));
  RK_TRY_ASSIGN(const std::optional<std::int64_t> size, call.integer("lastBatchSize"));
  RK_TRY_ASSIGN(const std::optional<std::int64_t> last_max, call.integer("lastMax"));
  command.tag = tag;
  command.last_batch_size = static_cast<std::uint64_t>(std::max<std::int64_t>(0, size.value_or(0)));
  command.last_max = static_cast<std::uint64_t>(std::max<std::int64_t>(0, last_max.value_or(0)));
  const std::string_view separator =
      call.request().query.find("identityPartsSeparator").value_or("/");
  if (separator.size() > 1) {
    return Error(ErrorCode::invalid_argument,
                 "'identityPartsSeparator' must be a single ASCII character.");
  }
  command.separator = separator.empty() ? '/' : separator.front();
  // A date that cannot be read only makes the range no larger.
  if (const auto at = call.request().query.find("lastRangeAt"); at.has_value()) {
    command.last_range_at = value::parse_date(*at);
  }
  return command;
}

}  // namespace

void put_document(const CallPtr& call) {
  Result<db::PutCommand> command = make_put(*call);
  if (!command.has_value()) {
    call->fail(command.error());
    return;
  }
  submit_one<doc::PutResult>(call, std::move(command).value(),
                             [](Call&, const doc::PutResult& result) {
                               return json_object(
                                   [&](JsonWriter& w) {
                                     w.string("Id", result.id);
                                     w.string("ChangeVector", result.change_vector);
                                   },
                                   201);
                             });
}

void delete_document(const CallPtr& call) {
  const Result<std::string_view> id = call->required("id");
  if (!id.has_value()) {
    call->fail(id.error());
    return;
  }
  db::DeleteCommand command{.id = std::string(*id),
                            .expected_change_vector = expected_change_vector(call->request())};
  submit_one<doc::DeleteResult>(call, std::move(command), [](Call&, const doc::DeleteResult&) {
    return Response::empty(204);
  });
}

void hilo_next(const CallPtr& call) {
  Result<db::HiLoNextCommand> command = make_hilo_next(*call);
  if (!command.has_value()) {
    call->fail(command.error());
    return;
  }
  submit_one<doc::HiLoRange>(call, std::move(command).value(),
                             [](Call&, const doc::HiLoRange& range) {
                               return json_object([&](JsonWriter& w) {
                                 w.string("Prefix", range.prefix);
                                 w.uint64("Low", range.low);
                                 w.uint64("High", range.high);
                                 w.uint64("LastSize", range.last_size);
                                 w.string("ServerTag", range.server_tag);
                                 w.string("LastRangeAt", value::format_date(range.last_range_at));
                               });
                             });
}

void hilo_return(const CallPtr& call) {
  const Result<std::string_view> tag = call->required("tag");
  const auto end = call->integer("end");
  const auto last = call->integer("last");
  if (!tag.has_value() || !end.has_value() || !last.has_value()) {
    call->fail(!tag.has_value() ? tag.error() : !end.has_value() ? end.error() : last.error());
    return;
  }
  db::HiLoReturnCommand command{
      .tag = std::string(*tag),
      .last = static_cast<std::uint64_t>(std::max<std::int64_t>(0, last->value_or(0))),
      .end = static_cast<std::uint64_t>(std::max<std::int64_t>(0, end->value_or(0)))};
  submit_one<db::HiLoReturnResult>(
      call, std::move(command),
      [](Call&, const db::HiLoReturnResult&) { return Response::empty(204); });
}

void identity_next(const CallPtr& call) {
  const Result<std::string_view> name = call->required("name");
  if (!name.has_value()) {
    call->fail(name.error());
    return;
  }
  submit_one<db::IdentityResult>(
      call, db::IdentityNextCommand{.name = std::string(*name)},
      [](Call&, const db::IdentityResult& result) {
        return json_object([&](JsonWriter& w) { w.int64("NewIdentityValue", result.value); });
      });
}

void identity_seed(const CallPtr& call) {
  const Result<std::string_view> name = call->required("name");
  const auto seed = call->integer("value");
  const Result<bool> force = call->flag("force");
  if (!name.has_value() || !seed.has_value() || !force.has_value()) {
    call->fail(!name.has_value() ? name.error() : !seed.has_value() ? seed.error() : force.error());
    return;
  }
  if (!seed->has_value()) {
    call->fail(Fault::kBadRequest, "the query string parameter 'value' is missing");
    return;
  }
  submit_one<db::IdentityResult>(
      call, db::IdentitySeedCommand{.name = std::string(*name), .value = **seed, .force = *force},
      [](Call&, const db::IdentityResult& result) {
        return json_object([&](JsonWriter& w) { w.int64("NewSeedValue", result.value); });
      });
}

}  // namespace rookery::api
