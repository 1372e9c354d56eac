// SPDX-License-Identifier: Apache-2.0
// Random documents against nlohmann::json, which shares no code with what is tested.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>

#include "rookery/base/prng.h"
#include "rookery/value/builder.h"
#include "rookery/value/document.h"
#include "rookery/value/json.h"

#include "number.h"
#include "random_json.h"

namespace rookery::value {
namespace {

using Oracle = nlohmann::ordered_json;

RandomJson any_json(Prng& prng) {
  return JsonGenerator(prng).document(static_cast<std::size_t>(*rc::gen::inRange(1, 200)));
}

Prng any_prng() {
  return Prng(*rc::gen::arbitrary<std::uint64_t>());
}

Document must_parse(std::string_view text) {
  Result<Document> document = parse_json(text);
  if (!document) {
    RC_FAIL(document.error().to_string() + " in " + std::string(text));
  }
  return std::move(document).value();
}

// nlohmann refuses 1e400, which is JSON and kept here.
bool has_infinity(View view) {
  if (view.is_number()) {
    return std::isinf(*view.as_double());
  }
  for (std::size_t i = 0; i < view.size(); ++i) {
    if (has_infinity(view.is_array() ? view.at(i) : view.value_at(i))) {
      return true;
    }
  }
  return false;
}

bool agrees(View view, const Oracle& oracle) {
  switch (view.type()) {
    case Type::kNull:
      return oracle.is_null();
    case Type::kBool:
      return oracle.is_boolean() && oracle.get<bool>() == view.as_bool();
    case Type::kInt:
      // nlohmann says unsigned for all integers that are not negative.
      return oracle.is_number_integer() && oracle.get<std::int64_t>() == view.as_int64() &&
             oracle.get<double>() == view.as_double();
    case Type::kNumber:
      return oracle.is_number() && oracle.get<double>() == view.as_double();
    case Type::kString:
      return oracle.is_string() && oracle.get<std::string>() == view.as_string();
    case Type::kArray: {
      bool same = oracle.is_array() && oracle.size() == view.size();
      for (std::size_t i = 0; same && i < view.size(); ++i) {
        same = agrees(view.at(i), oracle[i]);
      }
      return same;
    }
    case Type::kObject: {
      bool same = oracle.is_object() && oracle.size() == view.size();
      std::size_t i = 0;
      for (auto member = oracle.begin(); same && member != oracle.end(); ++member, ++i) {
        // One way or the other: both would visit a leaf twice for each level above it.
        const std::optional<View> found = view.find(member.key());
        same = view.key_at(i) == member.key() && found.has_value() &&
               agrees(i % 2 == 0 ? view.value_at(i) : *found, member.value());
      }
      return same;
    }
  }
  return false;
}

RC_GTEST_PROP(ValueProp, TextComesBackAndTheOracleAgrees, ()) {
  Prng prng = any_prng();
  const RandomJson json = any_json(prng);
  const Document document = must_parse(json.text);
  RC_ASSERT(validate(document.bytes()).has_value());
  RC_ASSERT(to_json(document.root()) == json.canonical);
  RC_TAG(std::string(document.root().is_object() ? "object" : "other"));
  if (!has_infinity(document.root())) {
    RC_ASSERT(agrees(document.root(), Oracle::parse(json.text)));
  }
  const std::string ascii = to_json(document.root(), {.escape_non_ascii = true});
  for (const char c : ascii) {
    RC_ASSERT(static_cast<unsigned char>(c) < 0x80);
  }
  RC_ASSERT(identical(must_parse(ascii).root(), document.root()));
}

std::string damaged_text(std::string text, Prng& prng) {
  constexpr std::string_view kBytes =
      "[]{}\",:\\ 0123456789-+.eEtfnulasr/u\x01\x7F\x80\xC3\xED\xA9";
  for (std::uint64_t i = prng.below(3); i < 3 && !text.empty(); ++i) {
    const std::size_t at = prng.below(text.size());
    const char byte = kBytes[prng.below(kBytes.size())];
    switch (prng.below(4)) {
      case 0:
        text.erase(at, 1);
        break;
      case 1:
        text.insert(at, 1, byte);
        break;
      case 2:
        text.resize(at);
        break;
      default:
        text[at] = byte;
        break;
    }
  }
  return text;
}

RC_GTEST_PROP(ValueProp, DamagedTextIsAcceptedIfTheOracleAcceptsIt, ()) {
  Prng prng = any_prng();
  const RandomJson json = any_json(prng);
  for (int i = 0; i < 10; ++i) {
    const std::string text = damaged_text(json.text, prng);
    const Result<Document> document = parse_json(text);
    const bool accepted = Oracle::accept(text);
    if (!document) {
      const bool twice = document.error().message().find("twice") != std::string_view::npos;
      RC_ASSERT((!accepted || twice));
    } else if (!has_infinity(document->root())) {
      RC_ASSERT(accepted);
      RC_ASSERT(agrees(document->root(), Oracle::parse(text)));
    }
    RC_TAG(std::string(accepted ? "accepted" : "refused"));
  }
}

RC_GTEST_PROP(ValueProp, DamagedBytesAreRefusedOrReadable, ()) {
  Prng prng = any_prng();
  const Document document = must_parse(any_json(prng).text);
  for (int round = 0; round < 20; ++round) {
    std::string bytes(as_text(document.bytes()));
    for (std::uint64_t i = prng.below(3); i < 3; ++i) {
      bytes[prng.below(bytes.size())] = static_cast<char>(prng.below(256));
    }
    if (prng.chance(8)) {
      bytes.resize(prng.below(bytes.size()));
    }
    const Result<Document> damaged = Document::from_bytes(as_bytes(bytes));
    if (damaged) {
      const std::string text = to_json(damaged->root());
      const Result<Document> again = parse_json(text, {.depth_max = kDepthMax});
      RC_ASSERT(again.has_value());
      RC_ASSERT(identical(again->root(), damaged->root()));
    }
    RC_TAG(std::string(damaged ? "readable" : "refused"));
  }
}

// The same value, its members in another order.
void copy_shuffled(Builder& builder, View view, Prng& prng) {
  if (view.is_array()) {
    builder.begin_array();
    for (std::size_t i = 0; i < view.size(); ++i) {
      copy_shuffled(builder, view.at(i), prng);
    }
    builder.end_array();
  } else if (view.is_object()) {
    std::vector<std::size_t> order(view.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), prng);
    builder.begin_object();
    for (const std::size_t i : order) {
      builder.key(view.key_at(i));
      copy_shuffled(builder, view.value_at(i), prng);
    }
    builder.end_object();
  } else {
    builder.value(view);
  }
}

RC_GTEST_PROP(ValueProp, CopiesAreIdenticalAndShuffledOnesEqual, ()) {
  Prng prng = any_prng();
  const Document document = must_parse(any_json(prng).text);
  const Document other = must_parse(any_json(prng).text);
  Builder builder;
  builder.value(document.root());
  const Document copy = builder.finish().value();
  RC_ASSERT(identical(copy.root(), document.root()));
  RC_ASSERT(to_json(copy.root()) == to_json(document.root()));
  copy_shuffled(builder, document.root(), prng);
  const Document shuffled = builder.finish().value();
  RC_ASSERT(validate(shuffled.bytes()).has_value());
  RC_ASSERT(equal(shuffled.root(), document.root()));
  RC_ASSERT(equal(document.root(), shuffled.root()));
  RC_ASSERT(identical(shuffled.root(), document.root()) ==
            (to_json(shuffled.root()) == to_json(document.root())));
  RC_ASSERT(identical(other.root(), document.root()) ==
            (to_json(other.root()) == to_json(document.root())));
}

// A spelling of digits * 10^exponent.
std::string spelling(std::int64_t digits, int exponent, Prng& prng) {
  std::string text = std::to_string(digits);
  const std::size_t zeros = prng.below(5);
  text.append(zeros, '0');
  exponent -= static_cast<int>(zeros);
  if (prng.chance(2)) {
    const std::size_t first = text.front() == '-' ? 1 : 0;
    const std::size_t point = first + 1 + prng.below(text.size() - first);
    exponent += static_cast<int>(text.size() - point);
    text.insert(point, point == text.size() ? ".0" : ".");
  }
  return text + (prng.chance(2) ? "e" : "E") + (exponent >= 0 && prng.chance(2) ? "+" : "") +
         std::to_string(exponent);
}

RC_GTEST_PROP(ValueProp, SpellingsOfANumberAreEqualAndOthersAreNot, ()) {
  Prng prng = any_prng();
  const auto digits = *rc::gen::inRange<std::int64_t>(-100'000, 100'000);
  const int exponent = *rc::gen::inRange(-400, 400);
  const std::string a = spelling(digits, exponent, prng);
  const std::string b = spelling(digits, exponent, prng);
  RC_ASSERT((is_json_number(a) && is_json_number(b)));
  RC_ASSERT(numbers_equal(a, b));
  RC_ASSERT(number_to_double(a) == number_to_double(b));
  RC_ASSERT(!numbers_equal(a, spelling(digits + 1, exponent, prng)));
  RC_ASSERT((digits == 0 || !numbers_equal(a, spelling(digits, exponent + 1, prng))));
  RC_ASSERT((digits == 0 || !numbers_equal(a, spelling(-digits, exponent, prng))));
}

}  // namespace
}  // namespace rookery::value
