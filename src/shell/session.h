// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rookery/query/ast.h"

#include "client.h"
#include "formats.h"
#include "meta_command.h"
#include "statement.h"
#include "terminal.h"

// Purpose. The conversation: statements in, pages of results and what they cost out.

namespace rookery::shell {

enum class Format : std::uint8_t { kTable, kJson, kCsv };

// One page is held in memory, here and on the server.
inline constexpr std::uint64_t kPageRowsMax = 10'000;

[[nodiscard]] std::optional<Format> format_named(std::string_view name) noexcept;

struct SessionOptions {
  std::string database{};
  Format format = Format::kTable;
  std::uint64_t page_rows = 50;
  std::vector<std::pair<std::string, std::string>> parameters{};  // values as JSON
  bool timing = true;
  bool wait = false;
  bool keep_going = false;
};

// Threads: one owner. Owns: nothing; client and terminal outlive it.
// Where somebody sits there, a query shows one page and \more the next. Otherwise it shows all of
// them, and never holds more than one.
class Session {
 public:
  Session(Client& client, Terminal& terminal, SessionOptions options)
      : client_(client), terminal_(terminal), options_(std::move(options)) {}

  // Statements from the terminal, to its end or \quit. True if all went well.
  bool run();
  // The statements of a text. True if all went well.
  bool run_text(std::string_view text);

  [[nodiscard]] const std::string& database() const noexcept { return options_.database; }

  // What is typed of a statement whose end is to come, lines with their ends.
  [[nodiscard]] const std::string& pending() const noexcept { return reader_.text(); }

 private:
  // A query whose pages are being shown.
  struct Paging {
    QueryRequest request;
    std::optional<query::Query> tree;  // unset if it does not parse here
    std::uint64_t offset = 0;          // what the query itself says
    std::optional<std::uint64_t> limit;
    bool is_distinct = false;
    std::uint64_t shown = 0;  // rows
    // Results that the pages so far account for: more than were shown if some were the same as one
    // before, or were deleted and the index does not know it yet.
    std::uint64_t consumed = 0;
    std::string etag;  // of the first page
    bool is_at_end = false;
    CsvWriter csv;
  };

  [[nodiscard]] std::string prompt() const;
  // False if the session must end here.
  bool take_line(const Line& line);
  bool run_all(const std::vector<Statement>& statements);
  bool run_statement(const Statement& statement);
  bool finish_input();

  bool run_query(std::string_view text);
  bool explain(std::string_view text);
  // Fetches and prints the next page. Requires: paging_ is set and not at its end.
  bool next_page();
  [[nodiscard]] QueryRequest next_request() const;
  // The place in all pages, and what a person should know of this one.
  void note_page(const QueryRequest& request);
  void print_page();
  void print_status(std::uint64_t first);
  [[nodiscard]] std::string status_text(std::uint64_t first) const;
  [[nodiscard]] QueryRequest request_for(std::string_view text) const;

  bool run_command(std::string_view text);
  bool show_databases();
  bool use(const std::string& name);
  bool show_collections();
  bool show_indexes();
  bool show_more();
  bool expand(const std::string& what);
  bool set_format(const std::string& name);
  bool set_limit(const std::string& text);
  bool set_switch(bool& target, std::string_view name, const std::string& text);

  bool has_database();
  bool complain(std::string_view message);
  // `query`: what the error may point into.
  bool fail(const Error& error, std::string_view query = {});

  Client& client_;
  Terminal& terminal_;
  SessionOptions options_;
  StatementReader reader_;
  std::optional<Paging> paging_;
  std::optional<QueryAnswer> answer_;  // the last page
  std::uint64_t expanded_row_ = 0;     // of the last page, the one that \x showed last
  bool all_well_ = true;
  bool is_over_ = false;
};

}  // namespace rookery::shell
