// SPDX-License-Identifier: Apache-2.0
#include "order_key.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "rookery/base/check.h"
#include "rookery/base/checksum.h"

#include "term_layout.h"

namespace rookery::search {
namespace {

constexpr char kFirst = 0;
constexpr char kValue = 1;
constexpr char kLast = 2;

std::string big_endian(std::uint64_t value) {
  std::string bytes(sizeof(value), '\0');
  store_be64(reinterpret_cast<std::byte*>(bytes.data()), value);
  return bytes;
}

std::string order_of(double value) {
  const std::uint64_t sign = std::uint64_t{1} << 63U;
  // Equal values have equal keys: there is one zero.
  const auto bits = std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : value);
  return big_endian((bits & sign) != 0 ? ~bits : bits | sign);
}

std::string order_of(std::int64_t value) {
  return big_endian(std::bit_cast<std::uint64_t>(value) ^ std::uint64_t{1} << 63U);
}

std::int64_t truncated(std::string_view term) {
  if (const std::optional<std::int64_t> integer = term_integer(term)) {
    return *integer;
  }
  constexpr double kTwoTo63 = 9223372036854775808.0;
  const double value = std::trunc(term_number(term).value_or(0));
  if (value >= kTwoTo63) {
    return std::numeric_limits<std::int64_t>::max();
  }
  return value < -kTwoTo63 ? std::numeric_limits<std::int64_t>::min()
                           : static_cast<std::int64_t>(value);
}

// Its bytes in order with an end that no byte of another compares as part of.
void append_escaped(std::string& to, std::string_view bytes) {
  for (const char c : bytes) {
    to.push_back(c);
    if (c == '\0') {
      to.push_back('\xFF');
    }
  }
  to.append({'\0', '\1'});
}

bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

// Runs of digits as their length and value, in the place of '0' among the other bytes.
std::string alphanumeric_order(std::string_view text) {
  std::string shape;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_digit(text[at])) {
      shape.push_back(text[at++]);
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_digit(text[end])) {
      ++end;
    }
    std::string_view run = text.substr(at, end - at);
    run.remove_prefix(std::min(run.find_first_not_of('0'), run.size()));
    shape.push_back('0');
    shape.push_back(static_cast<char>(run.size() >> 8U));
    shape.push_back(static_cast<char>(run.size() & 0xFFU));
    shape.append(run);
    at = end;
  }
  std::string order;
  append_escaped(order, shape);
  order.append(text);
  return order;
}

// A string's bytes as the index orders them: with its hash if it was cut.
std::string text_of(std::string_view term) {
  return term_kind(term) == TermKind::kString ? std::string(term.substr(1)) : term_to_string(term);
}

}  // namespace

bool is_by_field(SortBy by) noexcept {
  switch (by) {
    case SortBy::kValue:
    case SortBy::kText:
    case SortBy::kLong:
    case SortBy::kDouble:
    case SortBy::kAlphaNumeric:
      return true;
    case SortBy::kScore:
    case SortBy::kKey:
    case SortBy::kRandom:
      return false;
  }
  return false;
}

bool is_missing_first(const SortKey& key) noexcept {
  return key.missing == SortKey::Missing::kDefault ? !key.descending
                                                   : key.missing == SortKey::Missing::kFirst;
}

std::optional<std::string> term_order(SortBy by, std::string_view term) {
  RK_CHECK(is_by_field(by));
  const TermKind kind = term_kind(term);
  switch (by) {
    case SortBy::kLong:
      return kind == TermKind::kNumber ? std::optional(order_of(truncated(term))) : std::nullopt;
    case SortBy::kDouble:
      return kind == TermKind::kNumber ? std::optional(order_of(term_number(term).value_or(0)))
                                       : std::nullopt;
    case SortBy::kText:
      return kind == TermKind::kNull ? std::string(1, kFirst) : kValue + text_of(term);
    case SortBy::kAlphaNumeric:
      return kind == TermKind::kNull ? std::string(1, kFirst)
                                     : kValue + alphanumeric_order(text_of(term));
    default:
      return std::string(term);
  }
}

Result<std::optional<std::string>> OrderKeys::field_value(const SortKey& key,
                                                          const RecordView& record) const {
  std::optional<std::string> best;
  const FieldFacts* const facts = snapshot_.field(key.field);
  if (facts == nullptr) {
    return best;
  }
  RK_TRY_ASSIGN(const std::optional<RecordFieldView> field, record.field(facts->number));
  if (!field) {
    return best;
  }
  RecordTerms terms(*field);
  RK_TRY_ASSIGN(bool more, terms.next());
  while (more) {
    RK_TRY(snapshot_.tick());
    std::optional<std::string> order = term_order(key.by, terms.term());
    if (order && (!best || (key.descending ? *order > *best : *order < *best))) {
      best = std::move(order);
    }
    RK_TRY_ASSIGN(more, terms.next());
  }
  return best;
}

Result<std::optional<std::string>> OrderKeys::value_of(const SortKey& key, std::uint64_t number,
                                                       std::optional<RecordView>& record) const {
  switch (key.by) {
    case SortBy::kScore:
      RK_CHECK(scores_ != nullptr);
      return std::optional(order_of(scores_->of(number)));
    case SortBy::kRandom: {
      const std::string bytes = big_endian(number);
      return std::optional(big_endian(checksum64(as_bytes(bytes), key.seed)));
    }
    default:
      break;
  }
  if (!record) {
    RK_TRY_ASSIGN(record, snapshot_.record(number));
  }
  if (key.by == SortBy::kKey) {
    return std::optional(std::string(record->key()));
  }
  return field_value(key, *record);
}

Result<std::string> OrderKeys::key_of(std::uint64_t number) const {
  std::string whole;
  std::optional<RecordView> record;
  for (const SortKey& key : order_) {
    RK_TRY_ASSIGN(const std::optional<std::string> value, value_of(key, number, record));
    if (!value) {
      whole.push_back(is_missing_first(key) ? kFirst : kLast);
      continue;
    }
    whole.push_back(kValue);
    const std::size_t begin = whole.size();
    append_escaped(whole, *value);
    if (key.descending) {
      std::transform(whole.begin() + static_cast<std::ptrdiff_t>(begin), whole.end(),
                     whole.begin() + static_cast<std::ptrdiff_t>(begin),
                     [](char c) { return static_cast<char>(~static_cast<unsigned char>(c)); });
    }
  }
  return whole + big_endian(number);
}

std::uint64_t OrderKeys::number_in(std::string_view key) noexcept {
  RK_CHECK(key.size() >= sizeof(std::uint64_t));
  return load_be64(as_bytes(key.substr(key.size() - sizeof(std::uint64_t))).data());
}

}  // namespace rookery::search
