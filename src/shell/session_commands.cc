// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "formats.h"
#include "session.h"
#include "table.h"
#include "width.h"

// The session's side of the commands that begin with a backslash.

namespace rookery::shell {

using value::View;

namespace {

Cell number_cell(std::int64_t number) {
  return {.text = fmt::format("{}", number), .is_number = true};
}

std::optional<std::uint64_t> count_in(const std::string& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size()
             ? std::optional<std::uint64_t>(number)
             : std::nullopt;
}

std::string text_in(View object, std::string_view key) {
  return printable(object.find_string(key).value_or(""));
}

}  // namespace

bool Session::run_command(std::string_view text) {
  const auto parsed = parse_command(text);
  if (!parsed.has_value()) {
    return fail(parsed.error());
  }
  const std::string& argument = parsed->argument;
  switch (parsed->verb) {
    case Verb::kHelp:
      terminal_.print(help_text());
      return true;
    case Verb::kDatabases:
      return show_databases();
    case Verb::kUse:
      return use(argument);
    case Verb::kCollections:
      return show_collections();
    case Verb::kIndexes:
      return show_indexes();
    case Verb::kExplain:
      return explain(argument);
    case Verb::kMore:
      return show_more();
    case Verb::kExpand:
      return expand(argument);
    case Verb::kJson:
      return set_format(options_.format == Format::kJson ? "table" : "json");
    case Verb::kFormat:
      return set_format(argument);
    case Verb::kLimit:
      return set_limit(argument);
    case Verb::kTiming:
      return set_switch(options_.timing, "timing", argument);
    case Verb::kWait:
      return set_switch(options_.wait, "wait", argument);
    case Verb::kQuit:
      is_over_ = true;
      return true;
  }
  return true;
}

bool Session::show_databases() {
  terminal_.take_cancel();
  const auto names = client_.databases();
  if (!names.has_value()) {
    return fail(names.error());
  }
  std::string out;
  for (const std::string& name : *names) {
    out += (name == options_.database ? "* " : "  ") + printable(name) + "\n";
  }
  terminal_.print(out + fmt::format("({} databases)\n", names->size()));
  return true;
}

bool Session::use(const std::string& name) {
  terminal_.take_cancel();
  // Asks it something small, so that a wrong name is known at once.
  if (const auto collections = client_.collections(name); !collections.has_value()) {
    return fail(collections.error());
  }
  options_.database = name;
  paging_.reset();
  answer_.reset();
  return true;
}

bool Session::show_collections() {
  if (!has_database()) {
    return false;
  }
  terminal_.take_cancel();
  const auto collections = client_.collections(options_.database);
  if (!collections.has_value()) {
    return fail(collections.error());
  }
  Table table{.headers = {"collection", "documents"}, .rows = {}};
  for (const Collection& collection : *collections) {
    table.rows.push_back(
        {{.text = printable(collection.name)}, number_cell(collection.document_count)});
  }
  terminal_.print(render(table, terminal_.width()));
  return true;
}

bool Session::show_indexes() {
  if (!has_database()) {
    return false;
  }
  terminal_.take_cancel();
  const auto answer = client_.indexes(options_.database);
  if (!answer.has_value()) {
    return fail(answer.error());
  }
  const View results = answer->root().find("Results").value_or(View());
  Table table{.headers = {"index", "type", "state", "entries", "errors", "stale"}, .rows = {}};
  for (std::size_t i = 0; i < results.size(); ++i) {
    const View index = results.at(i);
    const auto stale = index.find_bool("IsStale");
    table.rows.push_back({{.text = text_in(index, "Name")},
                          {.text = text_in(index, "Type")},
                          {.text = text_in(index, "State")},
                          number_cell(index.find_int64("EntriesCount").value_or(0)),
                          number_cell(index.find_int64("ErrorsCount").value_or(0)),
                          {.text = !stale.has_value() ? ""
                                   : *stale           ? "yes"
                                                      : "no"}});
  }
  if (table.rows.empty()) {
    terminal_.print("(no indexes; a query makes the one it needs)\n");
  } else {
    terminal_.print(render(table, terminal_.width()));
  }
  return true;
}

bool Session::show_more() {
  if (!paging_.has_value()) {
    return complain("there is no query to show more of");
  }
  if (paging_->is_at_end) {
    terminal_.print("(no more rows)\n");
    return true;
  }
  return next_page();
}

bool Session::expand(const std::string& what) {
  const std::optional<std::uint64_t> number = count_in(what);
  if (!what.empty() && !number.has_value()) {
    if (!has_database()) {
      return false;
    }
    terminal_.take_cancel();
    const auto answer = client_.document(options_.database, what);
    if (!answer.has_value()) {
      return answer.error().code() == ErrorCode::not_found
                 ? complain(fmt::format("there is no document '{}'", what))
                 : fail(answer.error());
    }
    terminal_.print(pretty_json(answer->root().find("Results")->at(0)));
    return true;
  }
  if (!answer_.has_value()) {
    return complain("there is no result to show a row of");
  }
  // Rows are numbered from the first of all pages.
  const View results = answer_->results();
  const std::uint64_t before = paging_->shown - results.size();
  const std::uint64_t row = number.value_or(std::max(before, expanded_row_) + 1);
  if (row <= before || row > before + results.size()) {
    return complain(results.size() == 0 ? "the last page has no rows"
                                        : fmt::format("the last page has rows {} to {}", before + 1,
                                                      before + results.size()));
  }
  expanded_row_ = row;
  terminal_.print(pretty_json(results.at(row - before - 1)));
  return true;
}

bool Session::set_format(const std::string& name) {
  const auto format = format_named(name);
  if (!format.has_value()) {
    return complain(fmt::format("'{}' is no format; table, json and csv are", name));
  }
  options_.format = *format;
  return true;
}

bool Session::set_limit(const std::string& text) {
  const auto count = count_in(text);
  if (!count.has_value() || *count == 0 || *count > kPageRowsMax) {
    return complain(fmt::format("\\limit takes a number from 1 to {}", kPageRowsMax));
  }
  options_.page_rows = *count;
  return true;
}

bool Session::set_switch(bool& target, std::string_view name, const std::string& text) {
  if (text != "" && text != "on" && text != "off") {
    return complain(fmt::format("\\{} takes on or off", name));
  }
  target = text.empty() ? !target : text == "on";
  terminal_.print(fmt::format("({} is {})\n", name, target ? "on" : "off"));
  return true;
}

}  // namespace rookery::shell
