// SPDX-License-Identifier: Apache-2.0
#include "rookery/api/time_span.h"

#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace rookery::api {
namespace {

TEST(TimeSpan, IsReadAndWrittenAlike) {
  for (const std::string text :
       {"00:00:00", "00:00:15", "23:59:59", "1.00:00:00", "1000.00:00:00", "-00:00:01",
        "00:00:00.0000001", "3.04:05:06.1200000", "10675197.00:00:00"}) {
    const auto span = parse_time_span(text);
    ASSERT_TRUE(span.has_value()) << text;
    EXPECT_EQ(format_time_span(*span), text);
  }
  EXPECT_EQ(parse_time_span("1.02:03:04.5")->count(),
            ((((24 + 2) * 60LL + 3) * 60 + 4) * 10 + 5) * 1'000'000);
}

TEST(TimeSpan, IsRefusedWhenItIsNone) {
  for (const std::string text :
       {"", "1", "1:2", "00:00:60", "24:00:00", "00:60:00", "a:b:c", "00:00:00.12345678",
        "00:00:00.", "-", "1.2.3", "00:00:00:00", "99999999.00:00:00", "+1.00:00:00", "00:-1:00"}) {
    EXPECT_FALSE(parse_time_span(text).has_value()) << text;
  }
}

TEST(TimeSpan, OfTheLargestSizeIsWritten) {
  EXPECT_EQ(format_time_span(Ticks(std::numeric_limits<std::int64_t>::min())),
            format_time_span(Ticks(std::numeric_limits<std::int64_t>::min() + 1)));
}

TEST(TimeSpan, IsWaitedForNoLongerThanClocksCanTell) {
  EXPECT_EQ(waiting_time(Ticks(15)), std::chrono::nanoseconds(1500));
  EXPECT_EQ(waiting_time(Ticks(-15)), std::chrono::nanoseconds(-1500));
  for (const std::int64_t ticks : {std::numeric_limits<std::int64_t>::max(),
                                   parse_time_span("10675197.23:59:59").value().count()}) {
    const os::Duration longest = waiting_time(Ticks(ticks));
    EXPECT_GT(longest, std::chrono::hours(99 * 365 * 24));
    EXPECT_LT(longest, std::chrono::hours(101 * 365 * 24));
    EXPECT_EQ(waiting_time(Ticks(-ticks)), -longest);
  }
}

}  // namespace
}  // namespace rookery::api
