// SPDX-License-Identifier: Apache-2.0
#include "rookery/query/print.h"

#include <array>

#include "keywords.h"

namespace rookery::query {
namespace {

// Words that are names wherever one stands, but that are easier on the eye, or safer from what
// stands around them, in quotes.
bool reads_as_keyword(std::string_view word) {
  constexpr std::array<std::string_view, 12> kWords = {"distinct", "from",  "index",  "in",
                                                       "between",  "all",   "limit",  "asc",
                                                       "desc",     "nulls", "offset", "update"};
  return is_one_of(word, kWords);
}

std::string_view operator_text(CompareOperator op) {
  constexpr std::array<std::string_view, 6> kTexts = {" = ", " != ", " < ", " <= ", " > ", " >= "};
  return kTexts[static_cast<std::size_t>(op)];
}

class Printer {
 public:
  void query(const Query& query);

  // A place where quotes quote a name.
  void named(const Expression& expression) {
    const Field* field = std::get_if<Field>(&expression.node);
    if (field != nullptr) {
      path(field->path, true);
    } else {
      value(expression);
    }
  }

  // A place where quotes make a string.
  void value(const Expression& expression) {
    std::visit([this](const auto& node) { write(node); }, expression.node);
  }

  void path(const Path& path, bool may_quote);

  std::string take() { return std::move(out_); }

 private:
  void write(const Null& /*node*/) { out_ += "null"; }

  void write(const Boolean& node) { out_ += node.value ? "true" : "false"; }

  void write(const Number& node) { out_ += node.text; }

  void write(const String& node) { out_ += quote(node.text); }

  void write(const Parameter& node) { out_ += "$" + node.name; }

  void write(const Field& node) { path(node.path, false); }

  void write(const OperatorWord& node) { out_ += node.op == LogicalOperator::kAnd ? "and" : "or"; }

  void write(const TimeSeriesText& node) { out_ += node.text; }

  void write(const Call& node);

  void write(const Comparison& node) {
    named(*node.left);
    out_ += operator_text(node.op);
    value(*node.right);
  }

  void write(const Between& node) {
    named(*node.subject);
    out_ += " between ";
    value(*node.low);
    out_ += " and ";
    value(*node.high);
  }

  void write(const In& node);

  void write(const Not& node) {
    out_ += "not ";
    term(*node.term, std::holds_alternative<Logical>(node.term->node));
  }

  void write(const Logical& node);

  void term(const Expression& expression, bool parenthesised) {
    out_ += parenthesised ? "(" : "";
    value(expression);
    out_ += parenthesised ? ")" : "";
  }

  void segment(const PathSegment& segment, bool quoted);
  void name(const std::string& name);
  void alias(const std::optional<std::string>& alias);
  void declare(const Declare& declare);
  void from(const From& from);
  void order_term(const OrderTerm& term);
  void select(const Select& select);
  void clause(std::string_view keyword, const std::optional<Expression>& expression);

  // Calls `print_item` for each item, with commas between.
  template <typename Items, typename PrintItem>
  void list(const Items& items, PrintItem print_item) {
    bool first = true;
    for (const auto& item : items) {
      out_ += first ? "" : ", ";
      first = false;
      print_item(item);
    }
  }

  template <typename Items, typename PrintItem>
  void list_clause(std::string_view keyword, const Items& items, PrintItem print_item) {
    if (!items.empty()) {
      out_ += keyword;
      list(items, print_item);
    }
  }

  std::string out_;
};

void Printer::segment(const PathSegment& segment, bool quoted) {
  out_ += quoted ? quote(segment.name) : segment.name;
  for (const Subscript& subscript : segment.subscripts) {
    out_ += "[" + (subscript.index.has_value() ? std::to_string(*subscript.index) : "") + "]";
  }
}

void Printer::path(const Path& path, bool may_quote) {
  // With a dot or bracket behind it, a quoted name is a name everywhere.
  const bool is_single = path.segments.size() == 1 && path.segments[0].subscripts.empty();
  bool first = true;
  for (const PathSegment& each : path.segments) {
    out_ += first ? "" : ".";
    const bool plain = first ? is_plain_name(each.name) : is_word(each.name);
    const bool keyword = first && may_quote && reads_as_keyword(each.name);
    segment(each, first && is_single && !may_quote ? false : !plain || keyword);
    first = false;
  }
}

void Printer::name(const std::string& name) {
  out_ += is_plain_name(name) && !reads_as_keyword(name) ? name : quote(name);
}

void Printer::alias(const std::optional<std::string>& alias) {
  if (alias.has_value()) {
    out_ += " as ";
    name(*alias);
  }
}

void Printer::write(const Call& node) {
  out_ += node.name + "(";
  bool field_first = takes_field(node.method);
  list(node.arguments, [&](const Argument& argument) {
    if (field_first) {
      named(*argument.value);
    } else {
      value(*argument.value);
    }
    field_first = false;
    alias(argument.alias);
  });
  out_ += ")";
  for (const PathSegment& each : node.rest.segments) {
    out_ += ".";
    segment(each, !is_word(each.name));
  }
}

void Printer::write(const In& node) {
  named(*node.subject);
  out_ += node.mode == InMode::kAll ? " all in (" : " in (";
  list(node.values, [this](const Expression& each) { value(each); });
  out_ += ")";
}

void Printer::write(const Logical& node) {
  bool first = true;
  for (const Expression& each : node.terms) {
    if (!first) {
      out_ += node.op == LogicalOperator::kAnd ? " and " : " or ";
    }
    first = false;
    const Logical* inner = std::get_if<Logical>(&each.node);
    const bool binds_tighter =
        node.op == LogicalOperator::kOr && inner != nullptr && inner->op == LogicalOperator::kAnd;
    term(each, inner != nullptr && !binds_tighter);
  }
}

void Printer::declare(const Declare& declare) {
  const bool is_series = declare.kind == Declare::Kind::kTimeSeries;
  out_ += is_series ? "declare timeseries " : "declare function ";
  out_ += declare.name + "(" + declare.parameters.text + ") {" + declare.body.text + "} ";
}

void Printer::from(const From& from) {
  out_ += "from ";
  if (from.source == From::Source::kAllDocuments) {
    out_ += "@all_docs";
  } else {
    out_ += from.source == From::Source::kIndex ? "index " : "";
    out_ += quote(from.name);
  }
  out_ += from.revisions ? " (Revisions = true)" : "";
  alias(from.alias);
}

void Printer::order_term(const OrderTerm& term) {
  constexpr std::array<std::string_view, 4> kTypes = {" as string", " as long", " as double",
                                                      " as alphaNumeric"};
  named(term.value);
  if (term.type.has_value()) {
    out_ += kTypes[static_cast<std::size_t>(*term.type)];
  }
  out_ += term.descending ? " desc" : "";
  if (term.nulls.has_value()) {
    out_ += *term.nulls == NullsPlacement::kFirst ? " nulls first" : " nulls last";
  }
}

void Printer::select(const Select& select) {
  out_ += select.distinct ? " select distinct " : " select ";
  if (const Script* script = std::get_if<Script>(&select.what); script != nullptr) {
    out_ += "{" + script->text + "}";
  } else if (const auto* items = std::get_if<std::vector<SelectItem>>(&select.what);
             items != nullptr) {
    list(*items, [this](const SelectItem& item) {
      named(item.value);
      alias(item.alias);
    });
  } else {
    out_ += "*";
  }
}

void Printer::clause(std::string_view keyword, const std::optional<Expression>& expression) {
  if (expression.has_value()) {
    out_ += keyword;
    value(*expression);
  }
}

void Printer::query(const Query& query) {
  for (const Declare& each : query.declares) {
    declare(each);
  }
  from(query.from);
  list_clause(" group by ", query.group_by, [this](const Expression& key) { named(key); });
  clause(" where ", query.where);
  list_clause(" order by ", query.order_by, [this](const OrderTerm& term) { order_term(term); });
  list_clause(" load ", query.load, [this](const LoadTerm& term) {
    named(term.value);
    alias(term.alias);
    out_ += term.many ? "[]" : "";
  });
  clause(" filter ", query.filter);
  if (query.select.has_value()) {
    select(*query.select);
  }
  if (query.update.has_value()) {
    out_ += " update {" + query.update->text + "}";
  }
  list_clause(" include ", query.include, [this](const Expression& item) { value(item); });
  clause(" limit ", query.limit);
  clause(" offset ", query.offset);
  clause(" filter_limit ", query.filter_limit);
}

}  // namespace

std::string print(const Query& query) {
  Printer printer;
  printer.query(query);
  return printer.take();
}

std::string print(const Expression& expression) {
  Printer printer;
  printer.value(expression);
  return printer.take();
}

std::string print(const Path& path) {
  Printer printer;
  printer.path(path, true);
  return printer.take();
}

std::string quote(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    switch (c) {
      case '\'':
      case '\\':
        out.push_back('\\');
        out.push_back(c);
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        out.push_back(c);
    }
  }
  out.push_back('\'');
  return out;
}

}  // namespace rookery::query
