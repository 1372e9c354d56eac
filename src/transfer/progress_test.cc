// SPDX-License-Identifier: Apache-2.0
#include "progress.h"

#include <gtest/gtest.h>

namespace rookery::transfer {
namespace {

TEST(Progress, SaysHowFarHowFastAndHowLong) {
  EXPECT_EQ(
      progress_text({}, {.documents = 50'000, .done = 250, .all = 1000}, std::chrono::seconds(10)),
      "[#####               ] 25% 50,000 documents, 5,000/s, 0:30 left");
  // What was there before this run does not count for the rate.
  EXPECT_EQ(progress_text({.documents = 40'000, .done = 500},
                          {.documents = 50'000, .done = 750, .all = 1000, .rejects = 1234},
                          std::chrono::seconds(10)),
            "[###############     ] 75% 50,000 documents, 1,000/s, 1,234 rejected, 0:10 left");
  EXPECT_EQ(progress_text({}, {.documents = 5, .done = 100}, std::chrono::seconds(1)),
            "5 documents, 5/s");
  EXPECT_EQ(progress_text({}, {}, os::Duration(0)), "0 documents");
  // A file that has grown meanwhile.
  EXPECT_EQ(progress_text({}, {.documents = 5, .done = 1001, .all = 1000}, os::Duration(0)),
            "[####################] 100% 5 documents");
}

TEST(Progress, WritesTimesAndNumbers) {
  EXPECT_EQ(time_text(0), "0:00");
  EXPECT_EQ(time_text(61), "1:01");
  EXPECT_EQ(time_text(3723), "1:02:03");
  EXPECT_EQ(with_commas(7), "7");
  EXPECT_EQ(with_commas(123), "123");
  EXPECT_EQ(with_commas(1234), "1,234");
  EXPECT_EQ(with_commas(1'234'567), "1,234,567");
}

}  // namespace
}  // namespace rookery::transfer
