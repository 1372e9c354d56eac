// SPDX-License-Identifier: Apache-2.0
#include "client.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace rookery::history {

namespace {

constexpr std::string_view kIdentityName = "numbers|";
constexpr std::string_view kHiLoTag = "numbers";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

}  // namespace

Client::Client(std::uint32_t number, std::uint64_t seed, const Workload& workload,
               Transport& transport, Recorder& recorder)
    : number_(number),
      random_(seed),
      workload_(workload),
      transport_(transport),
      recorder_(recorder) {}

bool Client::step() {
  const std::uint64_t draw = random_.below(100);
  if (draw < 45) {
    return write();
  }
  if (draw < 70) {
    std::vector<std::string> ids;
    for (std::uint64_t i = 1 + random_.below(8); i > 0; --i) {
      ids.push_back(any_id());
    }
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    return load(ids);
  }
  if (draw < 80) {
    return scan("g" + std::to_string(random_.below(workload_.groups)) + "/");
  }
  if (draw < 92 && workload_.queries) {
    return query(any_color(), random_.chance(2));
  }
  return random_.chance(2) ? identity() : hilo();
}

void Client::look_at_everything() {
  must_succeed_ = true;
  std::vector<std::string> ids;
  for (std::uint32_t i = 0; i < workload_.documents; ++i) {
    ids.push_back(fmt::format("g{}/{}", i % workload_.groups, i));
  }
  load(ids);
  scan("g");
  for (std::uint32_t i = 0; workload_.queries && i < workload_.colors; ++i) {
    query("c" + std::to_string(i), true);
    query("c" + std::to_string(i), false);
  }
  identity();
  hilo();
}

std::string Client::url(std::string_view rest) const {
  return "/databases/" + workload_.database + std::string(rest);
}

std::string Client::any_id() {
  const std::uint64_t number = random_.below(workload_.documents);
  return fmt::format("g{}/{}", number % workload_.groups, number);
}

std::string Client::any_color() {
  return "c" + std::to_string(random_.below(workload_.colors));
}

std::optional<std::string> Client::any_expectation(const std::string& id) {
  if (random_.chance(2)) {
    return std::nullopt;
  }
  const auto seen = seen_.find(id);
  return seen == seen_.end() ? std::string() : seen->second;
}

Client::Draft Client::any_put() {
  Draft draft;
  draft.id = any_id();
  draft.value = fmt::format("{}.{}", number_, ++puts_);
  draft.color = any_color();
  draft.expects = any_expectation(draft.id);
  return draft;
}

Client::Draft Client::any_command() {
  Draft draft = any_put();
  if (random_.chance(5)) {
    draft.value.clear();
    draft.color.clear();
  }
  return draft;
}

Client::Json Client::document(const Draft& draft) {
  Json json;
  json["value"] = draft.value;
  json["color"] = draft.color;
  // Of many sizes, now and then of several pages.
  const std::uint64_t size = random_.below(random_.chance(40) ? 60'000 : 600);
  json["padding"] = std::string(size, static_cast<char>('a' + random_.below(26)));
  json["@metadata"]["@collection"] = "Things";
  return json;
}

bool Client::write() {
  const std::uint64_t draw = random_.below(20);
  if (draw < 7) {
    return put_alone(any_put());
  }
  if (draw < 8) {
    return delete_alone(any_id());
  }
  std::vector<Draft> drafts;
  for (std::uint64_t i = 1 + random_.below(5); i > 0; --i) {
    drafts.push_back(any_command());
  }
  if (random_.chance(8)) {
    Draft again = any_put();
    again.id = drafts.front().id;
    again.expects.reset();
    drafts.push_back(std::move(again));
  }
  if (random_.chance(10)) {
    // Refused at its end, with all of it done already.
    Draft refused = any_put();
    refused.expects = "A:1-aaaaaaaaaaaaaaaaaaaaaA";
    drafts.push_back(std::move(refused));
  }
  return batch(drafts);
}

// The last thing that it does is to take the time.
Operation Client::begin(Kind kind, const std::vector<Draft>& drafts, std::string_view name) {
  Operation operation;
  operation.client = number_;
  operation.kind = kind;
  operation.name = recorder_.name(name);
  for (const Draft& draft : drafts) {
    Command command;
    command.id = recorder_.name(draft.id);
    command.value = recorder_.name(draft.value);
    command.match = recorder_.name(draft.color);
    command.is_delete = draft.value.empty();
    if (draft.expects.has_value()) {
      command.expects = recorder_.version(*draft.expects).value_or(Version{});
    }
    operation.commands.push_back(command);
  }
  transport_.make_ready();
  operation.from = recorder_.tick();
  return operation;
}

std::optional<Client::Json> Client::settle(Operation& operation, const Reply& reply) {
  operation.to = recorder_.tick();
  if (reply.fate != Fate::kAnswered) {
    operation.outcome = Outcome::kUnknown;
    return std::nullopt;
  }
  const Json body = reply.body.empty() ? Json() : Json::parse(reply.body, nullptr, false);
  if (body.is_discarded()) {
    recorder_.complain(fmt::format("status {}: the body is no JSON", reply.status));
  }
  if (reply.status >= 200 && reply.status < 300) {
    operation.outcome = Outcome::kOk;
    return body;
  }
  const std::string type = body.is_object() ? body.value("Type", std::string()) : std::string();
  operation.outcome =
      type.ends_with("OutcomeUnknownException") ? Outcome::kUnknown : Outcome::kRefused;
  if (reply.status != 404) {  // which says that one document isn't there
    recorder_.count_refusal(fmt::format("{} {}", reply.status, type));
  }
  return std::nullopt;
}

bool Client::end(Operation operation, const Reply& reply) {
  if (must_succeed_ && operation.outcome != Outcome::kOk) {
    recorder_.complain(
        fmt::format("the last look is answered {}: {}", reply.status, reply.body.substr(0, 200)));
  }
  if (reply.fate == Fate::kNotSent) {
    return false;
  }
  recorder_.add(std::move(operation));
  return true;
}

template <typename Function>
void Client::reading(const Reply& reply, const Function& function) {
  try {
    function();
  } catch (const Json::exception& e) {
    recorder_.complain(fmt::format("{} in {}", e.what(), reply.body.substr(0, 500)));
  }
}

void Client::see(const std::string& id, const std::string& change_vector) {
  seen_[id] = change_vector;
}

bool Client::put_alone(const Draft& draft) {
  Ask ask{.method = "PUT", .target = url("/docs?id=" + escaped(draft.id))};
  ask.body = document(draft).dump();
  ask.if_match = draft.expects;
  Operation operation = begin(Kind::kWrite, {draft});
  const Reply reply = transport_.call(ask);
  if (const auto body = settle(operation, reply); body.has_value()) {
    reading(reply, [&] {
      const auto version = body->at("ChangeVector").get<std::string>();
      operation.commands.front().version = recorder_.version(version).value_or(Version{});
      see(draft.id, version);
    });
  }
  return end(std::move(operation), reply);
}

bool Client::delete_alone(const std::string& id) {
  Operation operation = begin(Kind::kWrite, {{.id = id, .value = "", .color = "", .expects = {}}});
  const Reply reply =
      transport_.call({.method = "DELETE", .target = url("/docs?id=" + escaped(id))});
  if (settle(operation, reply).has_value()) {
    seen_.erase(id);
  }
  return end(std::move(operation), reply);
}

bool Client::batch(const std::vector<Draft>& drafts) {
  Json commands = Json::array();
  for (const Draft& draft : drafts) {
    Json command;
    command["Id"] = draft.id;
    command["Type"] = draft.value.empty() ? "DELETE" : "PUT";
    command["ChangeVector"] = draft.expects.has_value() ? Json(*draft.expects) : Json();
    if (!draft.value.empty()) {
      command["Document"] = document(draft);
    }
    commands.push_back(std::move(command));
  }
  const Ask ask{.method = "POST",
                .target = url("/bulk_docs"),
                .body = Json{{"Commands", std::move(commands)}}.dump()};
  Operation operation = begin(Kind::kWrite, drafts);
  const Reply reply = transport_.call(ask);
  if (const auto body = settle(operation, reply); body.has_value()) {
    reading(reply, [&] { read_batch(operation, drafts, body->at("Results")); });
  }
  return end(std::move(operation), reply);
}

void Client::read_batch(Operation& operation, const std::vector<Draft>& drafts,
                        const Json& results) {
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    const Json& result = results.at(i);
    Command& command = operation.commands[i];
    if (!command.is_delete) {
      const auto version = result.at("@change-vector").get<std::string>();
      command.version = recorder_.version(version).value_or(Version{});
      see(drafts[i].id, version);
      continue;
    }
    seen_.erase(drafts[i].id);
    if (result.at("Deleted").get<bool>()) {
      const auto version = result.at("ChangeVector").get<std::string>();
      command.version = recorder_.version(version).value_or(Version{});
    } else {
      command.found_nothing = true;
    }
  }
}

void Client::read_results(Operation& operation, const Json& results) {
  for (const Json& document : results) {
    if (document.is_null()) {
      continue;
    }
    const Json& metadata = document.at("@metadata");
    const auto id = metadata.at("@id").get<std::string>();
    const auto version = metadata.at("@change-vector").get<std::string>();
    operation.found.push_back({.id = recorder_.name(id),
                               .value = recorder_.name(document.at("value").get<std::string>()),
                               .version = recorder_.version(version).value_or(Version{})});
    see(id, version);
  }
}

bool Client::load(const std::vector<std::string>& ids) {
  Ask ask{.method = "GET", .target = url("/docs?")};
  if (ids.size() > 4) {
    ask = {.method = "POST", .target = url("/docs"), .body = Json{{"Ids", ids}}.dump()};
  } else {
    for (const std::string& id : ids) {
      ask.target += "&id=" + escaped(id);
    }
  }
  Operation operation = begin(Kind::kLoad);
  const Reply reply = transport_.call(ask);
  auto body = settle(operation, reply);
  if (reply.status == 404 && ids.size() == 1) {
    operation.outcome = Outcome::kOk;
    body = Json{{"Results", {Json()}}};
  }
  if (body.has_value()) {
    reading(reply, [&] {
      const Json& results = body->at("Results");
      read_results(operation, results);
      for (std::size_t i = 0; i < ids.size(); ++i) {
        if (results.at(i).is_null()) {
          operation.missing.push_back(recorder_.name(ids[i]));
          seen_.erase(ids[i]);
        }
      }
    });
  }
  return end(std::move(operation), reply);
}

bool Client::scan(const std::string& prefix) {
  Operation operation = begin(Kind::kPrefix, {}, prefix);
  const Reply reply =
      transport_.call({.method = "GET", .target = url("/docs?startsWith=" + escaped(prefix))});
  if (const auto body = settle(operation, reply); body.has_value()) {
    reading(reply, [&] { read_results(operation, body->at("Results")); });
  }
  return end(std::move(operation), reply);
}

bool Client::query(const std::string& color, bool waits) {
  const Ask ask{.method = "POST",
                .target = url("/queries"),
                .body = Json{
                    {"Query", "from Things where color = $color"},
                    {"QueryParameters", {{"color", color}}},
                    {"WaitForNonStaleResults",
                     waits}}.dump()};
  Operation operation = begin(Kind::kQuery, {}, color);
  operation.waits = waits;
  const Reply reply = transport_.call(ask);
  if (const auto body = settle(operation, reply); body.has_value()) {
    reading(reply, [&] {
      operation.stale = body->at("IsStale").get<bool>();
      if (waits && operation.stale) {
        recorder_.complain("a query that waited says that it is stale");
      }
      read_results(operation, body->at("Results"));
    });
  }
  return end(std::move(operation), reply);
}

bool Client::identity() {
  Operation operation = begin(Kind::kIdentity, {}, kIdentityName);
  const Reply reply = transport_.call(
      {.method = "POST", .target = url("/identity/next?name=" + escaped(kIdentityName))});
  if (const auto body = settle(operation, reply); body.has_value()) {
    reading(reply, [&] {
      operation.low = operation.high = body->at("NewIdentityValue").get<std::uint64_t>();
    });
  }
  return end(std::move(operation), reply);
}

bool Client::hilo() {
  Operation operation = begin(Kind::kHiLo, {}, kHiLoTag);
  const Reply reply = transport_.call(
      {.method = "GET",
       .target = url("/hilo/next?tag=" + std::string(kHiLoTag) + "&lastBatchSize=0&lastMax=0")});
  if (const auto body = settle(operation, reply); body.has_value()) {
    reading(reply, [&] {
      operation.low = body->at("Low").get<std::uint64_t>();
      operation.high = body->at("High").get<std::uint64_t>();
    });
  }
  return end(std::move(operation), reply);
}

}  // namespace rookery::history
