// SPDX-License-Identifier: Apache-2.0
#include "history_file.h"

#include <array>
#include <utility>

#include <nlohmann/json.hpp>

namespace rookery::history {

namespace {

using Json = nlohmann::ordered_json;

constexpr auto kKinds = std::to_array<std::pair<std::string_view, Kind>>({
    {"write", Kind::kWrite},
    {"load", Kind::kLoad},
    {"prefix", Kind::kPrefix},
    {"query", Kind::kQuery},
    {"identity", Kind::kIdentity},
    {"hilo", Kind::kHiLo},
    {"crash", Kind::kCrash},
});

constexpr auto kOutcomes = std::to_array<std::pair<std::string_view, Outcome>>({
    {"ok", Outcome::kOk},
    {"refused", Outcome::kRefused},
    {"unknown", Outcome::kUnknown},
});

Error malformed(const std::string& what) {
  return {ErrorCode::malformed, what};
}

template <typename Value, std::size_t kSize>
Result<Value> from_name(const std::array<std::pair<std::string_view, Value>, kSize>& rows,
                        const std::string& name) {
  for (const auto& [row_name, value] : rows) {
    if (row_name == name) {
      return value;
    }
  }
  return malformed("'" + name + "' is not known here");
}

template <typename Value, std::size_t kSize>
std::string to_name(const std::array<std::pair<std::string_view, Value>, kSize>& rows,
                    Value value) {
  for (const auto& [name, row_value] : rows) {
    if (row_value == value) {
      return std::string(name);
    }
  }
  return "?";
}

Result<Version> read_version(const std::string& text, Names& names) {
  const std::optional<Version> version = parse_version(text, names);
  if (!version.has_value()) {
    return malformed("'" + text + "' is not a change vector of one entry");
  }
  return *version;
}

Result<Command> read_command(const Json& json, Names& names) {
  Command command;
  command.is_delete = json.contains("delete");
  command.id = names.number(json.at(command.is_delete ? "delete" : "put").get<std::string>());
  command.value = names.number(json.value("value", ""));
  command.match = names.number(json.value("match", ""));
  command.found_nothing = json.value("nothing", false);
  if (command.is_delete == (command.value != 0)) {
    return malformed("a put has a value and a delete has none");
  }
  if (json.contains("expects")) {
    const auto text = json.at("expects").get<std::string>();
    command.expects.emplace();
    if (!text.empty()) {
      RK_TRY_ASSIGN(*command.expects, read_version(text, names));
    }
  }
  if (json.contains("version")) {
    RK_TRY_ASSIGN(command.version, read_version(json.at("version").get<std::string>(), names));
  }
  return command;
}

Result<Row> read_row(const Json& json, Names& names) {
  Row row;
  row.id = names.number(json.at(0).get<std::string>());
  row.value = names.number(json.at(1).get<std::string>());
  RK_TRY_ASSIGN(row.version, read_version(json.at(2).get<std::string>(), names));
  return row;
}

Result<Operation> read_operation(const Json& json, Names& names) {
  Operation operation;
  RK_TRY_ASSIGN(operation.kind, from_name(kKinds, json.at("kind").get<std::string>()));
  RK_TRY_ASSIGN(operation.outcome, from_name(kOutcomes, json.value("outcome", std::string("ok"))));
  operation.client = json.value("client", 0U);
  operation.from = json.at("from").get<Time>();
  operation.to = json.at("to").get<Time>();
  operation.waits = json.value("waits", false);
  operation.stale = json.value("stale", false);
  operation.name = names.number(json.value("name", ""));
  operation.low = json.value("low", std::uint64_t{0});
  operation.high = json.value("high", operation.low);
  if (operation.to < operation.from) {
    return malformed("an operation ends before it begins");
  }
  for (const Json& command : json.value("commands", Json::array())) {
    RK_TRY_ASSIGN(operation.commands.emplace_back(), read_command(command, names));
  }
  for (const Json& row : json.value("found", Json::array())) {
    RK_TRY_ASSIGN(operation.found.emplace_back(), read_row(row, names));
  }
  for (const Json& id : json.value("missing", Json::array())) {
    operation.missing.push_back(names.number(id.get<std::string>()));
  }
  return operation;
}

Json write_command(const Command& command, const Names& names) {
  Json json = Json::object();
  json[command.is_delete ? "delete" : "put"] = names.text(command.id);
  if (command.value != 0) {
    json["value"] = names.text(command.value);
  }
  if (command.match != 0) {
    json["match"] = names.text(command.match);
  }
  if (command.expects.has_value()) {
    json["expects"] = version_text(*command.expects, names);
  }
  if (command.found_nothing) {
    json["nothing"] = true;
  }
  if (command.version.known()) {
    json["version"] = version_text(command.version, names);
  }
  return json;
}

}  // namespace

Result<Operation> parse_line(std::string_view line, Names& names) {
  try {
    return read_operation(Json::parse(line), names);
  } catch (const nlohmann::json::exception& e) {
    return malformed(e.what());
  }
}

std::string to_line(const Operation& operation, const Names& names) {
  Json json = Json::object();
  const bool is_crash = operation.kind == Kind::kCrash;
  if (!is_crash) {
    json["client"] = operation.client;
  }
  json["kind"] = to_name(kKinds, operation.kind);
  if (operation.name != 0) {
    json["name"] = names.text(operation.name);
  }
  json["from"] = operation.from;
  json["to"] = operation.to;
  if (!is_crash) {
    json["outcome"] = to_name(kOutcomes, operation.outcome);
  }
  if (operation.kind == Kind::kQuery) {
    json["waits"] = operation.waits;
    json["stale"] = operation.stale;
  }
  if (operation.kind == Kind::kIdentity || operation.kind == Kind::kHiLo) {
    json["low"] = operation.low;
    json["high"] = operation.high;
  }
  for (const Command& command : operation.commands) {
    json["commands"].push_back(write_command(command, names));
  }
  for (const Row& row : operation.found) {
    json["found"].push_back(
        {names.text(row.id), names.text(row.value), version_text(row.version, names)});
  }
  for (const NameNo id : operation.missing) {
    json["missing"].push_back(names.text(id));
  }
  return json.dump();
}

Result<void> read_history(std::istream& in, History& into) {
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    if (line.empty() || line.front() == '#') {
      continue;
    }
    Result<Operation> operation = parse_line(line, into.names);
    if (!operation.has_value()) {
      return operation.error().with_context("line " + std::to_string(number));
    }
    into.operations.push_back(std::move(operation).value());
  }
  return {};
}

void write_history(const History& history, std::ostream& out) {
  for (const Operation& operation : history.operations) {
    out << to_line(operation, history.names) << '\n';
  }
}

}  // namespace rookery::history
