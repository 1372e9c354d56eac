// SPDX-License-Identifier: Apache-2.0
#include "translate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "rookery/query/parse.h"
#include "rookery/search/analyzer.h"
#include "rookery/value/date.h"
#include "rookery/value/text.h"

#include "field_names.h"
#include "terms.h"

namespace rookery::index {

namespace {

using query::CompareOperator;
using search::Node;

template <typename T>
Node node(T what) {
  return Node{std::move(what)};
}

Node negated(Node term) {
  return node(search::Not{std::make_unique<Node>(std::move(term))});
}

bool is_id(const plan::Field& field) {
  return field.kind == plan::Field::Kind::kId;
}

const std::string* text_of(const plan::Scalar& scalar) {
  return std::get_if<std::string>(&scalar);
}

using OptionalBound = std::optional<search::Bound>;

// All values of one kind.
struct Limits {
  OptionalBound low;
  OptionalBound high;
};

Limits limits_of_kind(const plan::Scalar& scalar) {
  if (std::holds_alternative<std::nullptr_t>(scalar)) {
    return {search::Bound{search::null_term()}, search::Bound{search::null_term()}};
  }
  if (std::holds_alternative<bool>(scalar)) {
    return {search::Bound{search::bool_term(false)}, search::Bound{search::bool_term(true)}};
  }
  if (text_of(scalar) != nullptr) {
    return {search::Bound{search::string_term("")}, std::nullopt};
  }
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return {search::Bound{search::number_term(-kInfinity)},
          search::Bound{search::number_term(kInfinity)}};
}

// Narrows `limits` to what `op` of the term leaves.
Limits narrowed(Limits limits, CompareOperator op, search::Term term) {
  switch (op) {
    case CompareOperator::kLess:
      limits.high = search::Bound{std::move(term), false};
      break;
    case CompareOperator::kLessOrEqual:
      limits.high = search::Bound{std::move(term), true};
      break;
    case CompareOperator::kGreater:
      limits.low = search::Bound{std::move(term), false};
      break;
    case CompareOperator::kGreaterOrEqual:
      limits.low = search::Bound{std::move(term), true};
      break;
    case CompareOperator::kEqual:
    case CompareOperator::kNotEqual:
      limits = {search::Bound{term}, search::Bound{term}};
      break;
  }
  return limits;
}

Node range(std::string field, Limits limits) {
  return node(search::Range{std::move(field), std::move(limits.low), std::move(limits.high)});
}

class Translator {
 public:
  Result<Node> condition(const plan::Condition& condition) {
    RK_TRY(check_field_count(fields_));
    return std::visit([this](const auto& what) { return translate(what); }, condition.what);
  }

  std::vector<IndexedField> take_fields() { return std::move(fields_); }

  [[nodiscard]] bool is_scored() const { return is_scored_; }

 private:
  Result<Node> translate(const plan::Constant& what) {
    return what.value ? node(search::All{}) : node(search::None{});
  }

  Result<Node> translate(const plan::Compare& what) {
    if (what.op == CompareOperator::kNotEqual) {
      plan::Compare equal = what;
      equal.op = CompareOperator::kEqual;
      RK_TRY_ASSIGN(Node found, translate(equal));
      return negated(std::move(found));
    }
    if (is_id(what.field)) {
      return by_key(what);
    }
    const plan::Scalar value = prepared(what.value, what.exact);
    if (what.op == CompareOperator::kEqual) {
      return node(search::TermIs{use(what.field, what.exact), to_term(value)});
    }
    return ranged(what.field, what.exact, narrowed(limits_of_kind(value), what.op, to_term(value)),
                  date_limits(what.op, plan::date_of(what.value)));
  }

  Result<Node> translate(const plan::Between& what) {
    if (is_id(what.field)) {
      return key_between(what);
    }
    const plan::Scalar low = prepared(what.low, what.exact);
    const plan::Scalar high = prepared(what.high, what.exact);
    const Limits limits = {search::Bound{to_term(low)}, search::Bound{to_term(high)}};
    const auto low_date = plan::date_of(what.low);
    const auto high_date = plan::date_of(what.high);
    std::optional<Limits> dates;
    if (low_date.has_value() && high_date.has_value()) {
      dates = Limits{search::Bound{to_term(*low_date)}, search::Bound{to_term(*high_date)}};
    }
    return ranged(what.field, what.exact, limits, std::move(dates));
  }

  Result<Node> translate(const plan::In& what) {
    const bool all = what.mode == query::InMode::kAll;
    if (is_id(what.field)) {
      return keys_in(what, all);
    }
    search::TermIn found{use(what.field, what.exact), {}, all};
    for (const plan::Scalar& value : what.values) {
      found.terms.push_back(to_term(prepared(value, what.exact)));
    }
    return node(std::move(found));
  }

  Result<Node> translate(const plan::Exists& what) {
    if (is_id(what.field)) {
      return node(search::All{});
    }
    return node(search::Exists{use(what.field, false)});
  }

  Result<Node> translate(const plan::TextMatch& what) {
    using Kind = plan::TextMatch::Kind;
    const bool exact = what.exact && !is_id(what.field);
    std::string text = exact ? what.text : value::fold_case(what.text);
    if (is_id(what.field) && what.kind == Kind::kStartsWith) {
      return node(search::KeyPrefix{std::move(text)});
    }
    std::string field = use(what.field, exact);
    switch (what.kind) {
      case Kind::kStartsWith:
        return node(search::Prefix{std::move(field), std::move(text)});
      case Kind::kEndsWith:
        return node(search::Suffix{std::move(field), std::move(text)});
      case Kind::kRegex:
        return node(search::Regex{std::move(field), what.text, !exact});
      case Kind::kFuzzy:
        break;
    }
    is_scored_ = true;
    const std::uint32_t edits = fuzzy_edits(text, what.similarity);
    return node(search::Fuzzy{std::move(field), std::move(text), edits});
  }

  Result<Node> translate(const plan::Search& what);

  Result<Node> translate(const plan::Combine& what) {
    std::vector<Node> terms;
    for (const plan::Condition& term : what.terms) {
      RK_TRY_ASSIGN(Node translated, condition(term));
      terms.push_back(std::move(translated));
    }
    return what.op == query::LogicalOperator::kAnd ? node(search::And{std::move(terms)})
                                                   : node(search::Or{std::move(terms)});
  }

  Result<Node> translate(const plan::Negation& what) {
    RK_TRY_ASSIGN(Node term, condition(*what.term));
    return negated(std::move(term));
  }

  Result<Node> translate(const plan::Boost& what) {
    is_scored_ = true;
    RK_TRY_ASSIGN(Node term, condition(*what.term));
    return node(search::Boost{std::make_unique<Node>(std::move(term)), what.factor});
  }

  // Notes the use of a field and gives the name of the index field that holds it.
  std::string use(const plan::Field& field, bool exact, bool words = false) {
    merge_fields(fields_, {{.field = field, .search = words, .exact = exact, .plain = !words}});
    if (words) {
      return search_field(field);
    }
    return exact ? exact_field(field) : scalar_field(field);
  }

  static plan::Scalar prepared(const plan::Scalar& value, bool exact) {
    return exact ? value : plan::folded(value);
  }

  static std::optional<Limits> date_limits(CompareOperator op,
                                           const std::optional<value::Date>& date) {
    if (!date.has_value()) {
      return std::nullopt;
    }
    return narrowed({}, op, to_term(*date));
  }

  // Values between the limits. Where those are dates, a field that holds any date is compared by
  // its dates alone, by time.
  Result<Node> ranged(const plan::Field& field, bool exact, Limits limits,
                      std::optional<Limits> dates) {
    const std::string name = use(field, exact);
    if (!dates.has_value() || exact) {
      return range(name, std::move(limits));
    }
    std::vector<Node> texts;
    texts.push_back(range(name, std::move(limits)));
    texts.push_back(negated(node(search::Exists{time_field(field)})));
    std::vector<Node> either;
    either.push_back(range(time_field(field), std::move(*dates)));
    either.push_back(node(search::And{std::move(texts)}));
    return node(search::Or{std::move(either)});
  }

  // Ids are strings: no value of another kind equals, precedes or follows one.
  static Result<Node> by_key(const plan::Compare& what) {
    const std::string* text = text_of(what.value);
    if (text == nullptr) {
      return node(search::None{});
    }
    const std::string key = value::fold_case(*text);
    if (what.op == CompareOperator::kEqual) {
      return node(search::KeyIn{{key}});
    }
    Limits limits = narrowed({}, what.op, key);
    return node(search::KeyRange{std::move(limits.low), std::move(limits.high)});
  }

  static Result<Node> key_between(const plan::Between& what) {
    const std::string* low = text_of(what.low);
    const std::string* high = text_of(what.high);
    if (low == nullptr || high == nullptr) {
      return node(search::None{});
    }
    return node(search::KeyRange{search::Bound{value::fold_case(*low)},
                                 search::Bound{value::fold_case(*high)}});
  }

  static Result<Node> keys_in(const plan::In& what, bool all) {
    std::vector<std::string> keys;
    bool has_other = false;
    for (const plan::Scalar& one : what.values) {
      if (const std::string* text = text_of(one); text != nullptr) {
        keys.push_back(value::fold_case(*text));
      } else {
        has_other = true;
      }
    }
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    if (!all) {
      return node(search::KeyIn{std::move(keys)});
    }
    if (has_other || keys.size() > 1) {
      return node(search::None{});
    }
    return keys.empty() ? node(search::All{}) : node(search::KeyIn{std::move(keys)});
  }

  Result<Node> proximity(const plan::Search& what, std::string field);
  Node word(std::string_view word, const std::string& field);

  std::vector<IndexedField> fields_;
  search::Analyzer analyzer_;
  bool is_scored_ = false;
};

bool has_wildcard(std::string_view text) {
  return text.find_first_of("*?") != std::string_view::npos;
}

// Words at blanks; what is in double quotes is one.
std::vector<std::string_view> split_words(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n\f\v";
  std::vector<std::string_view> words;
  std::size_t at = text.find_first_not_of(kBlank);
  while (at != std::string_view::npos) {
    if (text[at] == '"') {
      const std::size_t end = std::min(text.find('"', at + 1), text.size());
      words.push_back(text.substr(at + 1, end - at - 1));
      at = end >= text.size() ? std::string_view::npos : text.find_first_not_of(kBlank, end + 1);
    } else {
      const std::size_t end = std::min(text.find_first_of(kBlank, at), text.size());
      words.push_back(text.substr(at, end - at));
      at = text.find_first_not_of(kBlank, end);
    }
  }
  return words;
}

// One word as it was written: a pattern, a word, or a phrase where the analyzer sees several.
Node Translator::word(std::string_view word, const std::string& field) {
  if (has_wildcard(word)) {
    if (word.find_first_not_of('*') == std::string_view::npos) {
      return node(search::Exists{field});
    }
    return node(search::Wildcard{field, value::fold_case(word)});
  }
  std::vector<search::Token> tokens = analyzer_.analyze(word);
  if (tokens.empty()) {
    return node(search::None{});
  }
  if (tokens.size() == 1) {
    return node(search::TermIs{field, search::string_term(tokens.front().text)});
  }
  return node(search::Phrase{field, std::move(tokens), 0});
}

Result<Node> Translator::proximity(const plan::Search& what, std::string field) {
  const std::string at = " at " + query::to_string(what.at);
  if (has_wildcard(what.terms)) {
    return Error(ErrorCode::invalid_query,
                 "Proximity search works only on simple string terms, not wildcard ones," + at);
  }
  std::vector<search::Token> tokens = analyzer_.analyze(what.terms);
  if (tokens.size() < 2) {
    return Error(ErrorCode::invalid_query,
                 "Proximity search works only on multiple search terms," + at);
  }
  return node(search::Phrase{std::move(field), std::move(tokens), *what.proximity});
}

Result<Node> Translator::translate(const plan::Search& what) {
  is_scored_ = true;
  // Ids are words as well where someone looks for words in them.
  std::string field = use(what.field, false, true);
  if (what.proximity.has_value()) {
    return proximity(what, std::move(field));
  }
  std::vector<Node> terms;
  for (const std::string_view one : split_words(what.terms)) {
    Node found = word(one, field);
    // A stop word asks nothing.
    if (!std::holds_alternative<search::None>(found.what)) {
      terms.push_back(std::move(found));
    }
  }
  if (terms.empty()) {
    return node(search::None{});
  }
  if (terms.size() == 1) {
    return std::move(terms.front());
  }
  return what.op == query::LogicalOperator::kAnd ? node(search::And{std::move(terms)})
                                                 : node(search::Or{std::move(terms)});
}

std::size_t code_points(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

}  // namespace

Result<void> check_field_count(const std::vector<IndexedField>& fields) {
  if (fields.size() <= kQueryFieldsMax) {
    return {};
  }
  return Error(ErrorCode::invalid_query,
               "the query asks of more than " + std::to_string(kQueryFieldsMax) +
                   " fields, which is what one query may: an index must hold them all");
}

Result<Translation> translate(const plan::Condition& condition) {
  Translator translator;
  RK_TRY_ASSIGN(Node where, translator.condition(condition));
  return Translation{std::move(where), translator.take_fields(), translator.is_scored()};
}

bool is_by_id(const plan::Condition& condition) {
  if (const auto* compare = std::get_if<plan::Compare>(&condition.what); compare != nullptr) {
    return is_id(compare->field) && compare->op == CompareOperator::kEqual;
  }
  if (const auto* in = std::get_if<plan::In>(&condition.what); in != nullptr) {
    return is_id(in->field) && in->mode == query::InMode::kAny;
  }
  const auto* text = std::get_if<plan::TextMatch>(&condition.what);
  return text != nullptr && is_id(text->field) && text->kind == plan::TextMatch::Kind::kStartsWith;
}

std::uint32_t fuzzy_edits(std::string_view text, double similarity) {
  const double allowed = (1.0 - similarity) * static_cast<double>(code_points(text));
  const double edits = std::ceil(allowed) - 1.0;
  return static_cast<std::uint32_t>(
      std::clamp(edits, 0.0, static_cast<double>(search::kFuzzyEditsMax)));
}

}  // namespace rookery::index
