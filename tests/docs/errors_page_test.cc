// SPDX-License-Identifier: Apache-2.0
#include "errors_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rookery/api/errors.h"

namespace rookery::docs {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

[[nodiscard]] std::string page_without(std::string_view left_out) {
  std::string page = "# Errors\n\n| status | type | what to do |\n|---|---|---|\n";
  for (auto i = 0; i <= static_cast<int>(api::Fault::kInternal); ++i) {
    const api::FaultRow& row = api::fault_row(static_cast<api::Fault>(i));
    const std::string type(row.type.substr(row.type.rfind('.') + 1));
    if (type != left_out) {
      page += "| " + std::to_string(row.status) + " | `" + type + "` | wait |\n";
    }
  }
  return page;
}

TEST(ErrorsPage, IsFineWithAllErrors) {
  EXPECT_THAT(check_errors_page(page_without("")), IsEmpty());
}

TEST(ErrorsPage, LacksAnErrorOfTheServer) {
  EXPECT_THAT(check_errors_page(page_without("DiskFullException")),
              ElementsAre(HasSubstr("no row for 507 DiskFullException")));
}

TEST(ErrorsPage, NamesAnErrorThatTheServerHasNot) {
  EXPECT_THAT(check_errors_page(page_without("") + "| 418 | `TeapotException` | drink |\n"),
              ElementsAre(HasSubstr("no such error: 418 TeapotException")));
}

TEST(ErrorsPage, NamesAnErrorUnderAnotherStatus) {
  EXPECT_THAT(check_errors_page(page_without("DiskFullException") +
                                "| 500 | `DiskFullException` | make room |\n")
                  .size(),
              2U);
}

}  // namespace
}  // namespace rookery::docs
