// SPDX-License-Identifier: Apache-2.0
#include "entry.h"

#include <optional>
#include <utility>
#include <variant>

#include "rookery/base/canary.h"
#include "rookery/plan/scalar.h"

#include "field_names.h"
#include "terms.h"

namespace rookery::index {

namespace {

// Between the words of two texts of one field, so that no phrase spans them.
constexpr std::uint32_t kTextGap = 1000;

void append_words(search::Analyzer& analyzer, std::string_view text,
                  std::vector<search::Token>& tokens) {
  const std::uint32_t base = tokens.empty() ? 0 : tokens.back().position + kTextGap;
  for (search::Token& token : analyzer.analyze(text)) {
    token.position += base;
    tokens.push_back(std::move(token));
  }
}

search::FieldValues values_of(std::string_view field, bool is_text) {
  search::FieldValues values;
  values.field = field;
  values.is_text = is_text;
  return values;
}

}  // namespace

EntryBuilder::EntryBuilder(const Definition& definition) {
  for (const IndexedField& field : definition.fields) {
    sources_.push_back({field, scalar_field(field.field), exact_field(field.field),
                        search_field(field.field), time_field(field.field)});
  }
  if (canary(Canary::kIndexWideningDropsField) && sources_.size() > 1) {
    sources_.erase(sources_.begin());
  }
}

void EntryBuilder::add(const Source& source, const plan::DocumentFacts& document) {
  bool has_field = false;
  search::FieldValues scalars = values_of(source.scalars, false);
  search::FieldValues exact = values_of(source.exact, false);
  search::FieldValues words = values_of(source.search, true);
  search::FieldValues times = values_of(source.time, false);
  plan::visit_values(document, source.field.field, [&](value::View view) {
    has_field = true;
    std::optional<plan::Scalar> scalar = plan::to_scalar(view);
    if (!scalar.has_value()) {
      return;
    }
    if (source.field.exact) {
      exact.terms.push_back(to_term(*scalar));
    }
    if (const auto* text = std::get_if<std::string>(&*scalar); text != nullptr) {
      if (source.field.search) {
        append_words(analyzer_, *text, words.tokens);
      }
      if (const auto date = source.field.plain ? plan::date_of(*scalar) : std::nullopt;
          date.has_value()) {
        times.terms.push_back(to_term(*date));
      }
    } else if (source.field.search && !view.is_null()) {
      // Numbers and booleans are words as they are written.
      append_words(analyzer_, search::term_to_string(to_term(*scalar)), words.tokens);
    }
    if (source.field.plain) {
      scalars.terms.push_back(to_term(plan::folded(std::move(*scalar))));
    }
  });
  if (!has_field) {
    return;
  }
  if (source.field.plain) {
    values_.push_back(std::move(scalars));
  }
  if (source.field.exact) {
    values_.push_back(std::move(exact));
  }
  if (source.field.search) {
    values_.push_back(std::move(words));
  }
  if (!times.terms.empty()) {
    values_.push_back(std::move(times));
  }
}

std::span<const search::FieldValues> EntryBuilder::build(const plan::DocumentFacts& document) {
  values_.clear();
  for (const Source& source : sources_) {
    add(source, document);
  }
  return values_;
}

}  // namespace rookery::index
