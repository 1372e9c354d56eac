// SPDX-License-Identifier: Apache-2.0
#include "completion.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "rookery/query/parse.h"
#include "rookery/query/pieces.h"
#include "rookery/query/print.h"
#include "rookery/value/text.h"

#include "meta_command.h"

namespace rookery::shell {

using query::Piece;
using query::PieceKind;

namespace {

using Words = std::span<const std::string_view>;

constexpr auto kBeginnings =
    std::to_array<std::string_view>({"from", "declare function", "explain"});
constexpr auto kSources = std::to_array<std::string_view>({"index", "@all_docs"});
constexpr auto kMethods = std::to_array<std::string_view>(
    {"id()", "search(", "exact(", "boost(", "startsWith(", "endsWith(", "regex(", "exists(",
     "fuzzy(", "proximity(", "true", "not"});
constexpr auto kOrders = std::to_array<std::string_view>({"score()", "random()", "id()"});
constexpr auto kIncludes = std::to_array<std::string_view>({"timings()"});
constexpr auto kSelections = std::to_array<std::string_view>({"distinct", "id()"});
constexpr auto kLiterals = std::to_array<std::string_view>({"true", "false", "null"});
constexpr auto kTypes =
    std::to_array<std::string_view>({"long", "double", "alphaNumeric", "string"});
constexpr auto kAfterSource =
    std::to_array<std::string_view>({"as", "where", "group by", "order by", "load", "select",
                                     "include", "limit", "offset", "update"});
constexpr auto kAfterOperand =
    std::to_array<std::string_view>({"and", "or", "between", "in", "all in", "group by", "order by",
                                     "load", "select", "include", "limit", "offset", "update"});
constexpr auto kAfterOrder = std::to_array<std::string_view>(
    {"as", "asc", "desc", "load", "select", "include", "limit", "offset", "update"});
constexpr auto kAfterSelect = std::to_array<std::string_view>({"as", "include", "limit", "offset"});

bool equal(std::string_view a, std::string_view b) {
  return value::equal_folded(a, b);
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view each) { return equal(each, word); });
}

bool begins_with(std::string_view text, std::string_view beginning) {
  return value::fold_case(text).starts_with(value::fold_case(beginning));
}

// What stands before the cursor: whole pieces, and the name that is being typed.
struct Context {
  std::vector<Piece> before;
  std::size_t start = 0;
  std::string_view partial;
};

bool is_part_of_path(const Piece& piece) {
  return piece.kind == PieceKind::kWord ||
         (piece.kind == PieceKind::kPunctuation &&
          (piece.text == "." || piece.text == "[" || piece.text == "]"));
}

Context context_of(std::string_view text, std::vector<Piece> pieces) {
  Context out;
  std::size_t begin = text.size();
  while (!pieces.empty()) {
    const Piece& last = pieces.back();
    if (last.offset + last.text.size() != begin || !is_part_of_path(last)) {
      break;
    }
    // Two words in a row are never adjacent, so this is one path.
    begin = last.offset;
    pieces.pop_back();
  }
  out.before = std::move(pieces);
  out.start = begin;
  out.partial = text.substr(begin);
  return out;
}

// The piece that many from the end; empty if there is none.
std::string_view back(const std::vector<Piece>& pieces, std::size_t distance) {
  return distance < pieces.size() ? pieces[pieces.size() - 1 - distance].text : std::string_view();
}

struct Source {
  std::string collection;  // empty: all documents, or an index
  std::string alias;
};

Source source_of(const std::vector<Piece>& pieces) {
  Source out;
  for (std::size_t i = 0; i + 1 < pieces.size(); ++i) {
    if (!equal(pieces[i].text, "from")) {
      continue;
    }
    std::size_t name = i + 1;
    const bool is_index = equal(pieces[name].text, "index") && name + 1 < pieces.size() &&
                          pieces[name + 1].kind == PieceKind::kString;
    name += is_index ? 1U : 0U;
    // The name is as the parser reads it.
    const auto tree = query::parse("from " + std::string(pieces[name].text));
    if (!is_index && tree.has_value()) {
      out.collection = tree->from.name;
    }
    const bool has_as = name + 2 < pieces.size() && equal(pieces[name + 1].text, "as");
    const std::size_t alias = name + (has_as ? 2 : 1);
    if (alias < pieces.size() && pieces[alias].kind == PieceKind::kWord &&
        (has_as ||
         !is_one_of(pieces[alias].text, {"where", "group", "order", "load", "select", "include",
                                         "limit", "offset", "update", "filter"}))) {
      out.alias = pieces[alias].text;
    }
    break;
  }
  return out;
}

// The clause that the cursor is in: the last word that begins one.
std::string_view clause_of(const std::vector<Piece>& pieces) {
  for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece) {
    if (piece->kind == PieceKind::kWord &&
        is_one_of(piece->text, {"from", "where", "group", "order", "load", "select", "include",
                                "limit", "offset", "update", "filter"})) {
      return piece->text;
    }
  }
  return {};
}

// Purpose. Candidates that begin with what was typed, each once, in order.
class Candidates {
 public:
  explicit Candidates(std::string_view partial) : partial_(partial) {}

  void name(std::string name) {
    if (begins_with(name, partial_)) {
      list_.push_back(std::move(name));
    }
  }

  void names(std::vector<std::string> names) {
    for (std::string& each : names) {
      name(std::move(each));
    }
  }

  void words(Words words) {
    const bool capitals =
        !partial_.empty() &&
        std::none_of(partial_.begin(), partial_.end(),
                     [](char c) { return c >= 'a' && c <= 'z'; }) &&
        std::any_of(partial_.begin(), partial_.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
    for (const std::string_view word : words) {
      std::string text(word);
      // Methods keep their spelling.
      if (capitals && !text.ends_with('(') && !text.ends_with(')')) {
        std::transform(text.begin(), text.end(), text.begin(), [](char c) {
          return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
        });
      }
      name(std::move(text));
    }
  }

  std::vector<std::string> take() {
    std::sort(list_.begin(), list_.end());
    list_.erase(std::unique(list_.begin(), list_.end()), list_.end());
    return std::move(list_);
  }

 private:
  std::string_view partial_;
  std::vector<std::string> list_;
};

void add_fields(Candidates& out, const std::vector<Piece>& before, Catalog& catalog) {
  const Source source = source_of(before);
  for (std::string& field : catalog.fields(source.collection)) {
    if (!source.alias.empty()) {
      out.name(source.alias + "." + field);
    }
    out.name(std::move(field));
  }
}

// A field, a method or a value is due.
void add_operands(Candidates& out, const Context& context, Catalog& catalog) {
  const std::string_view last = back(context.before, 0);
  if (is_one_of(last, {"=", "==", "!=", "<>", "<", "<=", ">", ">="})) {
    out.words(kLiterals);
    return;
  }
  add_fields(out, context.before, catalog);
  const std::string_view clause = clause_of(context.before);
  if (equal(clause, "order")) {
    out.words(kOrders);
  } else if (equal(clause, "select")) {
    out.words(kSelections);
  } else if (equal(clause, "include")) {
    out.words(kIncludes);
  } else if (equal(clause, "where")) {
    out.words(kMethods);
  }
}

bool operand_is_due(const std::vector<Piece>& before) {
  const Piece& last = before.back();
  if (last.kind == PieceKind::kWord) {
    return is_one_of(last.text, {"where", "and", "or", "not", "by", "select", "distinct", "load",
                                 "include", "filter"});
  }
  return last.kind == PieceKind::kPunctuation && last.text != ")" && last.text != "]" &&
         last.text != "}" && last.text != "*";
}

// An operator or the next clause is due.
void add_continuations(Candidates& out, const std::vector<Piece>& before) {
  const std::string_view clause = clause_of(before);
  if (equal(clause, "from")) {
    out.words(kAfterSource);
  } else if (equal(clause, "order")) {
    out.words(kAfterOrder);
  } else if (is_one_of(clause, {"select", "include", "load", "group"})) {
    out.words(kAfterSelect);
    out.words(Words(kAfterSource).subspan(1));
  } else if (equal(clause, "limit")) {
    out.words(Words(kAfterSelect).last(1));
  } else {
    out.words(kAfterOperand);
  }
}

void add_all(Candidates& out, const Context& context, Catalog& catalog) {
  const std::vector<Piece>& before = context.before;
  const std::string_view last = back(before, 0);
  if (before.empty() || (before.size() == 1 && equal(last, "explain"))) {
    out.words(Words(kBeginnings).first(before.empty() ? kBeginnings.size() : 2));
  } else if (equal(last, "from")) {
    for (const std::string& name : catalog.collections()) {
      out.name(as_collection(name));
    }
    out.words(kSources);
  } else if (equal(last, "index") && equal(back(before, 1), "from")) {
    for (const std::string& name : catalog.indexes()) {
      out.name(query::quote(name));
    }
  } else if (equal(last, "as")) {
    if (equal(clause_of(before), "order")) {
      out.words(kTypes);
    }
  } else if (is_one_of(last, {"order", "group"})) {
    constexpr auto kBy = std::to_array<std::string_view>({"by"});
    out.words(kBy);
  } else if (operand_is_due(before)) {
    add_operands(out, context, catalog);
  } else {
    add_continuations(out, before);
  }
}

// Inside quotes only the name of a source can be meant.
Completion complete_quoted(std::string_view text, const query::Pieces& pieces, Catalog& catalog) {
  Completion out{.start = pieces.offset, .candidates = {}};
  const char mark = text[pieces.offset];
  const std::string_view last = back(pieces.list, 0);
  const bool is_index = equal(last, "index") && equal(back(pieces.list, 1), "from");
  if ((mark != '\'' && mark != '"') || (!is_index && !equal(last, "from"))) {
    return out;
  }
  const std::string_view typed = text.substr(pieces.offset + 1);
  for (const std::string& name : is_index ? catalog.indexes() : catalog.collections()) {
    if (begins_with(name, typed)) {
      out.candidates.push_back(query::quote(name));
    }
  }
  return out;
}

// A comment to the end of its line is no piece, and the cursor is in it.
bool ends_in_comment(std::string_view text, const std::vector<Piece>& pieces) {
  const std::size_t begin = pieces.empty() ? 0 : pieces.back().offset + pieces.back().text.size();
  const std::string_view gap = text.substr(begin);
  const std::size_t line = gap.rfind('\n');
  return gap.substr(line == std::string_view::npos ? 0 : line).find("//") != std::string_view::npos;
}

Completion complete_query(std::string_view text, Catalog& catalog) {
  std::size_t skipped = 0;
  query::Pieces pieces = query::pieces_of(text);
  while (pieces.end == query::PiecesEnd::kSemicolon) {
    skipped += pieces.offset + 1;
    text.remove_prefix(pieces.offset + 1);
    pieces = query::pieces_of(text);
  }
  Completion out;
  if (pieces.end == query::PiecesEnd::kUnfinished) {
    out = complete_quoted(text, pieces, catalog);
  } else if (!ends_in_comment(text, pieces.list)) {
    const Context context = context_of(text, std::move(pieces.list));
    Candidates candidates(context.partial);
    add_all(candidates, context, catalog);
    out = {.start = context.start, .candidates = candidates.take()};
  }
  out.start += skipped;
  return out;
}

Completion complete_command(std::string_view line, Catalog& catalog) {
  const std::size_t blank = line.find(' ');
  if (blank == std::string_view::npos) {
    Candidates candidates(line);
    for (const VerbRow& row : verbs()) {
      candidates.name("\\" + std::string(row.name));
    }
    return {.start = 0, .candidates = candidates.take()};
  }
  const std::string_view name = line.substr(1, blank - 1);
  const std::string_view argument = line.substr(blank + 1);
  if (name == "explain") {
    Completion out = complete_query(argument, catalog);
    out.start += blank + 1;
    return out;
  }
  Candidates candidates(argument);
  if (name == "use") {
    candidates.names(catalog.databases());
  } else if (name == "format") {
    constexpr auto kFormats = std::to_array<std::string_view>({"table", "json", "csv"});
    candidates.words(kFormats);
  } else if (name == "timing" || name == "wait") {
    constexpr auto kSwitch = std::to_array<std::string_view>({"on", "off"});
    candidates.words(kSwitch);
  }
  return {.start = blank + 1, .candidates = candidates.take()};
}

}  // namespace

Completion complete(std::string_view text, Catalog& catalog) {
  const std::size_t line_end = text.rfind('\n');
  const std::size_t line_begin = line_end == std::string_view::npos ? 0 : line_end + 1;
  if (text.substr(line_begin).starts_with('\\')) {
    Completion out = complete_command(text.substr(line_begin), catalog);
    out.start += line_begin;
    return out;
  }
  return complete_query(text, catalog);
}

std::string as_collection(const std::string& name) {
  const auto tree = query::parse("from " + name);
  const bool is_plain = tree.has_value() && tree->from.source == query::From::Source::kCollection &&
                        tree->from.name == name && !tree->from.alias.has_value();
  return is_plain ? name : query::quote(name);
}

}  // namespace rookery::shell
