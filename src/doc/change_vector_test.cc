// SPDX-License-Identifier: Apache-2.0
#include "rookery/doc/change_vector.h"

#include <array>
#include <string>

#include <gtest/gtest.h>

#include "rookery/base/prng.h"
#include "rookery/base/test_seed.h"

namespace rookery::doc {
namespace {

constexpr std::string_view kDb1 = "0tIXMjvOFEuYJVRPlvRzSg";
constexpr std::string_view kDb2 = "kSXfVRAkKEmffZpyfkd+Zw";

ChangeVector vector(std::string_view text) {
  Result<ChangeVector> parsed = ChangeVector::parse(text);
  EXPECT_TRUE(parsed.has_value()) << text;
  return parsed.has_value() ? std::move(*parsed) : ChangeVector();
}

std::string text(std::uint64_t first, std::uint64_t second) {
  std::string all;
  if (first > 0) {
    all = "A:" + std::to_string(first) + "-" + std::string(kDb1);
  }
  if (second > 0) {
    all += (all.empty() ? "B:" : ", B:") + std::to_string(second) + "-" + std::string(kDb2);
  }
  return all;
}

TEST(DatabaseId, IsTwentyTwoCharactersOfBase64) {
  // The first 22 of RFC 4648's 24 characters for these bytes, computed with base64(1).
  std::array<std::byte, 16> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes.at(i) = static_cast<std::byte>(i * 17);
  }
  EXPECT_EQ(DatabaseId(bytes).text(), "ABEiM0RVZneImaq7zN3u/w");
  EXPECT_EQ(DatabaseId().text(), DatabaseId(std::array<std::byte, 16>{}).text());
}

TEST(DatabaseId, RefusesOtherLengthsAndAlphabets) {
  EXPECT_TRUE(DatabaseId::parse(kDb2).has_value());
  EXPECT_FALSE(DatabaseId::parse(kDb1.substr(1)).has_value());
  EXPECT_FALSE(DatabaseId::parse(std::string(kDb1) + "A").has_value());
  EXPECT_FALSE(DatabaseId::parse("0tIXMjvOFEuYJVRPlvRz-g").has_value());
}

TEST(ChangeVector, ReadsWhatItWrites) {
  for (const std::string& written : {text(1, 0), text(0, 9223372036854775807ULL), text(3, 7)}) {
    EXPECT_EQ(vector(written).to_string(), written);
  }
  EXPECT_TRUE(vector("").empty());
  EXPECT_EQ(vector("A:1-" + std::string(kDb1) + ",B:2-" + std::string(kDb2)).entries().size(), 2U);
}

TEST(ChangeVector, RefusesWhatIsNoVector) {
  const std::string good = text(1, 0);
  for (const std::string& bad :
       {std::string("1"), std::string("A:1"), std::string("A:1-"), ":1-" + std::string(kDb1),
        "A:-1-" + std::string(kDb1), "A:x-" + std::string(kDb1), "A:1" + std::string(kDb1),
        good + "x", good + ",", good + ",,", "," + good,
        "A:18446744073709551616-" + std::string(kDb1)}) {
    const Result<ChangeVector> parsed = ChangeVector::parse(bad);
    ASSERT_FALSE(parsed.has_value()) << bad;
    EXPECT_EQ(parsed.error().code(), ErrorCode::malformed) << bad;
  }
  EXPECT_EQ(ChangeVector::parse(std::string(ChangeVector::kTextSizeMax + 1, ' ')).error().code(),
            ErrorCode::too_large);
}

TEST(ChangeVector, ComparesByDatabaseAndNotByTag) {
  const std::string renamed = "Z:1-" + std::string(kDb1);
  EXPECT_EQ(vector(text(1, 0)).compare(vector(renamed)), Causality::kEqual);
  EXPECT_TRUE(same_change_vector(text(1, 0), renamed));
  const std::string same_tag = "A:1-" + std::string(kDb2);
  EXPECT_EQ(vector(text(1, 0)).compare(vector(same_tag)), Causality::kConcurrent);
}

// Every pair of vectors over two databases with etags 0 to 3, against the definition.
TEST(ChangeVector, ComparesAndMergesAsDefined) {
  for (std::uint64_t a1 = 0; a1 <= 3; ++a1) {
    for (std::uint64_t a2 = 0; a2 <= 3; ++a2) {
      for (std::uint64_t b1 = 0; b1 <= 3; ++b1) {
        for (std::uint64_t b2 = 0; b2 <= 3; ++b2) {
          const ChangeVector a = vector(text(a1, a2));
          const ChangeVector b = vector(text(b1, b2));
          const bool at_least = a1 >= b1 && a2 >= b2;
          const bool at_most = a1 <= b1 && a2 <= b2;
          const Causality expected = at_least
                                         ? (at_most ? Causality::kEqual : Causality::kAfter)
                                         : (at_most ? Causality::kBefore : Causality::kConcurrent);
          EXPECT_EQ(a.compare(b), expected);
          ChangeVector merged = a;
          merged.merge(b);
          EXPECT_EQ(merged.compare(vector(text(std::max(a1, b1), std::max(a2, b2)))),
                    Causality::kEqual);
        }
      }
    }
  }
}

TEST(ChangeVector, IgnoresOrderAndRepetition) {
  const std::string forward = "A:1-" + std::string(kDb1) + ", B:2-" + std::string(kDb2);
  const std::string backward = "B:2-" + std::string(kDb2) + ",A:1-" + std::string(kDb1);
  EXPECT_TRUE(same_change_vector(forward, backward));
  EXPECT_TRUE(same_change_vector(forward, backward + ", A:1-" + std::string(kDb1)));
  EXPECT_FALSE(same_change_vector(forward, backward + ", A:5-" + std::string(kDb1)));
}

TEST(ChangeVector, TextThatIsNoVectorEqualsOnlyItself) {
  EXPECT_TRUE(same_change_vector("nonsense", "nonsense"));
  EXPECT_FALSE(same_change_vector("nonsense", ""));
  EXPECT_FALSE(same_change_vector(text(1, 0), "nonsense"));
}

TEST(ChangeVector, NeverFailsOtherwiseOnRandomText) {
  Prng random(test_seed());
  constexpr std::string_view kAlphabet = "A:1-0tIXMjvOFEuYJVRPlvRzSg, B9";
  for (int i = 0; i < 20'000; ++i) {
    std::string candidate = random.chance(2) ? text(random.below(5), random.below(5)) : "";
    for (std::uint64_t edits = random.below(6); edits > 0; --edits) {
      candidate.insert(random.below(candidate.size() + 1), 1,
                       kAlphabet[random.below(kAlphabet.size())]);
    }
    const Result<ChangeVector> parsed = ChangeVector::parse(candidate);
    if (parsed.has_value()) {
      EXPECT_TRUE(same_change_vector(parsed->to_string(), candidate)) << candidate;
    }
  }
}

}  // namespace
}  // namespace rookery::doc
