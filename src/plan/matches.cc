// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>

#include <re2/re2.h>

#include "rookery/plan/condition.h"
#include "rookery/value/text.h"

namespace rookery::plan {

namespace {

using query::CompareOperator;

// What a field has in one document, as one condition sees it.
struct Values {
  bool exists = false;
  std::vector<Scalar> scalars;
};

[[nodiscard]] Values values_of(const DocumentFacts& document, const Field& field, bool exact) {
  Values values;
  const bool as_is = exact && field.kind != Field::Kind::kId;
  visit_values(document, field, [&](value::View view) {
    values.exists = true;
    if (auto scalar = to_scalar(view)) {
      values.scalars.push_back(as_is ? std::move(*scalar) : folded(std::move(*scalar)));
    }
  });
  return values;
}

[[nodiscard]] Scalar literal(const Scalar& value, const Field& field, bool exact) {
  return exact && field.kind != Field::Kind::kId ? value : folded(value);
}

struct Bound {
  const Scalar* value = nullptr;  // null: open
  bool inclusive = true;
};

template <typename T>
[[nodiscard]] bool within(const T& value, const T* low, bool low_inclusive, const T* high,
                          bool high_inclusive, const auto& less) {
  if (low != nullptr && (less(value, *low) || (!low_inclusive && !less(*low, value)))) {
    return false;
  }
  return high == nullptr || !(less(*high, value) || (!high_inclusive && !less(value, *high)));
}

// By time, if there is anything to compare by time; nullopt otherwise. Of texts as they are: folded
// ones are no dates.
[[nodiscard]] std::optional<bool> in_time_range(const DocumentFacts& document, const Field& field,
                                                const Bound& low, const Bound& high) {
  std::optional<value::Date> low_date;
  std::optional<value::Date> high_date;
  if (low.value != nullptr && !(low_date = date_of(*low.value))) {
    return std::nullopt;
  }
  if (high.value != nullptr && !(high_date = date_of(*high.value))) {
    return std::nullopt;
  }
  std::optional<bool> found;
  for (const Scalar& scalar : values_of(document, field, true).scalars) {
    if (const auto date = date_of(scalar)) {
      found = found.value_or(false) ||
              within(*date, low_date ? &*low_date : nullptr, low.inclusive,
                     high_date ? &*high_date : nullptr, high.inclusive, std::less<>());
    }
  }
  return found;
}

// The bounds are as they were written. Requires: one of them is not open.
[[nodiscard]] bool in_range(const DocumentFacts& document, const Field& field, bool exact,
                            const Bound& low, const Bound& high) {
  if (!exact && field.kind == Field::Kind::kPath) {
    if (const auto by_time = in_time_range(document, field, low, high)) {
      return *by_time;
    }
  }
  const Scalar low_value = literal(low.value != nullptr ? *low.value : *high.value, field, exact);
  const Scalar high_value = literal(high.value != nullptr ? *high.value : *low.value, field, exact);
  const Values values = values_of(document, field, exact);
  const auto less = [](const Scalar& a, const Scalar& b) { return compare(a, b) < 0; };
  return std::any_of(values.scalars.begin(), values.scalars.end(), [&](const Scalar& scalar) {
    return scalar_kind(scalar) == scalar_kind(low_value) &&
           within(scalar, low.value != nullptr ? &low_value : nullptr, low.inclusive,
                  high.value != nullptr ? &high_value : nullptr, high.inclusive, less);
  });
}

[[nodiscard]] bool has(const Values& values, const Scalar& wanted) {
  return std::any_of(values.scalars.begin(), values.scalars.end(),
                     [&](const Scalar& scalar) { return compare(scalar, wanted) == 0; });
}

[[nodiscard]] bool meets(const Compare& condition, const DocumentFacts& document) {
  const Bound bound{.value = &condition.value, .inclusive = true};
  const Bound strict{.value = &condition.value, .inclusive = false};
  const auto equal = [&] {
    return has(values_of(document, condition.field, condition.exact),
               literal(condition.value, condition.field, condition.exact));
  };
  const auto range = [&](const Bound& low, const Bound& high) {
    return in_range(document, condition.field, condition.exact, low, high);
  };
  switch (condition.op) {
    case CompareOperator::kEqual:
      return equal();
    case CompareOperator::kNotEqual:
      return !equal();
    case CompareOperator::kLess:
      return range({}, strict);
    case CompareOperator::kLessOrEqual:
      return range({}, bound);
    case CompareOperator::kGreater:
      return range(strict, {});
    case CompareOperator::kGreaterOrEqual:
      return range(bound, {});
  }
  return false;
}

[[nodiscard]] bool meets(const Between& condition, const DocumentFacts& document) {
  return in_range(document, condition.field, condition.exact, {.value = &condition.low},
                  {.value = &condition.high});
}

[[nodiscard]] bool meets(const In& condition, const DocumentFacts& document) {
  const Values values = values_of(document, condition.field, condition.exact);
  const auto is_there = [&](const Scalar& value) {
    return has(values, literal(value, condition.field, condition.exact));
  };
  const auto& listed = condition.values;
  return condition.mode == query::InMode::kAny
             ? std::any_of(listed.begin(), listed.end(), is_there)
             : std::all_of(listed.begin(), listed.end(), is_there);
}

[[nodiscard]] Result<bool> meets(const TextMatch& condition, const DocumentFacts& document) {
  const Values values = values_of(document, condition.field, condition.exact);
  const auto any_text = [&](const auto& accepts) {
    return std::any_of(values.scalars.begin(), values.scalars.end(), [&](const Scalar& scalar) {
      const auto* const text = std::get_if<std::string>(&scalar);
      return text != nullptr && accepts(std::string_view(*text));
    });
  };
  const bool as_is = condition.exact && condition.field.kind != Field::Kind::kId;
  switch (condition.kind) {
    case TextMatch::Kind::kStartsWith: {
      const std::string wanted = as_is ? condition.text : value::fold_case(condition.text);
      return any_text([&](std::string_view text) { return text.starts_with(wanted); });
    }
    case TextMatch::Kind::kEndsWith: {
      const std::string wanted = as_is ? condition.text : value::fold_case(condition.text);
      return any_text([&](std::string_view text) { return text.ends_with(wanted); });
    }
    case TextMatch::Kind::kRegex: {
      RE2::Options options(RE2::Quiet);
      options.set_case_sensitive(as_is);
      const RE2 pattern(condition.text, options);
      return any_text([&](std::string_view text) {
        return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), pattern);
      });
    }
    case TextMatch::Kind::kFuzzy:
      break;
  }
  return Error(ErrorCode::not_supported, "fuzzy() needs an analyzer");
}

[[nodiscard]] Result<bool> meets(const Combine& condition, const DocumentFacts& document) {
  const bool decides = condition.op == query::LogicalOperator::kOr;
  for (const Condition& term : condition.terms) {
    RK_TRY_ASSIGN(const bool met, matches(term, document));
    if (met == decides) {
      return decides;
    }
  }
  return !decides;
}

[[nodiscard]] Result<bool> meets(const Negation& condition, const DocumentFacts& document) {
  RK_TRY_ASSIGN(const bool met, matches(*condition.term, document));
  return !met;
}

[[nodiscard]] Result<bool> meets(const Boost& condition, const DocumentFacts& document) {
  return matches(*condition.term, document);
}

[[nodiscard]] bool meets(const Exists& condition, const DocumentFacts& document) {
  return values_of(document, condition.field, true).exists;
}

[[nodiscard]] bool meets(const Constant& condition, const DocumentFacts& /*document*/) {
  return condition.value;
}

[[nodiscard]] Result<bool> meets(const Search& /*condition*/, const DocumentFacts& /*document*/) {
  return Error(ErrorCode::not_supported, "search() needs an analyzer");
}

}  // namespace

// Depth of recursion is that of the query's tree, which the parser bounds.
Result<bool> matches(const Condition& condition, const DocumentFacts& document) {
  return std::visit([&](const auto& what) -> Result<bool> { return meets(what, document); },
                    condition.what);
}

}  // namespace rookery::plan
