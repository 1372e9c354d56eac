// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "rookery/base/result.h"

// Purpose. The commands of the shell, which begin with a backslash: their names, for running,
// completing and explaining them.

namespace rookery::shell {

enum class Verb : std::uint8_t {
  kHelp,
  kDatabases,
  kUse,
  kCollections,
  kIndexes,
  kExplain,
  kMore,
  kExpand,
  kJson,
  kFormat,
  kLimit,
  kTiming,
  kWait,
  kQuit,
};

struct VerbRow {
  Verb verb;
  std::string_view name;  // without the backslash
  std::string_view arguments;
  std::string_view what;
};

[[nodiscard]] std::span<const VerbRow> verbs() noexcept;

struct MetaCommand {
  Verb verb = Verb::kHelp;
  std::string argument;  // without blanks and semicolon around it
};

// Errors: invalid_argument, naming the command.
[[nodiscard]] Result<MetaCommand> parse_command(std::string_view text);

// What \help prints.
[[nodiscard]] std::string help_text();

}  // namespace rookery::shell
