// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "index_property.h"

namespace rookery::search {
namespace {

TEST(Index, AgreesWithItsModel) {
  EXPECT_TRUE(rc::check(index_agrees_with_its_model));
}

}  // namespace
}  // namespace rookery::search
