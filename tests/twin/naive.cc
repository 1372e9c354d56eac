// SPDX-License-Identifier: Apache-2.0
#include "naive.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <stdexcept>
#include <utility>

namespace rookery::twin {

namespace {

using query::CompareOperator;
using query::Expression;
using query::Method;

using Values = std::vector<Json>;

[[noreturn]] void unknown(const std::string& what) {
  throw std::logic_error("the naive evaluator does not know " + what);
}

using Pointers = std::vector<const Json*>;

void flatten(const Json& value, Pointers& out) {
  if (value.is_array() && !value.empty()) {
    for (const Json& element : value) {
      flatten(element, out);
    }
  } else {
    out.push_back(&value);
  }
}

// What a path reaches, arrays at the end whole. `many` becomes true if it leads through one.
void reach(const Json& value, const std::vector<query::PathSegment>& path, std::size_t at,
           Pointers& out, bool& many) {
  if (at == path.size()) {
    out.push_back(&value);
    return;
  }
  if (value.is_array()) {
    many = true;
    for (const Json& element : value) {
      reach(element, path, at, out, many);
    }
    return;
  }
  if (!value.is_object() || !value.contains(path[at].name)) {
    return;
  }
  Pointers reached = {&value[path[at].name]};
  for (const query::Subscript& subscript : path[at].subscripts) {
    Pointers next;
    for (const Json* one : reached) {
      if (subscript.index) {
        if (one->is_array() && *subscript.index < one->size()) {
          next.push_back(&(*one)[*subscript.index]);
        }
      } else if (one->is_array() && !(one->empty() && at + 1 == path.size())) {
        many = true;
        for (const Json& element : *one) {
          next.push_back(&element);
        }
      } else {
        next.push_back(one);
      }
    }
    reached = std::move(next);
  }
  for (const Json* one : reached) {
    reach(*one, path, at + 1, out, many);
  }
}

class Evaluator {
 public:
  Evaluator(const query::Query& query, const Json& parameters)
      : query_(query), parameters_(parameters) {}

  [[nodiscard]] bool matches(const Expression& expression, const Document& document, bool exact) {
    if (const auto* boolean = std::get_if<query::Boolean>(&expression.node)) {
      return boolean->value;
    }
    if (const auto* logical = std::get_if<query::Logical>(&expression.node)) {
      const bool is_and = logical->op == query::LogicalOperator::kAnd;
      for (const Expression& term : logical->terms) {
        if (matches(term, document, exact) != is_and) {
          return !is_and;
        }
      }
      return is_and;
    }
    if (const auto* negation = std::get_if<query::Not>(&expression.node)) {
      return !matches(*negation->term, document, exact);
    }
    if (const auto* comparison = std::get_if<query::Comparison>(&expression.node)) {
      return compare(*comparison, document, exact);
    }
    if (const auto* between = std::get_if<query::Between>(&expression.node)) {
      const Json low = value(*between->low);
      const Json high = value(*between->high);
      return in_range(*between->subject, document, exact, &low, true, &high, true);
    }
    if (const auto* in = std::get_if<query::In>(&expression.node)) {
      return is_in(*in, document, exact);
    }
    if (const auto* call = std::get_if<query::Call>(&expression.node)) {
      return this->call(*call, document, exact);
    }
    unknown("a condition of this kind");
  }

  // Whole values, as a projection shows them.
  [[nodiscard]] Json shown(const Expression& expression, const Document& document) {
    if (is_id(expression)) {
      return document.id;
    }
    const auto* field = std::get_if<query::Field>(&expression.node);
    if (field == nullptr) {
      return value(expression);
    }
    bool many = false;
    const Pointers all = whole(*field, document, many);
    if (!many) {
      return all.empty() ? Json(nullptr) : *all[0];
    }
    Json array = Json::array();
    for (const Json* one : all) {
      array.push_back(*one);
    }
    return array;
  }

  [[nodiscard]] std::string shown_name(const query::SelectItem& item) {
    if (item.alias) {
      return *item.alias;
    }
    if (is_id(item.value)) {
      return "id()";
    }
    const auto* field = std::get_if<query::Field>(&item.value.node);
    if (field == nullptr) {
      unknown("a literal without a name");
    }
    std::string name;
    for (const query::PathSegment& segment : without_alias(field->path)) {
      name += (name.empty() ? "" : ".") + segment.name;
      for (const query::Subscript& subscript : segment.subscripts) {
        name += '[' + (subscript.index ? std::to_string(*subscript.index) : "") + ']';
      }
    }
    return name;
  }

  // Scalars only, folded: what an order looks at.
  [[nodiscard]] Values scalars(const Expression& expression, const Document& document) {
    return values(expression, document, false).scalars;
  }

  [[nodiscard]] Values listed(const query::In& in) {
    Values all;
    for (const Expression& expression : in.values) {
      const Json one = value(expression);
      if (one.is_array()) {
        all.insert(all.end(), one.begin(), one.end());
      } else {
        all.push_back(one);
      }
    }
    return all;
  }

  [[nodiscard]] static bool is_id(const Expression& expression) {
    const auto* call = std::get_if<query::Call>(&expression.node);
    return call != nullptr && call->method == Method::kId;
  }

  [[nodiscard]] Json value(const Expression& expression) {
    if (const auto* text = std::get_if<query::String>(&expression.node)) {
      return text->text;
    }
    if (const auto* number = std::get_if<query::Number>(&expression.node)) {
      return Json::parse(number->text);
    }
    if (const auto* boolean = std::get_if<query::Boolean>(&expression.node)) {
      return boolean->value;
    }
    if (std::holds_alternative<query::Null>(expression.node)) {
      return nullptr;
    }
    if (const auto* parameter = std::get_if<query::Parameter>(&expression.node)) {
      return parameters_.at(parameter->name);
    }
    unknown("a value of this kind");
  }

 private:
  struct Found {
    bool exists = false;
    Values scalars;
  };

  [[nodiscard]] std::vector<query::PathSegment> without_alias(const query::Path& path) const {
    std::vector<query::PathSegment> segments = path.segments;
    if (query_.from.alias && segments.size() > 1 && segments[0].name == *query_.from.alias) {
      segments.erase(segments.begin());
    }
    return segments;
  }

  // What is given lives until the next call.
  [[nodiscard]] Pointers whole(const query::Field& field, const Document& document, bool& many) {
    const std::vector<query::PathSegment> path = without_alias(field.path);
    Pointers all;
    if (path[0].name != "@metadata") {
      reach(document.body, path, 0, all, many);
      return all;
    }
    metadata_ = Json::object();
    Json& metadata = metadata_["@metadata"];
    metadata = document.body.contains("@metadata") ? document.body["@metadata"] : Json::object();
    metadata["@id"] = document.id;
    if (!document.collection.empty() && !metadata.contains("@collection")) {
      metadata["@collection"] = document.collection;
    }
    reach(metadata_, path, 0, all, many);
    return all;
  }

  [[nodiscard]] Found values(const Expression& expression, const Document& document, bool as_is) {
    Found found;
    if (is_id(expression)) {
      found.exists = true;
      found.scalars.emplace_back(fold(document.id));
      return found;
    }
    const auto* field = std::get_if<query::Field>(&expression.node);
    if (field == nullptr) {
      unknown("a field of this kind");
    }
    bool many = false;
    Pointers flat;
    for (const Json* one : whole(*field, document, many)) {
      flatten(*one, flat);
    }
    found.exists = !flat.empty();
    for (const Json* one : flat) {
      if (is_scalar(*one)) {
        found.scalars.push_back(as_is ? *one : folded(*one));
      }
    }
    return found;
  }

  [[nodiscard]] static bool any_equal(const Values& values, const Json& wanted) {
    return std::any_of(values.begin(), values.end(),
                       [&](const Json& one) { return order(one, wanted) == 0; });
  }

  [[nodiscard]] Json literal(const Expression& subject, Json value, bool exact) {
    return exact && !is_id(subject) ? value : folded(std::move(value));
  }

  [[nodiscard]] bool in_range(const Expression& subject, const Document& document, bool exact,
                              const Json* low, bool with_low, const Json* high, bool with_high) {
    const auto inside = [&](int against_low, int against_high) {
      return (low == nullptr || against_low > 0 || (with_low && against_low == 0)) &&
             (high == nullptr || against_high < 0 || (with_high && against_high == 0));
    };
    const auto sign_of = [](std::int64_t a, std::int64_t b) {
      return a < b ? -1 : (a > b ? 1 : 0);
    };
    const bool dates = !exact && !is_id(subject) && (low == nullptr || date(*low)) &&
                       (high == nullptr || date(*high));
    if (dates) {
      bool any_date = false;
      bool any_inside = false;
      for (const Json& one : values(subject, document, true).scalars) {
        if (const auto moment = date(one)) {
          any_date = true;
          any_inside = any_inside || inside(low != nullptr ? sign_of(*moment, *date(*low)) : 0,
                                            high != nullptr ? sign_of(*moment, *date(*high)) : 0);
        }
      }
      if (any_date) {
        return any_inside;
      }
    }
    const Json bottom = low != nullptr ? literal(subject, *low, exact) : Json();
    const Json top = high != nullptr ? literal(subject, *high, exact) : Json();
    const int wanted = kind(low != nullptr ? bottom : top);
    for (const Json& one : values(subject, document, exact && !is_id(subject)).scalars) {
      if (kind(one) == wanted &&
          inside(low != nullptr ? order(one, bottom) : 0, high != nullptr ? order(one, top) : 0)) {
        return true;
      }
    }
    return false;
  }

  [[nodiscard]] bool compare(const query::Comparison& comparison, const Document& document,
                             bool exact) {
    const Expression& subject = *comparison.left;
    const Json wanted = value(*comparison.right);
    switch (comparison.op) {
      case CompareOperator::kEqual:
        return any_equal(values(subject, document, exact && !is_id(subject)).scalars,
                         literal(subject, wanted, exact));
      case CompareOperator::kNotEqual:
        return !any_equal(values(subject, document, exact && !is_id(subject)).scalars,
                          literal(subject, wanted, exact));
      case CompareOperator::kLess:
        return in_range(subject, document, exact, nullptr, false, &wanted, false);
      case CompareOperator::kLessOrEqual:
        return in_range(subject, document, exact, nullptr, false, &wanted, true);
      case CompareOperator::kGreater:
        return in_range(subject, document, exact, &wanted, false, nullptr, false);
      default:
        return in_range(subject, document, exact, &wanted, true, nullptr, false);
    }
  }

  [[nodiscard]] bool is_in(const query::In& in, const Document& document, bool exact) {
    const Values wanted = listed(in);
    const Values has = values(*in.subject, document, exact && !is_id(*in.subject)).scalars;
    std::size_t found = 0;
    for (const Json& one : wanted) {
      found += any_equal(has, literal(*in.subject, one, exact)) ? 1U : 0U;
    }
    return in.mode == query::InMode::kAny ? found > 0 : found == wanted.size();
  }

  [[nodiscard]] bool call(const query::Call& call, const Document& document, bool exact) {
    const auto& argument = [&](std::size_t i) -> const Expression& {
      return *call.arguments.at(i).value;
    };
    switch (call.method) {
      case Method::kExact:
        return matches(argument(0), document, true);
      case Method::kBoost:
        return matches(argument(0), document, exact);
      case Method::kExists:
        return values(argument(0), document, true).exists;
      case Method::kStartsWith:
      case Method::kEndsWith:
      case Method::kRegex:
        return text_call(call.method, argument(0), value(argument(1)).get<std::string>(), document,
                         exact && !is_id(argument(0)));
      case Method::kSearch: {
        const bool all =
            call.arguments.size() == 3 &&
            std::get<query::OperatorWord>(argument(2).node).op == query::LogicalOperator::kAnd;
        return search(argument(0), value(argument(1)).get<std::string>(), all, document);
      }
      default:
        unknown(call.name + "()");
    }
  }

  [[nodiscard]] bool text_call(Method method, const Expression& subject, const std::string& wanted,
                               const Document& document, bool as_is) {
    const std::string text = as_is ? wanted : fold(wanted);
    for (const Json& one : values(subject, document, as_is).scalars) {
      if (!one.is_string()) {
        continue;
      }
      const auto has = one.get<std::string>();
      const bool found = method == Method::kStartsWith ? has.starts_with(text)
                         : method == Method::kEndsWith ? has.ends_with(text)
                                                       : regex_search(has, wanted, as_is);
      if (found) {
        return true;
      }
    }
    return false;
  }

  [[nodiscard]] bool regex_search(const std::string& text, const std::string& pattern, bool as_is) {
    if (pattern != pattern_ || as_is != pattern_as_is_) {
      pattern_ = pattern;
      pattern_as_is_ = as_is;
      regex_ = std::regex(pattern, as_is ? std::regex::ECMAScript : std::regex::icase);
    }
    return std::regex_search(text, regex_);
  }

  [[nodiscard]] bool search(const Expression& subject, const std::string& terms, bool all,
                            const Document& document) {
    std::vector<std::string> has;
    for (const Json& one : values(subject, document, true).scalars) {
      if (one.is_string()) {
        const std::vector<std::string> more = words(one.get<std::string>());
        has.insert(has.end(), more.begin(), more.end());
      }
    }
    // A star stands at the end of a word here, if anywhere.
    std::size_t wanted = 0;
    std::size_t found = 0;
    std::string term;
    for (const char c : terms + " ") {
      if (c != ' ') {
        term += c;
        continue;
      }
      if (!term.empty()) {
        ++wanted;
        const bool begins = term.back() == '*';
        const std::string plain = fold(begins ? term.substr(0, term.size() - 1) : term);
        found += std::any_of(has.begin(), has.end(),
                             [&](const std::string& word) {
                               return begins ? word.starts_with(plain) : word == plain;
                             })
                     ? 1U
                     : 0U;
      }
      term.clear();
    }
    return all ? wanted > 0 && found == wanted : found > 0;
  }

  const query::Query& query_;
  const Json& parameters_;
  Json metadata_;
  std::regex regex_;  // of pattern_
  std::string pattern_;
  bool pattern_as_is_ = false;
};

// One key of an order, for one document; nullopt if it is missing.
[[nodiscard]] std::optional<Json> sort_value(Evaluator& evaluator, const query::OrderTerm& term,
                                             const Document& document) {
  std::optional<Json> best;
  const bool numeric =
      term.type == query::OrderType::kLong || term.type == query::OrderType::kDouble;
  const bool textual =
      term.type == query::OrderType::kString || term.type == query::OrderType::kAlphaNumeric;
  for (Json one : evaluator.scalars(term.value, document)) {
    if (numeric && !one.is_number()) {
      continue;
    }
    if (term.type == query::OrderType::kLong && one.is_number_float()) {
      // What no long can hold is the one nearest to it.
      const double whole = std::trunc(one.get<double>());
      one = whole >= 9223372036854775808.0    ? Json(INT64_MAX)
            : whole <= -9223372036854775808.0 ? Json(INT64_MIN)
                                              : Json(static_cast<std::int64_t>(whole));
    }
    if (term.type == query::OrderType::kDouble) {
      one = one.get<double>();
    }
    if (textual && !one.is_null() && !one.is_string()) {
      one = text(one);
    }
    const auto less = [&](const Json& a, const Json& b) {
      if (term.type == query::OrderType::kAlphaNumeric && a.is_string() && b.is_string()) {
        return alphanumeric_order(a.get<std::string>(), b.get<std::string>()) < 0;
      }
      return order(a, b) < 0;
    };
    if (!best || (term.descending ? less(*best, one) : less(one, *best))) {
      best = std::move(one);
    }
  }
  return best;
}

[[nodiscard]] int sort_order(const query::OrderTerm& term, const std::optional<Json>& a,
                             const std::optional<Json>& b) {
  if (!a || !b) {
    if (a.has_value() == b.has_value()) {
      return 0;
    }
    const bool missing_first =
        term.nulls ? *term.nulls == query::NullsPlacement::kFirst : !term.descending;
    return a.has_value() == missing_first ? 1 : -1;
  }
  const bool alphanumeric =
      term.type == query::OrderType::kAlphaNumeric && a->is_string() && b->is_string();
  const int result = alphanumeric ? alphanumeric_order(a->get<std::string>(), b->get<std::string>())
                                  : order(*a, *b);
  return term.descending ? -result : result;
}

struct Match {
  const Document* document;
  std::vector<std::optional<Json>> keys;
};

[[nodiscard]] bool uses_scores(const Expression& expression) {
  if (const auto* call = std::get_if<query::Call>(&expression.node)) {
    if (call->method == Method::kSearch || call->method == Method::kBoost) {
      return true;
    }
    return std::any_of(call->arguments.begin(), call->arguments.end(),
                       [](const query::Argument& a) { return uses_scores(*a.value); });
  }
  if (const auto* negation = std::get_if<query::Not>(&expression.node)) {
    return uses_scores(*negation->term);
  }
  if (const auto* logical = std::get_if<query::Logical>(&expression.node)) {
    return std::any_of(logical->terms.begin(), logical->terms.end(), uses_scores);
  }
  return false;
}

// A condition on the id alone is answered in the order of the list, or of the ids: the rank of each
// match. Empty for any other query.
[[nodiscard]] std::map<std::string, std::size_t> ranks_by_id(const query::Query& query,
                                                             Evaluator& evaluator,
                                                             const std::vector<Match>& matches) {
  std::map<std::string, std::size_t> ranks;
  if (!query.where || !query.order_by.empty()) {
    return ranks;
  }
  const Expression* where = &*query.where;
  const auto* call = std::get_if<query::Call>(&where->node);
  while (call != nullptr && call->method == Method::kExact) {
    where = &*call->arguments.at(0).value;
    call = std::get_if<query::Call>(&where->node);
  }
  const bool starts = call != nullptr && call->method == Method::kStartsWith &&
                      Evaluator::is_id(*call->arguments.at(0).value);
  const auto* in = std::get_if<query::In>(&where->node);
  std::vector<std::string> ids;
  if (starts) {
    for (const Match& match : matches) {
      ids.push_back(fold(match.document->id));
    }
    std::sort(ids.begin(), ids.end());
  } else if (in != nullptr && in->mode == query::InMode::kAny && Evaluator::is_id(*in->subject)) {
    for (const Json& value : evaluator.listed(*in)) {
      ids.push_back(value.is_string() ? fold(value.get<std::string>()) : "");
    }
  }
  for (const Match& match : matches) {
    if (!ids.empty()) {
      const auto found = std::find(ids.begin(), ids.end(), fold(match.document->id));
      ranks[match.document->id] = static_cast<std::size_t>(found - ids.begin());
    }
  }
  return ranks;
}

[[nodiscard]] std::vector<Match> find(const query::Query& query, Evaluator& evaluator,
                                      const std::vector<Document>& documents) {
  std::vector<Match> matches;
  for (const Document& document : documents) {
    const bool in_source = query.from.source == query::From::Source::kAllDocuments ||
                           fold(document.collection) == fold(query.from.name);
    if (!in_source || (query.where && !evaluator.matches(*query.where, document, false))) {
      continue;
    }
    Match match{&document, {}};
    for (const query::OrderTerm& term : query.order_by) {
      match.keys.push_back(Evaluator::is_id(term.value) ? std::optional<Json>(fold(document.id))
                                                        : sort_value(evaluator, term, document));
    }
    matches.push_back(std::move(match));
  }
  const auto ranks = ranks_by_id(query, evaluator, matches);
  std::sort(matches.begin(), matches.end(), [&](const Match& a, const Match& b) {
    if (!ranks.empty()) {
      return ranks.at(a.document->id) < ranks.at(b.document->id);
    }
    for (std::size_t i = 0; i < query.order_by.size(); ++i) {
      if (const int result = sort_order(query.order_by[i], a.keys[i], b.keys[i]); result != 0) {
        return result < 0;
      }
    }
    return a.document->stamp < b.document->stamp;
  });
  return matches;
}

}  // namespace

Answer evaluate(const query::Query& query, const Json& parameters,
                const std::vector<Document>& documents) {
  Evaluator evaluator(query, parameters);
  const std::vector<Match> matches = find(query, evaluator, documents);
  Answer answer;
  answer.total = matches.size();
  answer.is_ordered = !query.order_by.empty() || !query.where || !uses_scores(*query.where);
  const auto* items =
      query.select ? std::get_if<std::vector<query::SelectItem>>(&query.select->what) : nullptr;
  const auto count = [&](const std::optional<Expression>& expression, std::size_t otherwise) {
    return expression ? evaluator.value(*expression).get<std::size_t>() : otherwise;
  };
  const std::size_t skip = count(query.offset, 0);
  const std::size_t take = count(query.limit, matches.size());
  std::set<std::string> seen;
  for (std::size_t i = 0; i < matches.size() && answer.rows.size() < take; ++i) {
    std::string row = matches[i].document->id;
    if (items != nullptr) {
      Json object = Json::object();
      for (const query::SelectItem& item : *items) {
        object[evaluator.shown_name(item)] = evaluator.shown(item.value, *matches[i].document);
      }
      row = object.dump();
    }
    // The start of a page counts matches, and rows before it are not shown again.
    const bool again = items != nullptr && query.select->distinct && !seen.insert(row).second;
    if (!again && i >= skip) {
      answer.rows.push_back(std::move(row));
    }
  }
  return answer;
}

}  // namespace rookery::twin
