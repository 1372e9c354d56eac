// SPDX-License-Identifier: Apache-2.0
#include "meta_command.h"

#include <array>

#include <fmt/format.h>

namespace rookery::shell {

namespace {

constexpr auto kVerbs = std::to_array<VerbRow>({
    {Verb::kHelp, "help", "", "this list"},
    {Verb::kDatabases, "databases", "", "the databases of the server"},
    {Verb::kUse, "use", "NAME", "ask this database from now on"},
    {Verb::kCollections, "collections", "", "the collections and how many documents they hold"},
    {Verb::kIndexes, "indexes", "", "the indexes and how they are"},
    {Verb::kExplain, "explain", "QUERY",
     "how the server answers the query; so does: explain QUERY"},
    {Verb::kMore, "more", "", "the next page of the last query"},
    {Verb::kExpand, "x", "[ROW|ID]", "one row of the last page, or one document, in full"},
    {Verb::kJson, "json", "", "results as JSON, one a line; again: as a table"},
    {Verb::kFormat, "format", "table|json|csv", "how results are printed"},
    {Verb::kLimit, "limit", "N", "rows a page"},
    {Verb::kTiming, "timing", "[on|off]", "print how long a query took"},
    {Verb::kWait, "wait", "[on|off]", "let queries wait until their index is up to date"},
    {Verb::kQuit, "quit", "", "leave; so does Ctrl-D"},
});

constexpr std::string_view kBlanks = " \t\r\n;";

}  // namespace

std::span<const VerbRow> verbs() noexcept {
  return kVerbs;
}

Result<MetaCommand> parse_command(std::string_view text) {
  text.remove_prefix(text.starts_with('\\') ? 1 : 0);
  const std::string_view name = text.substr(0, text.find_first_of(kBlanks));
  std::string_view argument = text.substr(name.size());
  const std::size_t begin = argument.find_first_not_of(kBlanks);
  argument = begin == std::string_view::npos
                 ? std::string_view()
                 : argument.substr(begin, argument.find_last_not_of(kBlanks) - begin + 1);
  if (name == "q" || name == "?") {
    return MetaCommand{.verb = name == "q" ? Verb::kQuit : Verb::kHelp, .argument = {}};
  }
  for (const VerbRow& row : kVerbs) {
    if (row.name != name) {
      continue;
    }
    if (row.arguments.empty() && !argument.empty()) {
      return Error(ErrorCode::invalid_argument, fmt::format("\\{} takes no argument", name));
    }
    if (argument.empty() && !row.arguments.empty() && !row.arguments.starts_with('[')) {
      return Error(ErrorCode::invalid_argument, fmt::format("say \\{} {}", name, row.arguments));
    }
    return MetaCommand{.verb = row.verb, .argument = std::string(argument)};
  }
  return Error(ErrorCode::invalid_argument,
               fmt::format("there is no command \\{}; \\help lists them", name));
}

std::string help_text() {
  std::string out =
      "A query ends with a semicolon, or with an empty line. TAB completes.\n"
      "Ctrl-C drops what is typed, or gives up a query that runs.\n\n";
  for (const VerbRow& row : kVerbs) {
    out += fmt::format("  {:<24} {}\n", fmt::format("\\{} {}", row.name, row.arguments), row.what);
  }
  return out;
}

}  // namespace rookery::shell
