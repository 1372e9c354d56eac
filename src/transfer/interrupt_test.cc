// SPDX-License-Identifier: Apache-2.0
#include "interrupt.h"

#include <array>
#include <chrono>

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

namespace rookery::transfer {
namespace {

TEST(Interrupt, MakesADescriptorReadableForEachSignal) {
  for (const int number : {SIGINT, SIGTERM}) {
    Interrupt interrupt;
    EXPECT_FALSE(interrupt.is_set());
    interrupt.arm();
    EXPECT_FALSE(interrupt.is_set());
    EXPECT_FALSE(interrupt.wait_for(std::chrono::milliseconds(1)));
    ASSERT_EQ(::raise(number), 0);
    EXPECT_TRUE(interrupt.is_set());
    EXPECT_TRUE(interrupt.wait_for(std::chrono::minutes(10)));
  }
  // Here the process would die of what is pending.
}

TEST(Interrupt, WaitsForOneOfTwo) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  Interrupt interrupt;
  ASSERT_EQ(::write(ends[1], "x", 1), 1);
  EXPECT_TRUE(interrupt.wait_readable(ends[0]));
  interrupt.arm();
  EXPECT_TRUE(interrupt.wait_readable(ends[0]));
  ASSERT_EQ(::raise(SIGINT), 0);
  EXPECT_FALSE(interrupt.wait_readable(ends[0]));
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace rookery::transfer
