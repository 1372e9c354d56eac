// SPDX-License-Identifier: Apache-2.0
#include "rookery/db/record.h"

#include <algorithm>
#include <array>
#include <utility>

#include "rookery/value/text.h"

namespace rookery::db {

namespace {

constexpr std::array<std::pair<LockMode, std::string_view>, 3> kLockModes = {{
    {LockMode::kUnlock, "Unlock"},
    {LockMode::kPreventDeletesIgnore, "PreventDeletesIgnore"},
    {LockMode::kPreventDeletesError, "PreventDeletesError"},
}};

bool is_name_character(char c) noexcept {
  const auto byte = static_cast<unsigned char>(c);
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.' || byte >= 0x80;
}

Error bad_name(std::string_view name, std::string_view why) {
  return {ErrorCode::invalid_argument,
          "'" + std::string(name.substr(0, kDatabaseNameSizeMax)) +
              "' cannot be the name of a database: " + std::string(why)};
}

}  // namespace

std::string_view lock_mode_name(LockMode mode) noexcept {
  for (const auto& [value, name] : kLockModes) {
    if (value == mode) {
      return name;
    }
  }
  return {};
}

Result<LockMode> parse_lock_mode(std::string_view name) {
  for (const auto& [value, text] : kLockModes) {
    if (text == name) {
      return value;
    }
  }
  return Error(ErrorCode::invalid_argument, "'" + std::string(name.substr(0, 64)) +
                                                "' is not a lock mode: Unlock, "
                                                "PreventDeletesIgnore or PreventDeletesError");
}

Result<void> check_database_name(std::string_view name) {
  if (name.empty()) {
    return Error(ErrorCode::invalid_argument, "a database needs a name");
  }
  if (name.size() > kDatabaseNameSizeMax) {
    return bad_name(name, "it is longer than 128 bytes");
  }
  if (!value::is_utf8(name)) {
    return Error(ErrorCode::invalid_argument, "the name of a database must be UTF-8");
  }
  if (!std::all_of(name.begin(), name.end(), is_name_character)) {
    return bad_name(name, "letters, digits, '_', '-' and '.' are allowed");
  }
  if (name.front() == '.' || name.back() == '.') {
    return bad_name(name, "it starts or ends with '.'");
  }
  const std::string folded = value::fold_case(name);
  if (folded.ends_with(".creating") || folded.ends_with(".deleting")) {
    return bad_name(name, "that ending marks folders which the server is working on");
  }
  return {};
}

}  // namespace rookery::db
