// SPDX-License-Identifier: Apache-2.0
#include "configuration.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "rookery/api/http.h"
#include "rookery/base/check.h"
#include "rookery/value/json.h"

#include "config_keys.h"

namespace rookery::cli {

namespace {

struct Option {
  std::string key;
  std::string value;
};

constexpr auto kEnvironmentPrefixes = std::to_array<std::string_view>({"RAVEN_", "ROOKERY_"});
constexpr std::size_t kFileBytesMax = 1 << 20;
constexpr std::string_view kCommandLine = "command line";
constexpr std::string_view kDataDir = "DataDir";
constexpr std::string_view kBom = "\xEF\xBB\xBF";
constexpr std::string_view kSecret = "********";

// Flags of the documented command line that ask for what happens anyway: this server has no prompt
// of its own, and logs go to standard error unless Logs.Path says otherwise.
constexpr auto kSwitchesWithoutNeed =
    std::to_array<std::string_view>({"-n", "--non-interactive", "-l", "--log-to-console"});

bool is_switch_without_need(std::string_view argument) {
  return std::find(kSwitchesWithoutNeed.begin(), kSwitchesWithoutNeed.end(), argument) !=
         kSwitchesWithoutNeed.end();
}

Setting shown(const Setting& setting) {
  const bool secret = find_config_key(setting.key)->is_secret && !setting.value.empty();
  return {setting.key, secret ? std::string(kSecret) : setting.value, setting.source};
}

bool is_config_path(std::string_view key) {
  return api::equal_ignoring_case(key, "config-path");
}

// Whether a key may stand alone, for `true`. `--DataDir` whose value was forgotten must not open a
// folder of that name.
Result<void> check_flag(const std::string& key) {
  const ConfigKey* known = find_config_key(key);
  const bool needs_value =
      is_config_path(key) ||
      (known != nullptr && known->default_value != "true" && known->default_value != "false");
  if (needs_value) {
    return Error(ErrorCode::invalid_argument,
                 fmt::format("--{} needs a value: --{}=VALUE", key, key));
  }
  return {};
}

Result<std::vector<Option>> read_arguments(const std::vector<std::string>& arguments) {
  std::vector<Option> out;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::string argument = arguments[i];
    if (is_switch_without_need(argument)) {
      continue;
    }
    if (argument == "-c" || argument.starts_with("-c=")) {
      argument = "--config-path" + argument.substr(2);
    }
    if (!argument.starts_with("--") || argument.size() == 2) {
      return Error(ErrorCode::invalid_argument,
                   fmt::format("'{}' is not an option: they look like --Key=value", argument));
    }
    const std::size_t equals = argument.find('=');
    if (equals != std::string::npos) {
      out.push_back({argument.substr(2, equals - 2), argument.substr(equals + 1)});
    } else if (i + 1 < arguments.size() && !arguments[i + 1].starts_with("--")) {
      out.push_back({argument.substr(2), arguments[i + 1]});
      ++i;
    } else {
      RK_TRY(check_flag(argument.substr(2)));
      out.push_back({argument.substr(2), "true"});
    }
  }
  return out;
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the parser allows
std::string value_text(value::View value) {
  if (value.is_array()) {
    std::string list;
    for (std::size_t i = 0; i < value.size(); ++i) {
      list += (i == 0 ? "" : ";") + value_text(value.at(i));
    }
    return list;
  }
  if (const auto text = value.as_string(); text.has_value()) {
    return std::string(*text);
  }
  return value.is_null() ? std::string() : value::to_json(value);
}

// {"A": {"B": 1}} is A.B = 1. NOLINTNEXTLINE(misc-no-recursion): as deep as the parser allows
void flatten(value::View object, const std::string& prefix, std::vector<Option>& out) {
  for (std::size_t i = 0; i < object.size(); ++i) {
    const std::string key = prefix + std::string(object.key_at(i));
    if (object.value_at(i).is_object()) {
      flatten(object.value_at(i), key + ".", out);
    } else {
      out.push_back({key, value_text(object.value_at(i))});
    }
  }
}

}  // namespace

Result<Configuration> Configuration::load(const ConfigurationInput& input) {
  Configuration out;
  RK_TRY_ASSIGN(const std::vector<Option> options, read_arguments(input.arguments));
  bool names_file = false;
  for (const Option& option : options) {
    if (is_config_path(option.key)) {
      names_file = true;
      RK_TRY(out.add_file(option.value));
    }
  }
  std::error_code ignored;
  if (!names_file && std::filesystem::exists(input.default_file, ignored)) {
    RK_TRY(out.add_file(input.default_file));
  }
  RK_TRY(out.add_environment(input.environment));
  for (const Option& option : options) {
    if (!is_config_path(option.key)) {
      RK_TRY(out.add(option.key, option.value, kCommandLine));
    }
  }
  return out;
}

Result<void> Configuration::add(std::string_view key, std::string_view value,
                                std::string_view source) {
  if (const ConfigKey* known = find_config_key(key); known != nullptr) {
    if (known->name == kDataDir && value.empty()) {
      // Of a variable that was never set, most likely: it must not open another folder.
      return Error(ErrorCode::invalid_argument,
                   fmt::format("{} is empty ({}): leave it out to have '{}'", kDataDir, source,
                               known->default_value));
    }
    Setting setting{std::string(known->name), std::string(value), std::string(source)};
    const auto [place, is_new] = values_.try_emplace(setting.key, setting);
    if (!is_new) {
      overridden_.push_back(std::exchange(place->second, std::move(setting)));
    }
    return {};
  }
  if (const auto near = near_config_key(key); near.has_value()) {
    return Error(ErrorCode::invalid_argument,
                 fmt::format("unknown configuration key '{}' ({}): did you mean '{}'? Nothing was "
                             "started, since a mistyped key would open other data or other doors "
                             "than you meant.",
                             key, source, near->key->name));
  }
  unknown_.push_back(fmt::format("{} ({})", key, source));
  return {};
}

Result<void> Configuration::add_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return Error(ErrorCode::not_found,
                 fmt::format("the configuration file '{}' cannot be opened", path));
  }
  std::string text(kFileBytesMax + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kFileBytesMax) {
    return Error(ErrorCode::too_large,
                 fmt::format("the configuration file '{}' is over {} bytes", path, kFileBytesMax));
  }
  const std::string_view json = std::string_view(text).substr(text.starts_with(kBom) ? 3 : 0);
  const Result<value::Document> document = value::parse_json(json);
  if (!document.has_value()) {
    return document.error().with_context(fmt::format("the configuration file '{}'", path));
  }
  if (!document->root().is_object()) {
    return Error(ErrorCode::malformed,
                 fmt::format("the configuration file '{}' is not a JSON object", path));
  }
  file_ = path;
  std::vector<Option> options;
  flatten(document->root(), "", options);
  for (const Option& option : options) {
    RK_TRY(add(option.key, option.value, path));
  }
  return {};
}

Result<void> Configuration::add_environment(const std::vector<std::string>& environment) {
  for (const std::string& entry : environment) {
    const std::size_t equals = entry.find('=');
    for (const std::string_view prefix : kEnvironmentPrefixes) {
      if (equals == std::string::npos || !entry.starts_with(prefix)) {
        continue;
      }
      std::string key = entry.substr(prefix.size(), equals - prefix.size());
      std::replace(key.begin(), key.end(), '_', '.');
      RK_TRY(add(key, entry.substr(equals + 1), entry.substr(0, equals)));
    }
  }
  return {};
}

std::optional<std::string> Configuration::text(std::string_view key) const {
  const ConfigKey* known = find_config_key(key);
  RK_CHECK(known != nullptr);
  const auto found = values_.find(known->name);
  std::string value =
      found != values_.end() ? found->second.value : std::string(known->default_value);
  if (value.empty()) {
    return std::nullopt;
  }
  return value;
}

bool Configuration::is_given(std::string_view key) const {
  return values_.contains(key);
}

Result<bool> Configuration::boolean(std::string_view key) const {
  const std::string value = text(key).value_or("false");
  if (api::equal_ignoring_case(value, "true")) {
    return true;
  }
  if (api::equal_ignoring_case(value, "false")) {
    return false;
  }
  return Error(ErrorCode::invalid_argument,
               fmt::format("{} is '{}', which is not true or false", key, value));
}

Result<std::int64_t> Configuration::integer(std::string_view key, std::int64_t min,
                                            std::int64_t max) const {
  const std::string value = text(key).value_or("");
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (value.empty() || error != std::errc() || end != value.data() + value.size() || number < min ||
      number > max) {
    return Error(
        ErrorCode::invalid_argument,
        fmt::format("{} is '{}', which is not a whole number from {} to {}", key, value, min, max));
  }
  return number;
}

std::vector<Setting> Configuration::changed() const {
  std::vector<Setting> out;
  for (const auto& [key, setting] : values_) {
    if (setting.value != find_config_key(key)->default_value) {
      out.push_back(shown(setting));
    }
  }
  return out;
}

std::vector<Setting> Configuration::overridden() const {
  std::vector<Setting> out;
  std::transform(overridden_.begin(), overridden_.end(), std::back_inserter(out), shown);
  return out;
}

std::vector<std::string> Configuration::without_effect() const {
  std::vector<std::string> out;
  for (const auto& [key, setting] : values_) {
    const ConfigKey* known = find_config_key(key);
    if (known != nullptr && !known->has_effect) {
      out.push_back(key);
    }
  }
  return out;
}

}  // namespace rookery::cli
