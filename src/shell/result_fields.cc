// SPDX-License-Identifier: Apache-2.0
#include "result_fields.h"

#include <functional>

namespace rookery::shell {

using value::View;

namespace {

constexpr std::string_view kMetadata = "@metadata";

std::optional<View> id_of(View result) {
  const std::optional<View> metadata = result.find(kMetadata);
  if (!metadata.has_value() || metadata->find_bool("@projection").value_or(false)) {
    return std::nullopt;
  }
  return metadata->find(kIdColumn);
}

}  // namespace

std::vector<std::string> ResultFields::add(View result) {
  std::vector<std::string> added;
  const auto note = [&](std::string_view name) {
    if (known_.emplace(name).second) {
      added.emplace_back(name);
    }
  };
  if (!result.is_object()) {
    if (!result.is_null()) {
      note(kValueColumn);
    }
  } else {
    if (id_of(result).has_value()) {
      note(kIdColumn);
    }
    for (std::size_t i = 0; i < result.size(); ++i) {
      if (result.key_at(i) != kMetadata) {
        note(result.key_at(i));
      }
    }
  }
  names_.insert(names_.end(), added.begin(), added.end());
  return added;
}

std::optional<View> field_of(View result, std::string_view column) {
  if (!result.is_object()) {
    return column == kValueColumn && !result.is_null() ? std::optional<View>(result) : std::nullopt;
  }
  if (const std::optional<View> own = result.find(column); own.has_value()) {
    return own;
  }
  return column == kIdColumn ? id_of(result) : std::nullopt;
}

}  // namespace rookery::shell
