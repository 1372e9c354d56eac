// SPDX-License-Identifier: Apache-2.0
// Planted faults of the search are found by its property: index_property.h.
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "rookery/base/canary.h"
#include "rookery/base/test_seed.h"

#include "index_property.h"

namespace rookery::search {
namespace {

rc::detail::TestResult run_property(std::uint64_t seed) {
  rc::detail::TestParams params;
  params.seed = seed;
  params.maxSuccess = 200;
  params.disableShrinking = true;
  return rc::detail::checkTestable(index_agrees_with_its_model, rc::detail::TestMetadata(), params);
}

class SearchCanary : public ::testing::TestWithParam<Canary> {};

TEST_P(SearchCanary, IsFound) {
  set_canary(GetParam());
  const rc::detail::TestResult result = run_property(test_seed());
  set_canary(Canary::kNone);
  ASSERT_TRUE(result.is<rc::detail::FailureResult>()) << "not found, seed " << test_seed();
  const auto& failure = result.get<rc::detail::FailureResult>();
  std::printf("%s found after %d histories: %s\n", std::string(canary_name(GetParam())).c_str(),
              failure.numSuccess, failure.description.c_str());
}

INSTANTIATE_TEST_SUITE_P(Planted, SearchCanary,
                         ::testing::Values(Canary::kSearchSeekOffByOne,
                                           Canary::kSearchRangeEndSwapped));

}  // namespace
}  // namespace rookery::search
