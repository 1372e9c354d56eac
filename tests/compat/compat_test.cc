// SPDX-License-Identifier: Apache-2.0
// Data directories that earlier versions wrote are opened, read, checked and written to. Each file
// stays here for ever; see README.md.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "rookery/os/platform.h"

#include "content_v1.h"

namespace rookery::compat {
namespace {

std::vector<std::string> archives() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(RK_COMPAT_FILES)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class Compat : public ::testing::TestWithParam<std::string> {
 protected:
  Compat() {
    std::string name = "/tmp/rookery-compat-XXXXXX";
    folder_ = mkdtemp(name.data());
    const std::string unpack = "tar -C " + folder_ + " -xzf " RK_COMPAT_FILES "/" + GetParam();
    EXPECT_EQ(std::system(unpack.c_str()), 0) << unpack;  // NOLINT(cert-env33-c)
  }

  ~Compat() override { std::filesystem::remove_all(folder_); }

  std::string folder_;
};

TEST_P(Compat, WhatAnEarlierVersionWroteIsAllThere) {
  // Twice: what this version makes of it is read again, too.
  for (const bool first : {true, false}) {
    db::ServerOptions options;
    options.data_dir = folder_;
    options.reserve_bytes = 0;
    Result<std::unique_ptr<db::Server>> server =
        db::Server::open(os::real_platform(), std::move(options));
    ASSERT_TRUE(server.has_value()) << server.error().to_string();
    if (first) {
      ASSERT_TRUE(GetParam().starts_with("v1-")) << "no check is known for this file";
      const Result<std::string> wrong = check_content_v1(**server);
      ASSERT_TRUE(wrong.has_value()) << wrong.error().to_string();
      EXPECT_EQ(*wrong, "");
    } else {
      const Result<db::DatabaseRef> again = (*server)->acquire_and_wait("Journaled");
      ASSERT_TRUE(again.has_value()) << again.error().to_string();
      EXPECT_EQ((*again)->stats()->documents.document_count, journaled_documents().size() + 1);
    }
    EXPECT_TRUE((*server)->close().has_value());
  }
}

INSTANTIATE_TEST_SUITE_P(Files, Compat, ::testing::ValuesIn(archives()), [](const auto& each) {
  std::string name = each.param.substr(0, each.param.find(".tar"));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(CompatFiles, ThereAreSome) {
  EXPECT_FALSE(archives().empty());
}

}  // namespace
}  // namespace rookery::compat
