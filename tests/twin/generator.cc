// SPDX-License-Identifier: Apache-2.0
#include "generator.h"

#include <utility>

namespace rookery::twin {

namespace {

using query::Expression;
using query::Method;

[[nodiscard]] Expression expression(Expression::Node node) {
  return {.at = {}, .node = std::move(node)};
}

[[nodiscard]] query::Path parse_path(std::string_view text) {
  query::Path path;
  while (!text.empty()) {
    const std::size_t dot = text.find('.');
    std::string_view part = text.substr(0, dot);
    text = dot == std::string_view::npos ? std::string_view() : text.substr(dot + 1);
    query::PathSegment segment;
    const std::size_t bracket = part.find('[');
    segment.name = part.substr(0, bracket);
    if (bracket != std::string_view::npos) {
      query::Subscript subscript;
      if (part[bracket + 1] != ']') {
        subscript.index = static_cast<std::uint32_t>(part[bracket + 1] - '0');
      }
      segment.subscripts.push_back(subscript);
    }
    path.segments.push_back(std::move(segment));
  }
  return path;
}

}  // namespace

const Generator::Choice& Generator::choose() {
  static const std::vector<Choice> kChoices = {{"a", Pool::kNumbers},
                                               {"a", Pool::kNumbers},
                                               {"s", Pool::kTexts},
                                               {"s", Pool::kTexts},
                                               {"d", Pool::kDates},
                                               {"d", Pool::kDates},
                                               {"t", Pool::kProse},
                                               {"n.x", Pool::kNumbers},
                                               {"n.y.z", Pool::kTexts},
                                               {"n", Pool::kAnything},
                                               {"l[].p", Pool::kNumbers},
                                               {"l.q", Pool::kTexts},
                                               {"l[0].p", Pool::kNumbers},
                                               {"l", Pool::kAnything},
                                               {"g", Pool::kTags},
                                               {"g[]", Pool::kTags},
                                               {"g[1]", Pool::kTags},
                                               {"z", Pool::kAnything},
                                               {"z", Pool::kAnything},
                                               {"none", Pool::kAnything},
                                               {"@metadata.tag", Pool::kTags},
                                               {"@metadata.@collection", Pool::kTexts},
                                               {"@metadata.@id", Pool::kIds},
                                               {"id()", Pool::kIds}};
  return pick(kChoices);
}

Json Generator::number() {
  static const std::vector<Json> kNumbers = {0,
                                             1,
                                             2,
                                             3,
                                             -1,
                                             -2,
                                             5,
                                             10,
                                             1.5,
                                             -2.5,
                                             2.0,
                                             0.5,
                                             -0.0,
                                             1e300,
                                             -1e300,
                                             1e-300,
                                             9007199254740992,
                                             9007199254740993,
                                             9007199254740992.0,
                                             INT64_MAX,
                                             INT64_MIN,
                                             9223372036854775808.0};
  return pick(kNumbers);
}

Json Generator::text() {
  static const std::vector<Json> kTexts = {
      "ann",          "Ann",  "ANN",  "bob", "Bob b", "bo",  "",       "\u00e9",     "\u00c9",
      "z10",          "z9",   "Z9a",  "a b", "ab",    "5",   "null",   "true",       "o'x",
      "\u03a3\u03c2", "a\\b", "x\"y", "as",  "Bs",    "a.b", "\u1e9e", "\U0001F600", "\uffee"};
  return pick(kTexts);
}

Json Generator::date_text() {
  static const std::vector<Json> kDates = {"2020-06-01",
                                           "2020-06-01T00:00:00",
                                           "2020-06-01T00:00:00Z",
                                           "2020-06-01T00:00:00.0000000Z",
                                           "2020-06-01T00:00:00.0000001Z",
                                           "2020-06-01T02:00:00+02:00",
                                           "2020-05-31T20:00:00-05:00",
                                           "2019-12-31T23:59:59.9999999Z",
                                           "2020-02-30",
                                           "2020-02-29",
                                           "2021",
                                           "9999-12-31T23:59:59.9999999",
                                           "0001-01-01T00:00:00.0000000",
                                           "1969-12-31T23:59:59Z",
                                           "2020-06-01t00:00:00z",
                                           "soon"};
  return pick(kDates);
}

std::string Generator::prose() {
  static const std::vector<std::string> kWords = {"red",  "fox",   "bear",  "wolf", "redder",
                                                  "deer", "Brown", "quick", "foxy"};
  std::string text;
  for (std::uint64_t i = prng_.below(5); i > 0; --i) {
    text += (text.empty() ? "" : (prng_.chance(4) ? ", " : " ")) + pick(kWords);
  }
  return text;
}

Json Generator::scalar() {
  switch (prng_.below(8)) {
    case 0:
      return nullptr;
    case 1:
      return prng_.chance(2);
    case 2:
      return date_text();
    case 3:
    case 4:
      return text();
    default:
      return number();
  }
}

Json Generator::anything(int depth) {
  if (depth == 0 || prng_.chance(2)) {
    return scalar();
  }
  Json value = prng_.chance(3) ? Json::object() : Json::array();
  for (std::uint64_t i = prng_.below(4); i > 0; --i) {
    if (value.is_array()) {
      value.push_back(anything(depth - 1));
    } else {
      value[std::string(1, static_cast<char>('p' + static_cast<char>(prng_.below(10))))] =
          anything(depth - 1);
    }
  }
  return value;
}

Json Generator::usual(Pool pool) {
  switch (pool) {
    case Pool::kNumbers:
      return number();
    case Pool::kTexts:
      return text();
    case Pool::kDates:
      return date_text();
    case Pool::kProse:
      return prose();
    case Pool::kIds:
      return id();
    case Pool::kTags:
    case Pool::kAnything:
      break;
  }
  return scalar();
}

Json Generator::from_pool(Pool pool) {
  return prng_.chance(8) ? scalar() : usual(pool);
}

std::string Generator::id() {
  return prng_.chance(3) ? "bs/" + std::to_string(prng_.below(6))
                         : "as/" + std::to_string(prng_.below(14));
}

Document Generator::document() {
  Document document;
  document.id = id();
  document.collection = document.id[0] == 'a' ? "As" : "Bs";
  Json body = Json::object();
  const auto add = [&](const char* name, const auto& make) {
    if (!prng_.chance(5)) {
      body[name] = prng_.chance(12) ? anything(2) : Json(make());
    }
  };
  add("a", [&] { return number(); });
  add("s", [&] { return text(); });
  add("d", [&] { return prng_.chance(5) ? Json{date_text(), date_text()} : date_text(); });
  add("t", [&] { return prng_.chance(6) ? Json{prose(), prose()} : Json(prose()); });
  add("n", [&] {
    Json object = {{"x", number()}};
    object["y"]["z"] = text();
    return object;
  });
  add("l", [&] {
    Json lines = Json::array();
    for (std::uint64_t i = prng_.below(4); i > 0; --i) {
      lines.push_back({{"p", number()}, {"q", prng_.chance(4) ? Json{text(), text()} : text()}});
    }
    return lines;
  });
  add("g", [&] {
    Json all = Json::array();
    for (std::uint64_t i = prng_.below(4); i > 0; --i) {
      all.push_back(prng_.chance(8) ? anything(2) : scalar());
    }
    return all;
  });
  add("z", [&] { return anything(3); });
  if (prng_.chance(2)) {
    body["@metadata"]["tag"] = anything(1);
  }
  document.body = std::move(body);
  return document;
}

Expression Generator::field(const Choice& choice) {
  if (choice.path == "id()") {
    if (!alias_.empty() && prng_.chance(2)) {
      return call(Method::kId, "id",
                  {expression(query::Field{{{query::PathSegment{alias_, {}}}}})});
    }
    return call(Method::kId, "id", {});
  }
  query::Path path = parse_path(choice.path);
  if (!alias_.empty() && !prng_.chance(4)) {
    path.segments.insert(path.segments.begin(), query::PathSegment{alias_, {}});
  }
  return expression(query::Field{std::move(path)});
}

Expression Generator::literal(Json value) {
  if (prng_.chance(3)) {
    const std::string name = "p" + std::to_string(parameters_.size());
    parameters_[name] = std::move(value);
    return expression(query::Parameter{name});
  }
  if (value.is_null()) {
    return expression(query::Null{});
  }
  if (value.is_boolean()) {
    return expression(query::Boolean{value.get<bool>()});
  }
  if (value.is_number()) {
    return expression(query::Number{value.dump(), value.is_number_integer()});
  }
  return expression(query::String{value.get<std::string>()});
}

Expression Generator::call(Method method, std::string_view name,
                           std::vector<Expression> arguments) {
  query::Call call{.method = method, .name = std::string(name), .arguments = {}, .rest = {}};
  for (Expression& argument : arguments) {
    call.arguments.push_back({std::move(argument), std::nullopt});
  }
  return expression(std::move(call));
}

Expression Generator::comparison() {
  const Choice& choice = choose();
  const auto op = static_cast<query::CompareOperator>(prng_.below(6));
  return expression(query::Comparison{field(choice), op, literal(from_pool(choice.pool))});
}

Expression Generator::between() {
  const Choice& choice = choose();
  Json low = from_pool(choice.pool);
  Json high = from_pool(choice.pool);
  while (kind(low) != kind(high)) {
    high = prng_.chance(2) ? from_pool(choice.pool) : scalar();
  }
  return expression(
      query::Between{field(choice), literal(std::move(low)), literal(std::move(high))});
}

Expression Generator::in() {
  const Choice& choice = choose();
  query::In in{.subject = field(choice),
               .mode = prng_.chance(3) ? query::InMode::kAll : query::InMode::kAny,
               .values = {}};
  for (std::uint64_t i = prng_.below(4); i > 0; --i) {
    if (prng_.chance(4)) {
      const std::string name = "p" + std::to_string(parameters_.size());
      Json list = Json::array();
      for (std::uint64_t j = prng_.below(3); j > 0; --j) {
        list.push_back(from_pool(choice.pool));
      }
      parameters_[name] = std::move(list);
      in.values.push_back(expression(query::Parameter{name}));
    } else {
      in.values.push_back(literal(from_pool(choice.pool)));
    }
  }
  return expression(std::move(in));
}

Expression Generator::text_condition() {
  static const std::vector<std::string> kParts = {"",  "a",  "An", "B",    "\u00e9", "z1",  "n",
                                                  "9", "b ", "'",  "as/1", "\u03c3", "2020"};
  static const std::vector<std::string> kPatterns = {"^a",  "b$",        "ann|bob", "[a-c]n",
                                                     "o+b", "^z[0-9]+$", "^$",      "\\d\\d"};
  const Choice& choice = choose();
  switch (prng_.below(3)) {
    case 0:
      return call(Method::kStartsWith, "startsWith", {field(choice), literal(pick(kParts))});
    case 1:
      return call(Method::kEndsWith, "endsWith", {field(choice), literal(pick(kParts))});
    default:
      return call(Method::kRegex, "regex", {field(choice), literal(pick(kPatterns))});
  }
}

Expression Generator::search() {
  static const Choice kProse = {"t", Pool::kProse};
  scores_ = true;
  std::string terms = prose();
  if (prng_.chance(4)) {
    terms += (terms.empty() ? "" : " ") + std::string(prng_.chance(2) ? "red*" : "fo*");
  }
  for (char& c : terms) {
    c = c == ',' ? ' ' : c;
  }
  std::vector<Expression> arguments = {field(kProse), literal(terms)};
  if (prng_.chance(2)) {
    arguments.push_back(expression(query::OperatorWord{
        prng_.chance(2) ? query::LogicalOperator::kAnd : query::LogicalOperator::kOr}));
  }
  return call(Method::kSearch, "search", std::move(arguments));
}

Expression Generator::logical(int depth) {
  query::Logical logical;
  logical.op = prng_.chance(3) ? query::LogicalOperator::kOr : query::LogicalOperator::kAnd;
  for (std::uint64_t i = 2 + prng_.below(2); i > 0; --i) {
    Expression term = condition(depth - 1);
    if (!logical.terms.empty() && prng_.chance(4)) {
      term = expression(query::Not{std::move(term)});
    }
    logical.terms.push_back(std::move(term));
  }
  return expression(std::move(logical));
}

Expression Generator::condition(int depth) {
  if (depth > 0 && prng_.chance(2)) {
    return logical(depth);
  }
  switch (prng_.below(20)) {
    case 0:
      return expression(query::Boolean{!prng_.chance(3)});
    case 1:
    case 2:
      return call(Method::kExists, "exists", {field(choose())});
    case 3:
    case 4:
    case 5:
      return between();
    case 6:
    case 7:
    case 8:
      return in();
    case 9:
    case 10:
      return text_condition();
    case 11:
      return search();
    case 12:
    case 13: {
      static const std::vector<int> kKinds = {0, 1, 2, 3};
      const int what = pick(kKinds);
      return call(Method::kExact, "exact",
                  {what == 0   ? between()
                   : what == 1 ? in()
                   : what == 2 ? text_condition()
                               : comparison()});
    }
    case 14:
      scores_ = true;
      return call(Method::kBoost, "boost", {comparison(), literal(2)});
    default:
      return comparison();
  }
}

void Generator::add_order(query::Query& query) {
  static const std::vector<Choice> kTexts = {{"s", Pool::kTexts}, {"n.y.z", Pool::kTexts}};
  for (std::uint64_t i = 1 + prng_.below(2); i > 0; --i) {
    query::OrderTerm term{.value = field(choose()),
                          .type = std::nullopt,
                          .descending = prng_.chance(2),
                          .nulls = std::nullopt};
    const bool is_id = std::holds_alternative<query::Call>(term.value.node);
    if (!is_id && prng_.chance(4)) {
      term.type = prng_.chance(2) ? query::OrderType::kLong : query::OrderType::kDouble;
    } else if (prng_.chance(5)) {
      term.value = field(pick(kTexts));
      term.type = prng_.chance(2) ? query::OrderType::kString : query::OrderType::kAlphaNumeric;
    }
    if (!std::holds_alternative<query::Call>(term.value.node) && prng_.chance(6)) {
      term.nulls = prng_.chance(2) ? query::NullsPlacement::kFirst : query::NullsPlacement::kLast;
    }
    query.order_by.push_back(std::move(term));
  }
}

void Generator::add_page(query::Query& query) {
  if (!prng_.chance(4)) {
    query.limit = literal(prng_.below(6));
  }
  if (prng_.chance(2)) {
    query.offset = literal(prng_.below(5));
  }
}

void Generator::add_select(query::Query& query) {
  query::Select select{.at = {}, .distinct = prng_.chance(3), .what = {}};
  std::vector<query::SelectItem> items;
  for (std::uint64_t i = 1 + prng_.below(2); i > 0; --i) {
    items.push_back({field(choose()), "c" + std::to_string(i)});
  }
  if (prng_.chance(2)) {
    items.resize(1, items[0]);
    items[0].alias.reset();
  }
  select.what = std::move(items);
  query.select = std::move(select);
}

Question Generator::question() {
  static const std::vector<std::string> kSources = {"As", "As", "as", "Bs", "bS", "Cs"};
  Question question;
  parameters_ = Json::object();
  scores_ = false;
  alias_ = prng_.chance(3) ? "u" : "";
  query::Query& query = question.query;
  if (prng_.chance(8)) {
    query.from.source = query::From::Source::kAllDocuments;
  } else {
    query.from.name = prng_.chance(20) ? pick(kSources) : kSources[prng_.below(4)];
  }
  if (!alias_.empty()) {
    query.from.alias = alias_;
  }
  if (!prng_.chance(12)) {
    query.where = condition(2);
  }
  if (prng_.chance(2)) {
    add_order(query);
  }
  if ((!scores_ || !query.order_by.empty()) && prng_.chance(3)) {
    add_page(query);
  }
  if (prng_.chance(6)) {
    add_select(query);
  }
  question.parameters = std::move(parameters_);
  return question;
}

}  // namespace rookery::twin
