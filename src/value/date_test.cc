// SPDX-License-Identifier: Apache-2.0
#include "rookery/value/date.h"

#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "rookery/base/prng.h"
#include "rookery/base/test_seed.h"

namespace rookery::value {
namespace {

using std::chrono::nanoseconds;

Date date_of(std::int64_t ns) {
  return Date(nanoseconds(ns));
}

TEST(Date, HasSevenDigitsAndAZone) {
  EXPECT_EQ(format_date(date_of(0)), "1970-01-01T00:00:00.0000000Z");
  EXPECT_EQ(format_date(date_of(1'500'000'000'123'456'799)), "2017-07-14T02:40:00.1234567Z");
  EXPECT_EQ(format_date(date_of(951'782'400'000'000'000)), "2000-02-29T00:00:00.0000000Z");
  EXPECT_EQ(format_date(date_of(-1)), "1969-12-31T23:59:59.9999999Z");
  EXPECT_EQ(format_date(date_of(-100)), "1969-12-31T23:59:59.9999999Z");
  EXPECT_EQ(format_date(date_of(std::numeric_limits<std::int64_t>::max())),
            "2262-04-11T23:47:16.8547758Z");
  EXPECT_EQ(format_date(date_of(std::numeric_limits<std::int64_t>::min())),
            "1677-09-21T00:12:43.1452241Z");
}

TEST(Date, IsReadInTheFormsOfClients) {
  const Date expected = date_of(1'500'000'000'120'000'000);
  for (const std::string_view text :
       {"2017-07-14T02:40:00.1200000Z", "2017-07-14T02:40:00.1200000", "2017-07-14T02:40:00.12Z",
        "2017-07-14T04:40:00.12+02:00", "2017-07-13T21:10:00.120-05:30",
        "2017-07-14T02:40:00.120000000Z"}) {
    EXPECT_EQ(parse_date(text), expected) << text;
  }
  EXPECT_EQ(parse_date("1970-01-02"), date_of(86'400'000'000'000));
  EXPECT_EQ(parse_date("1970-01-01T00:00:01"), date_of(1'000'000'000));
  EXPECT_TRUE(parse_date("1678-01-01T00:00:00+23:59"));
  EXPECT_TRUE(parse_date("2261-12-31T23:59:59.999999999-23:59"));
}

TEST(Date, IsRefusedInAnyOtherForm) {
  for (const std::string_view text : {"",
                                      "2017",
                                      "2017-07",
                                      "2017-7-14",
                                      "17-07-14",
                                      "2017-13-01",
                                      "2017-00-01",
                                      "2017-02-29",
                                      "2017-04-31",
                                      "2017-07-14T",
                                      "2017-07-14 02:40:00",
                                      "2017-07-14T02:40",
                                      "2017-07-14T24:00:00",
                                      "2017-07-14T02:60:00",
                                      "2017-07-14T02:40:60",
                                      "2017-07-14T02:40:00.",
                                      "2017-07-14T02:40:00.Z",
                                      "2017-07-14T02:40:00.1234567890Z",
                                      "2017-07-14T02:40:00z",
                                      "2017-07-14T02:40:00Z ",
                                      "2017-07-14T02:40:00+02",
                                      "2017-07-14T02:40:00+24:00",
                                      "2017-07-14T02:40:00+02:00Z",
                                      "2017-07-14Z",
                                      "1677-12-31",
                                      "2262-01-01",
                                      "-017-07-14",
                                      "2017-07-14T0a:40:00"}) {
    EXPECT_FALSE(parse_date(text)) << text;
  }
}

TEST(Date, ComesBackFromItsText) {
  Prng prng(test_seed());
  for (int i = 0; i < 20000; ++i) {
    // Ticks of 100 ns between 1678 and 2261.
    const std::int64_t tick =
        static_cast<std::int64_t>(prng.below(184'000'000'000'000'000)) - 92'000'000'000'000'000;
    const Date date = date_of(tick * 100);
    ASSERT_EQ(parse_date(format_date(date)), date) << format_date(date);
  }
}

}  // namespace
}  // namespace rookery::value
