// SPDX-License-Identifier: Apache-2.0
#include "number.h"

#include <cctype>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "rookery/base/prng.h"
#include "rookery/base/test_seed.h"

namespace rookery::value {
namespace {

// All texts of up to five of these characters, against the grammar written the slow way.
bool grammar(std::string_view t) {
  std::size_t i = 0;
  const auto digits = [&] {
    const std::size_t begin = i;
    while (i < t.size() && std::isdigit(static_cast<unsigned char>(t[i])) != 0) {
      ++i;
    }
    return i - begin;
  };
  if (i < t.size() && t[i] == '-') {
    ++i;
  }
  const std::size_t integer = i;
  const std::size_t count = digits();
  if (count == 0 || (count > 1 && t[integer] == '0')) {
    return false;
  }
  if (i < t.size() && t[i] == '.') {
    ++i;
    if (digits() == 0) {
      return false;
    }
  }
  if (i < t.size() && (t[i] == 'e' || t[i] == 'E')) {
    ++i;
    if (i < t.size() && (t[i] == '+' || t[i] == '-')) {
      ++i;
    }
    if (digits() == 0) {
      return false;
    }
  }
  return i == t.size();
}

TEST(Number, HasTheGrammarOfJson) {
  constexpr std::string_view kAlphabet = "-+.e01E";
  std::size_t accepted = 0;
  for (std::size_t length = 0; length <= 6; ++length) {
    std::size_t texts = 1;
    for (std::size_t i = 0; i < length; ++i) {
      texts *= kAlphabet.size();
    }
    for (std::size_t n = 0; n < texts; ++n) {
      std::string text;
      for (std::size_t i = 0, rest = n; i < length; ++i, rest /= kAlphabet.size()) {
        text += kAlphabet[rest % kAlphabet.size()];
      }
      ASSERT_EQ(is_json_number(text), grammar(text)) << text;
      accepted += is_json_number(text) ? 1U : 0U;
    }
  }
  EXPECT_GT(accepted, 100U);
}

TEST(Number, KnowsIntegersAsWritten) {
  EXPECT_EQ(number_as_int64("0"), 0);
  EXPECT_EQ(number_as_int64("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(number_as_int64("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  for (const std::string_view text :
       {"-0", "0.0", "1e1", "1E1", "9223372036854775808", "-9223372036854775809", "1.0",
        "123456789012345678901234567890"}) {
    EXPECT_FALSE(number_as_int64(text)) << text;
  }
}

TEST(Number, ReadsBackEveryDoubleItWrites) {
  Prng prng(test_seed());
  for (int i = 0; i < 100000; ++i) {
    const std::uint64_t bits = prng.next();
    double value = 0;
    static_assert(sizeof value == sizeof bits);
    std::memcpy(&value, &bits, sizeof value);
    NumberText text;
    const std::string_view written = write_double(text, value);
    if (!std::isfinite(value)) {
      EXPECT_EQ(written, "null");
      continue;
    }
    ASSERT_TRUE(is_json_number(written)) << written;
    ASSERT_EQ(number_to_double(written), value) << written;
    ASSERT_TRUE(numbers_equal(written, written));
  }
}

TEST(Number, SaturatesOutOfRange) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(number_to_double("1" + std::string(400, '0')), kInfinity);
  EXPECT_EQ(number_to_double("-1" + std::string(400, '0')), -kInfinity);
  EXPECT_EQ(number_to_double("0." + std::string(400, '0') + "1"), 0.0);
  EXPECT_EQ(number_to_double("0." + std::string(400, '0') + "1e401"), 1.0);
  EXPECT_EQ(number_to_double("1" + std::string(400, '0') + "e-400"), 1.0);
  EXPECT_EQ(number_to_double("0e999999999999999999999"), 0.0);
  EXPECT_TRUE(std::signbit(number_to_double("-1e-999")));
}

}  // namespace
}  // namespace rookery::value
