// SPDX-License-Identifier: Apache-2.0
#include "rookery/search/term.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "rookery/base/prng.h"
#include "rookery/base/test_seed.h"

namespace rookery::search {
namespace {

TEST(Term, OrdersValuesAcrossKinds) {
  constexpr std::int64_t kBig = std::int64_t{1} << 53;
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  const std::vector<Term> ascending = {
      null_term(),
      bool_term(false),
      bool_term(true),
      number_term(-std::numeric_limits<double>::infinity()),
      number_term(-1e300),
      integer_term(kMin),
      integer_term(kMin + 1),
      integer_term(-kBig - 1),
      integer_term(-kBig),
      integer_term(-1),
      number_term(-0.5),
      integer_term(0),
      number_term(std::numeric_limits<double>::denorm_min()),
      number_term(0.5),
      integer_term(1),
      integer_term(kBig),
      integer_term(kBig + 1),
      integer_term(kBig + 2),
      integer_term(kMax - 1),
      integer_term(kMax),
      number_term(9223372036854775808.0),
      number_term(std::numeric_limits<double>::infinity()),
      string_term(""),
      string_term("5"),
      string_term("a"),
      string_term("ab"),
      string_term("\xC3\xA9"),
  };
  for (std::size_t i = 1; i < ascending.size(); ++i) {
    EXPECT_LT(ascending[i - 1], ascending[i]) << i;
  }
}

TEST(Term, IntegersAndDoublesAreEqualByValue) {
  EXPECT_EQ(integer_term(5), number_term(5.0));
  EXPECT_EQ(integer_term(0), number_term(-0.0));
  EXPECT_EQ(integer_term(std::int64_t{1} << 60), number_term(std::ldexp(1.0, 60)));
  EXPECT_NE(integer_term((std::int64_t{1} << 60) + 1), number_term(std::ldexp(1.0, 60)));
}

TEST(Term, GivesNumbersBack) {
  Prng prng(test_seed());
  std::vector<std::int64_t> values = {0, 1, -1, std::numeric_limits<std::int64_t>::max(),
                                      std::numeric_limits<std::int64_t>::min()};
  for (int i = 0; i < 10'000; ++i) {
    values.push_back(static_cast<std::int64_t>(prng.next() >> prng.below(64)));
  }
  std::string last;
  std::sort(values.begin(), values.end());
  for (const std::int64_t value : values) {
    const Term term = integer_term(value);
    EXPECT_EQ(term_integer(term), value);
    EXPECT_EQ(term_number(term), static_cast<double>(value));
    EXPECT_LE(last, term);
    last = term;
  }
  EXPECT_EQ(term_number(number_term(0.1)), 0.1);
  EXPECT_EQ(term_integer(number_term(0.1)), std::nullopt);
  EXPECT_EQ(term_integer(number_term(1e300)), std::nullopt);
  EXPECT_EQ(term_number(string_term("1")), std::nullopt);
}

TEST(Term, CutsLongTextsButTellsThemApart) {
  const std::string text(510, 'x');
  EXPECT_FALSE(term_is_cut(string_term(text)));
  EXPECT_EQ(term_text(string_term(text)), text);
  const Term one = string_term(text + "y1");
  const Term other = string_term(text + "y2");
  EXPECT_TRUE(term_is_cut(one));
  EXPECT_EQ(one.size(), kTermSizeMax);
  EXPECT_NE(one, other);
  EXPECT_EQ(term_text(one), std::string(495, 'x'));
  // No half of a code point is given back.
  EXPECT_EQ(term_text(string_term(std::string(494, 'x') + "\xC3\xA9" + text)),
            std::string(494, 'x'));
}

TEST(Term, ReadsAsPeopleWriteIt) {
  EXPECT_EQ(term_to_string(null_term()), "null");
  EXPECT_EQ(term_to_string(bool_term(true)), "true");
  EXPECT_EQ(term_to_string(integer_term(-12)), "-12");
  EXPECT_EQ(term_to_string(number_term(0.1)), "0.1");
  EXPECT_EQ(term_to_string(string_term("text")), "text");
}

}  // namespace
}  // namespace rookery::search
