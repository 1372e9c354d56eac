// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rookery/base/result.h"

// Purpose. What the user asked for, from the configuration file, the environment and the command
// line; each of these overrides the one before.
// Source: docs/configuration.md.

namespace rookery::cli {

struct ConfigurationInput {
  std::vector<std::string> arguments;    // without the program's name
  std::vector<std::string> environment;  // NAME=value
  // Read if it is there and the arguments name no file. Empty: none.
  std::string default_file{};
};

// A key as it was given, and by whom.
struct Setting {
  std::string key;
  std::string value;
  std::string source;  // "command line", the environment variable, or the file's path
};

class Configuration {
 public:
  // `--Key=value`, `--Key value`, `--Key` (true), `--config-path FILE` or `-c FILE`; environment
  // variables RAVEN_Key and ROOKERY_Key, with '_' for '.'; the file is a JSON object, flat or
  // nested, where an array of scalars is their list with ';' between.
  // Errors: invalid_argument: an unknown key within two edits of a known one (naming both), or an
  //   argument that is no option; not_found, malformed: the file.
  [[nodiscard]] static Result<Configuration> load(const ConfigurationInput& input);

  // As given, or the key's default; nullopt where both are empty. Requires: a known key.
  [[nodiscard]] std::optional<std::string> text(std::string_view key) const;
  // Errors: invalid_argument naming the key.
  [[nodiscard]] Result<bool> boolean(std::string_view key) const;
  [[nodiscard]] Result<std::int64_t> integer(std::string_view key, std::int64_t min,
                                             std::int64_t max) const;
  [[nodiscard]] bool is_given(std::string_view key) const;

  // The keys whose value is not the default, in order of their names; what must stay secret is
  // replaced by asterisks.
  [[nodiscard]] std::vector<Setting> changed() const;
  // What another source gave, too, and lost; secrets as above.
  [[nodiscard]] std::vector<Setting> overridden() const;

  // The file that was read; empty if none was.
  [[nodiscard]] const std::string& file() const noexcept { return file_; }

  // Keys that nothing here knows, with where they came from: to be warned about.
  [[nodiscard]] const std::vector<std::string>& unknown() const noexcept { return unknown_; }

  // Known keys that were given and have no effect.
  [[nodiscard]] std::vector<std::string> without_effect() const;

 private:
  [[nodiscard]] Result<void> add(std::string_view key, std::string_view value,
                                 std::string_view source);
  [[nodiscard]] Result<void> add_file(const std::string& path);
  [[nodiscard]] Result<void> add_environment(const std::vector<std::string>& environment);

  std::map<std::string, Setting, std::less<>> values_;  // by the key's own spelling
  std::vector<Setting> overridden_;
  std::vector<std::string> unknown_;
  std::string file_;
};

}  // namespace rookery::cli
