// SPDX-License-Identifier: Apache-2.0
#include "record_json.h"

#include <algorithm>
#include <array>
#include <utility>

#include "rookery/value/builder.h"
#include "rookery/value/text.h"

namespace rookery::db {

namespace {

constexpr std::string_view kName = "DatabaseName";
constexpr std::string_view kDisabled = "Disabled";
constexpr std::string_view kLockMode = "LockMode";
constexpr std::string_view kSettings = "Settings";

// Written by us, or made up for each answer.
constexpr std::array<std::string_view, 5> kNotCopied = {kName, kDisabled, kLockMode, "Etag",
                                                        "Topology"};

Error wrong_type(std::string_view member, std::string_view type) {
  return {ErrorCode::invalid_argument,
          std::string(member) + " of a database record must be " + std::string(type)};
}

Result<void> check_settings(value::View settings) {
  if (settings.is_null()) {
    return {};
  }
  if (!settings.is_object()) {
    return wrong_type(kSettings, "an object");
  }
  for (std::size_t i = 0; i < settings.size(); ++i) {
    const value::View value = settings.value_at(i);
    if (!value.is_string() && !value.is_null()) {
      return wrong_type("Settings." + std::string(settings.key_at(i)), "a string");
    }
  }
  return {};
}

Result<void> check_supported(value::View json) {
  if (json.find_bool("Encrypted").value_or(false)) {
    return Error(ErrorCode::not_supported, "encrypted databases are not supported yet");
  }
  const std::optional<value::View> sharding = json.find("Sharding");
  if (sharding.has_value() && !sharding->is_null()) {
    return Error(ErrorCode::not_supported, "sharded databases are not supported yet");
  }
  return {};
}

struct Parts {
  std::string_view name;
  bool disabled = false;
  LockMode lock_mode = LockMode::kUnlock;
  value::View rest;                     // the members that are copied
  std::optional<value::View> settings;  // in place of those of `rest`
};

Result<DatabaseRecord> build(const Parts& parts) {
  value::Builder builder({.depth = value::kDepthMax});
  builder.begin_object();
  builder.string(kName, parts.name);
  builder.boolean(kDisabled, parts.disabled);
  builder.string(kLockMode, lock_mode_name(parts.lock_mode));
  for (std::size_t i = 0; i < parts.rest.size(); ++i) {
    const std::string_view key = parts.rest.key_at(i);
    const bool replaced = key == kSettings && parts.settings.has_value();
    if (!replaced && std::find(kNotCopied.begin(), kNotCopied.end(), key) == kNotCopied.end()) {
      builder.value(key, parts.rest.value_at(i));
    }
  }
  if (parts.settings.has_value()) {
    builder.value(kSettings, *parts.settings);
  }
  builder.end_object();
  DatabaseRecord record;
  RK_TRY_ASSIGN(record.json, builder.finish());
  record.name = parts.name;
  record.disabled = parts.disabled;
  record.lock_mode = parts.lock_mode;
  return record;
}

}  // namespace

Result<DatabaseRecord> make_record(std::string_view name, value::View json) {
  Parts parts;
  parts.name = name;
  if (json.is_null()) {
    return build(parts);
  }
  if (!json.is_object()) {
    return Error(ErrorCode::invalid_argument, "a database record must be a JSON object");
  }
  RK_TRY(check_supported(json));
  const auto member = [&json](std::string_view key) {
    return json.find(key).value_or(value::View());
  };
  const value::View own_name = member(kName);
  if (!own_name.is_null() && !value::equal_folded(own_name.as_string().value_or(""), name)) {
    return Error(ErrorCode::invalid_argument,
                 "DatabaseName of the record is not '" + std::string(name) + "'");
  }
  const value::View disabled = member(kDisabled);
  if (!disabled.is_null() && !disabled.as_bool().has_value()) {
    return wrong_type(kDisabled, "true or false");
  }
  const value::View lock_mode = member(kLockMode);
  if (!lock_mode.is_null()) {
    RK_TRY_ASSIGN(parts.lock_mode, parse_lock_mode(lock_mode.as_string().value_or("")));
  }
  RK_TRY(check_settings(member(kSettings)));
  parts.disabled = disabled.as_bool().value_or(false);
  parts.rest = json;
  return build(parts);
}

Result<DatabaseRecord> changed_record(const DatabaseRecord& record, const RecordChange& change) {
  if (change.settings.has_value()) {
    RK_TRY(check_settings(*change.settings));
  }
  RK_TRY_ASSIGN(DatabaseRecord changed,
                build({.name = record.name,
                       .disabled = change.disabled.value_or(record.disabled),
                       .lock_mode = change.lock_mode.value_or(record.lock_mode),
                       .rest = record.json.root(),
                       .settings = change.settings}));
  changed.etag = record.etag;
  changed.id = record.id;
  return changed;
}

}  // namespace rookery::db
