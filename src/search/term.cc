// SPDX-License-Identifier: Apache-2.0
#include "rookery/search/term.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>

#include "rookery/base/check.h"
#include "rookery/base/checksum.h"
#include "rookery/base/coding.h"

#include "term_layout.h"

namespace rookery::search {
namespace {

constexpr std::size_t kNumberSize = 9;
constexpr std::size_t kNumberWithRestSize = 11;
constexpr double kTwoTo63 = 9223372036854775808.0;

// Doubles as integers of the same order.
std::uint64_t ordered_bits(double value) noexcept {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t sign = std::uint64_t{1} << 63U;
  return (bits & sign) != 0 ? ~bits : bits | sign;
}

double from_ordered_bits(std::uint64_t bits) noexcept {
  const std::uint64_t sign = std::uint64_t{1} << 63U;
  return std::bit_cast<double>((bits & sign) != 0 ? bits & ~sign : ~bits);
}

Term number_bytes(double base, std::uint32_t rest) {
  Term term(rest == 0 ? kNumberSize : kNumberWithRestSize, kNumberByte);
  auto* to = reinterpret_cast<std::byte*>(term.data());
  store_be64(to + 1, ordered_bits(base));
  if (rest != 0) {
    term[kNumberSize] = static_cast<char>(rest >> 8U);
    term[kNumberSize + 1] = static_cast<char>(rest & 0xFFU);
  }
  return term;
}

struct NumberParts {
  double base = 0;         // the greatest double that is not above the number
  std::uint32_t rest = 0;  // what the number has above it
};

std::optional<NumberParts> number_parts(std::string_view term) noexcept {
  if (term.empty() || term[0] != kNumberByte ||
      (term.size() != kNumberSize && term.size() != kNumberWithRestSize)) {
    return std::nullopt;
  }
  NumberParts parts;
  parts.base = from_ordered_bits(load_be64(as_bytes(term).data() + 1));
  if (term.size() == kNumberWithRestSize) {
    parts.rest = static_cast<std::uint32_t>(static_cast<unsigned char>(term[kNumberSize])) << 8U |
                 static_cast<unsigned char>(term[kNumberSize + 1]);
  }
  return parts;
}

// Without the bytes of a code point that is not there as a whole.
std::string_view whole_code_points(std::string_view text) noexcept {
  std::size_t begin = text.size();
  for (std::size_t back = 0; back < 4 && begin > 0; ++back) {
    --begin;
    const auto byte = static_cast<unsigned char>(text[begin]);
    if ((byte & 0xC0U) != 0x80U) {
      const std::size_t size = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
      return begin + size <= text.size() ? text : text.substr(0, begin);
    }
  }
  return text;
}

}  // namespace

Term null_term() {
  return Term(1, kNullByte);
}

Term bool_term(bool value) {
  return Term(1, value ? kTrueByte : kFalseByte);
}

Term integer_term(std::int64_t value) {
  auto base = static_cast<double>(value);
  if (base >= kTwoTo63 || static_cast<std::int64_t>(base) > value) {
    base = std::nextafter(base, -std::numeric_limits<double>::infinity());
  }
  // Doubles near 2^63 are 1024 apart: the rest has two bytes.
  const std::int64_t rest = value - static_cast<std::int64_t>(base);
  RK_CHECK(rest >= 0 && rest < 65536);
  return number_bytes(base == 0 ? 0.0 : base, static_cast<std::uint32_t>(rest));
}

Term number_term(double value) {
  RK_CHECK(!std::isnan(value));
  return number_bytes(value == 0 ? 0.0 : value, 0);
}

Term string_term(std::string_view text) {
  Term term(1, kStringByte);
  if (text.size() <= kWholeTextSizeMax) {
    term.append(text);
    return term;
  }
  term.append(text.substr(0, kKeptTextSize));
  const Hash128 hash = checksum128(as_bytes(text));
  std::array<std::byte, kTermHashSize> tail{};
  store_be64(tail.data(), hash.high);
  store_be64(tail.data() + 8, hash.low);
  term.append(as_text(tail));
  return term;
}

bool term_is_cut(std::string_view term) noexcept {
  return term.size() == kTermSizeMax && term[0] == kStringByte;
}

TermKind term_kind(std::string_view term) noexcept {
  RK_CHECK(!term.empty());
  switch (term[0]) {
    case kNullByte:
      return TermKind::kNull;
    case kFalseByte:
      return TermKind::kFalse;
    case kTrueByte:
      return TermKind::kTrue;
    case kNumberByte:
      return TermKind::kNumber;
    default:
      return TermKind::kString;
  }
}

std::optional<std::string_view> term_text(std::string_view term) noexcept {
  if (term.empty() || term[0] != kStringByte) {
    return std::nullopt;
  }
  if (term_is_cut(term)) {
    return whole_code_points(term.substr(1, kKeptTextSize));
  }
  return term.substr(1);
}

std::optional<double> term_number(std::string_view term) noexcept {
  const std::optional<NumberParts> parts = number_parts(term);
  if (!parts) {
    return std::nullopt;
  }
  if (const std::optional<std::int64_t> integer = term_integer(term)) {
    return static_cast<double>(*integer);
  }
  return parts->base + parts->rest;
}

std::optional<std::int64_t> term_integer(std::string_view term) noexcept {
  const std::optional<NumberParts> parts = number_parts(term);
  if (!parts || parts->base < -kTwoTo63 || parts->base >= kTwoTo63 ||
      parts->base != std::floor(parts->base)) {
    return std::nullopt;
  }
  const auto base = static_cast<std::int64_t>(parts->base);
  std::int64_t value = 0;
  if (__builtin_add_overflow(base, static_cast<std::int64_t>(parts->rest), &value)) {
    return std::nullopt;
  }
  return value;
}

std::string term_to_string(std::string_view term) {
  if (term.empty()) {
    return {};
  }
  switch (term_kind(term)) {
    case TermKind::kNull:
      return "null";
    case TermKind::kFalse:
      return "false";
    case TermKind::kTrue:
      return "true";
    case TermKind::kNumber:
      break;
    case TermKind::kString:
      return std::string(term_text(term).value_or(""));
  }
  if (const std::optional<std::int64_t> integer = term_integer(term)) {
    return std::to_string(*integer);
  }
  const double value = term_number(term).value_or(0);
  // The shortest of these that reads back as the same number.
  std::array<char, 32> text{};
  for (int digits = 15; digits <= 17; ++digits) {
    std::snprintf(text.data(), text.size(), "%.*g", digits, value);
    if (std::strtod(text.data(), nullptr) == value) {
      break;
    }
  }
  return text.data();
}

}  // namespace rookery::search
