// SPDX-License-Identifier: Apache-2.0
#include "session.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "rookery/query/parse.h"
#include "rookery/query/print.h"
#include "rookery/value/json.h"

#include "caret.h"
#include "explain.h"
#include "table.h"
#include "width.h"

namespace rookery::shell {

using value::View;

namespace {

// Line by line, each made harmless.
std::string printable_lines(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out += printable(text.substr(0, end)) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::optional<std::uint64_t> number_of(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size()
             ? std::optional<std::uint64_t>(number)
             : std::nullopt;
}

// The value of `limit` or `offset`, which is a number or a parameter.
std::optional<std::uint64_t> count_of(const std::optional<query::Expression>& expression,
                                      const QueryRequest& request) {
  if (!expression.has_value()) {
    return std::nullopt;
  }
  if (const auto* number = std::get_if<query::Number>(&expression->node); number != nullptr) {
    return number_of(number->text);
  }
  if (const auto* parameter = std::get_if<query::Parameter>(&expression->node);
      parameter != nullptr) {
    for (const auto& [name, json] : request.parameters) {
      if (name == parameter->name) {
        return number_of(json);
      }
    }
  }
  return std::nullopt;
}

query::Expression number(std::uint64_t value) {
  return {.at = {}, .node = query::Number{.text = std::to_string(value), .is_integer = true}};
}

std::string duration_text(os::Duration duration) {
  return fmt::format("{:.1f} ms", std::chrono::duration<double, std::milli>(duration).count());
}

}  // namespace

std::optional<Format> format_named(std::string_view name) noexcept {
  return name == "table"  ? std::optional(Format::kTable)
         : name == "json" ? std::optional(Format::kJson)
         : name == "csv"  ? std::optional(Format::kCsv)
                          : std::nullopt;
}

bool Session::run() {
  while (!is_over_) {
    const Line line = terminal_.read_line(prompt());
    if (line.kind == Line::Kind::kEnd) {
      finish_input();
      break;
    }
    if (!take_line(line)) {
      break;
    }
  }
  return terminal_.is_interactive() || all_well_;
}

bool Session::run_text(std::string_view text) {
  const auto statements = reader_.add_line(text);
  if (!statements.has_value()) {
    return fail(statements.error());
  }
  if (run_all(*statements)) {
    finish_input();
  }
  return all_well_;
}

std::string Session::prompt() const {
  const std::string name = options_.database.empty() ? "rookery" : printable(options_.database);
  // As wide, so that lines stand below each other.
  return reader_.is_open() ? std::string(display_width(name) - 1, ' ') + "-> " : name + "> ";
}

bool Session::take_line(const Line& line) {
  if (line.kind == Line::Kind::kCancelled) {
    reader_.clear();
    return true;
  }
  const std::string before = reader_.text();
  const auto statements = reader_.add_line(line.text);
  if (!statements.has_value()) {
    fail(statements.error());
    return terminal_.is_interactive() || options_.keep_going;
  }
  if (terminal_.is_interactive() && reader_.obstacle().has_value()) {
    // Not an end: what is missing may follow. What is wrong can be dropped by Ctrl-C.
    terminal_.print_error(printable_lines(reader_.obstacle()->message()));
    if (const auto place = place_in(reader_.obstacle()->message()); place.has_value()) {
      terminal_.print_error(caret_lines(before, *place, terminal_.width()));
    }
  }
  return run_all(*statements);
}

bool Session::run_all(const std::vector<Statement>& statements) {
  for (const Statement& statement : statements) {
    const std::string_view end = statement.is_command ? "" : ";";
    terminal_.remember(as_history_line(statement.text) + std::string(end));
    const bool went_well = run_statement(statement);
    if (is_over_ || (!went_well && !terminal_.is_interactive() && !options_.keep_going)) {
      return false;
    }
  }
  return true;
}

bool Session::finish_input() {
  const auto last = reader_.finish();
  // Who leaves a terminal in the middle of a statement does not want it run.
  return !last.has_value() || terminal_.is_interactive() || run_all({*last});
}

bool Session::run_statement(const Statement& statement) {
  if (statement.is_command) {
    return run_command(statement.text);
  }
  const auto explained = explained_query(statement.text);
  return explained.has_value() ? explain(*explained) : run_query(statement.text);
}

QueryRequest Session::request_for(std::string_view text) const {
  return {.text = std::string(text),
          .parameters = options_.parameters,
          .start = 0,
          .page_rows = options_.page_rows,
          .wait = options_.wait};
}

bool Session::run_query(std::string_view text) {
  paging_.reset();
  answer_.reset();
  auto tree = query::parse(text);
  if (!tree.has_value() && tree.error().code() == ErrorCode::malformed) {
    return fail(tree.error(), text);
  }
  if (!has_database()) {
    return false;
  }
  Paging paging;
  paging.request = request_for(text);
  if (tree.has_value()) {
    paging.offset = count_of(tree->offset, paging.request).value_or(0);
    paging.limit = count_of(tree->limit, paging.request);
    paging.is_distinct = tree->select.has_value() && tree->select->distinct;
    paging.tree = std::move(tree).value();
  }
  paging_ = std::move(paging);
  do {
    if (!next_page()) {
      paging_.reset();
      return false;
    }
  } while (!terminal_.is_interactive() && !paging_->is_at_end);
  return true;
}

bool Session::explain(std::string_view text) {
  if (const auto tree = query::parse(text);
      !tree.has_value() && tree.error().code() == ErrorCode::malformed) {
    return fail(tree.error(), text);
  }
  if (!has_database()) {
    return false;
  }
  terminal_.take_cancel();
  const auto answer = client_.explain(options_.database, request_for(text));
  if (!answer.has_value()) {
    return fail(answer.error(), text);
  }
  terminal_.print(options_.format == Format::kTable
                      ? explain_text(answer->root(), terminal_.width())
                      : to_json(answer->root()) + "\n");
  return true;
}

QueryRequest Session::next_request() const {
  QueryRequest request = paging_->request;
  request.page_rows = options_.page_rows;
  if (paging_->limit.has_value()) {
    // A limit counts rows that differ where they must.
    const std::uint64_t used = paging_->is_distinct ? paging_->shown : paging_->consumed;
    request.page_rows =
        std::min(request.page_rows, *paging_->limit - std::min(*paging_->limit, used));
  }
  if (paging_->consumed == 0) {
    return request;  // as it was typed, so that places in errors are the user's
  }
  const bool pages_itself = paging_->tree.has_value() &&
                            (paging_->tree->limit.has_value() || paging_->tree->offset.has_value());
  if (pages_itself) {
    query::Query tree = *paging_->tree;
    tree.offset = number(paging_->offset + paging_->consumed);
    tree.limit = number(request.page_rows);
    request.text = query::print(tree);
  } else {
    request.start = paging_->consumed;
  }
  return request;
}

bool Session::next_page() {
  const QueryRequest request = next_request();
  terminal_.take_cancel();
  auto answer = client_.query(options_.database, request);
  if (!answer.has_value()) {
    return fail(answer.error(), paging_->consumed == 0 ? paging_->request.text : "");
  }
  answer_ = std::move(answer).value();
  expanded_row_ = 0;
  const std::uint64_t first = paging_->shown;
  note_page(request);
  print_page();
  print_status(first);
  return true;
}

void Session::note_page(const QueryRequest& request) {
  Paging& paging = *paging_;
  const bool is_first = paging.consumed == 0;
  const std::uint64_t count = answer_->results().size();
  const auto skipped = static_cast<std::uint64_t>(std::max<std::int64_t>(answer_->skipped, 0));
  const auto total = static_cast<std::uint64_t>(std::max<std::int64_t>(answer_->total, 0));
  paging.shown += count;
  paging.consumed += paging.is_distinct ? count + skipped : request.page_rows;
  paging.is_at_end = paging.offset + paging.consumed >= total ||
                     (paging.is_distinct && count < request.page_rows) ||
                     (paging.limit.has_value() &&
                      (paging.is_distinct ? paging.shown : paging.consumed) >= *paging.limit);
  if (is_first) {
    paging.etag = answer_->result_etag;
    if (answer_->is_stale && !terminal_.is_interactive() && options_.format != Format::kTable) {
      terminal_.print_error("warning: the results are stale\n");
    }
  } else if (paging.etag != answer_->result_etag) {
    terminal_.print_error("warning: the results may have changed since the first page\n");
    paging.etag = answer_->result_etag;
  }
}

void Session::print_page() {
  const View results = answer_->results();
  switch (options_.format) {
    case Format::kJson:
      terminal_.print(json_lines(results));
      return;
    case Format::kCsv: {
      const std::size_t known = paging_->csv.left_out().size();
      terminal_.print(paging_->csv.page(results));
      for (std::size_t i = known; i < paging_->csv.left_out().size(); ++i) {
        terminal_.print_error(
            fmt::format("warning: the field '{}' is missing, since no row of the first page has "
                        "it; name the fields with select\n",
                        printable(paging_->csv.left_out()[i])));
      }
      return;
    }
    case Format::kTable:
      break;
  }
  if (results.size() == 0) {
    return;
  }
  const std::size_t width = terminal_.width();
  RowsOptions rows;
  rows.cell_width_max = width;
  rows.number_first = terminal_.is_interactive() ? paging_->shown - results.size() + 1 : 0;
  terminal_.print(render(table_of(results, rows), width));
}

void Session::print_status(std::uint64_t first) {
  const bool for_programs = !terminal_.is_interactive() && options_.format != Format::kTable;
  const bool is_last = terminal_.is_interactive() || paging_->is_at_end;
  if (is_last && !for_programs) {
    terminal_.print(status_text(terminal_.is_interactive() ? first : 0));
  }
}

std::string Session::status_text(std::uint64_t first) const {
  const std::uint64_t count = paging_->shown - first;
  std::string out = first == 0 ? fmt::format("({} {}", count, count == 1 ? "row" : "rows")
                               : fmt::format("(rows {}-{}", first + 1, paging_->shown);
  out += fmt::format(", {} in all", answer_->total);
  if (answer_->skipped > 0) {
    out += fmt::format(", {} duplicates left out", answer_->skipped);
  }
  out += answer_->is_stale ? ", STALE" : "";
  if (!answer_->index_name.empty()) {
    out += ", index " + printable(answer_->index_name);
  }
  if (options_.timing) {
    out += fmt::format(", server {} ms, round trip {}", answer_->server_ms,
                       duration_text(answer_->round_trip));
  }
  out += paging_->is_at_end ? "" : "; \\more shows the next";
  return out + ")\n";
}

bool Session::has_database() {
  return !options_.database.empty() ||
         complain(terminal_.is_interactive()
                      ? "no database is chosen; \\databases lists them, \\use NAME chooses one"
                      : "no database is named (--database NAME)");
}

bool Session::complain(std::string_view message) {
  all_well_ = false;
  terminal_.print_error("error: " + printable_lines(message));
  return false;
}

bool Session::fail(const Error& error, std::string_view query) {
  if (error.code() == ErrorCode::cancelled && terminal_.take_cancel()) {
    all_well_ = false;
    terminal_.print_error("cancelled\n");
    return false;
  }
  complain(error.message());
  if (const auto place = place_in(error.message()); place.has_value() && !query.empty()) {
    terminal_.print_error(caret_lines(query, *place, terminal_.width()));
  }
  return false;
}

}  // namespace rookery::shell
