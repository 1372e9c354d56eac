// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "rookery/base/canary.h"
#include "rookery/base/checksum.h"
#include "rookery/base/coding.h"
#include "rookery/base/prng.h"
#include "rookery/base/result.h"
#include "rookery/base/strong_id.h"

namespace rookery {
namespace {

Result<int> half(int n) {
  if (n % 2 != 0) {
    return Error(ErrorCode::invalid_argument, "odd");
  }
  return n / 2;
}

Result<int> quarter(int n) {
  RK_TRY_ASSIGN(const int h, half(n));
  RK_TRY_ASSIGN(const int q, half(h));
  return q;
}

TEST(Result, CarriesAValueOrTheFirstError) {
  EXPECT_EQ(quarter(8).value(), 2);
  EXPECT_EQ(quarter(6).error().code(), ErrorCode::invalid_argument);
  EXPECT_EQ(quarter(6).error().message(), "odd");
}

TEST(Result, IsTwoWordsForAWord) {
  EXPECT_EQ(sizeof(Error), 8U);
  EXPECT_EQ(sizeof(Result<std::uint64_t>), 16U);
}

TEST(Result, MovesMoveOnlyValues) {
  Result<std::unique_ptr<int>> r = std::make_unique<int>(7);
  std::unique_ptr<int> p = std::move(r).value();
  EXPECT_EQ(*p, 7);
}

TEST(ResultDeathTest, ReadingAMissingValueAborts) {
  const Result<int> failed = ErrorCode::busy;
  EXPECT_DEATH(static_cast<void>(failed.value()), "check failed");
}

TEST(Error, KeepsTextAndErrnoThroughCopiesAndContext) {
  const Error first(ErrorCode::io, "write failed", 5);
  const Error copy = first;  // NOLINT(performance-unnecessary-copy-initialization): the point
  const Error wrapped = copy.with_context("data.rks");
  EXPECT_EQ(wrapped.message(), "data.rks: write failed");
  EXPECT_EQ(wrapped.os_errno(), 5);
  EXPECT_EQ(wrapped.code(), ErrorCode::io);
  EXPECT_EQ(Error(ErrorCode::busy).message(), error_sentence(ErrorCode::busy));
}

TEST(Coding, VarintsRoundTripAndRefuseWhatIsCutShort) {
  for (const std::uint64_t value :
       {std::uint64_t{0}, std::uint64_t{127}, std::uint64_t{128}, ~std::uint64_t{0}}) {
    std::string text;
    append_varint(text, value);
    Bytes bytes = as_bytes(text);
    EXPECT_EQ(take_varint(bytes), value);
    EXPECT_TRUE(bytes.empty());
    Bytes cut = as_bytes(text).first(text.size() - 1);
    EXPECT_EQ(take_varint(cut), std::nullopt);
  }
  const std::string too_long(10, '\xFF');
  Bytes bytes = as_bytes(too_long);
  EXPECT_EQ(take_varint(bytes), std::nullopt);
}

TEST(Coding, ComparesBytesAsUnsignedAndShorterFirst) {
  EXPECT_LT(compare_bytes(as_bytes("a"), as_bytes("ab")), 0);
  EXPECT_GT(compare_bytes(as_bytes("\xFF"), as_bytes("a")), 0);
  EXPECT_EQ(compare_bytes({}, {}), 0);
}

TEST(Checksum, IsTheDocumentedXxh3) {
  // Published vectors of XXH3-64 with seed 0: they pin the on-disk format.
  EXPECT_EQ(checksum64({}), 0x2D06800538D394C2U);
  EXPECT_NE(checksum64(as_bytes("a")), checksum64(as_bytes("b")));
  EXPECT_NE(checksum64(as_bytes("a"), 1), checksum64(as_bytes("a"), 2));
}

TEST(Prng, RepeatsFromItsSeedAndStaysInBounds) {
  Prng a(42);
  Prng b(42);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(a.below(7), b.below(7));
    EXPECT_LT(a.below(3), 3U);
    static_cast<void>(b.below(3));
  }
}

struct FishTag;
using FishId = StrongId<FishTag>;

TEST(StrongId, OrdersAndAdvances) {
  EXPECT_LT(FishId(1), FishId(2));
  EXPECT_EQ(FishId(1).next(), FishId(2));
}

TEST(Canary, NamesRoundTrip) {
  EXPECT_EQ(canary_named("flush-past-reader"), Canary::kFlushPastReader);
  EXPECT_EQ(canary_name(Canary::kFlushPastReader), "flush-past-reader");
  EXPECT_EQ(canary_named("no such fault"), Canary::kNone);
}

}  // namespace
}  // namespace rookery
