// SPDX-License-Identifier: Apache-2.0
#include "life_watch.h"

#include <gtest/gtest.h>

namespace rookery::cli {
namespace {

TEST(ShutdownWords, AreFoundInWhateverPiecesTheyCome) {
  ShutdownWords whole;
  EXPECT_TRUE(whole.feed("shutdown no-confirmation"));
  ShutdownWords pieces;
  EXPECT_FALSE(pieces.feed("shut"));
  EXPECT_FALSE(pieces.feed("down no-confirm"));
  EXPECT_TRUE(pieces.feed("ation\n"));
  ShutdownWords among;
  EXPECT_TRUE(among.feed("help\nshushutdown no-confirmation\r\nmore"));
}

TEST(ShutdownWords, AreNotFoundWhereTheyAreNot) {
  ShutdownWords words;
  EXPECT_FALSE(words.feed("shutdown\nshutdown no-confirmatioN shutdown  no-confirmation"));
}

}  // namespace
}  // namespace rookery::cli
