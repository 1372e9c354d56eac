// SPDX-License-Identifier: Apache-2.0
// A document of the largest size through the whole interface and onto a disk, one that is a byte
// larger, and what memory they take. By hand: it takes seconds and more than a gigabyte.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "rookery/os/posix_file_system.h"

#include "test_service.h"

namespace rookery::api {
namespace {

// Of the document's size, beyond what the process held before the request: its worst moment. The
// request's body, the parser's padded copy of it, the binary form and its pages in scratch are one
// each; the answer's body, this test's copy of it and what that is parsed into, too.
constexpr std::uint64_t kPutFactorMax = 5;
constexpr std::uint64_t kGetFactorMax = 5;

// A folder on a real disk, gone afterwards.
class Folder {
 public:
  Folder() {
    std::string path = "/var/tmp/rookery-large-XXXXXX";
    EXPECT_NE(mkdtemp(path.data()), nullptr);
    path_ = path;
  }

  ~Folder() { std::filesystem::remove_all(path_); }

  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::uint64_t status_kib(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word == key) {
      std::uint64_t value = 0;
      status >> value;
      return value;
    }
  }
  return 0;
}

// Purpose. The most memory of this process since it was made.
class Peak {
 public:
  Peak() : before_(status_kib("VmRSS:")) {
    std::ofstream("/proc/self/clear_refs") << 5;  // forgets earlier peaks
  }

  [[nodiscard]] std::uint64_t bytes() const { return (status_kib("VmHWM:") - before_) * 1024; }

 private:
  const std::uint64_t before_;
};

// JSON whose binary form has exactly `size` bytes: many members, then one long string.
std::string json_of(std::size_t size) {
  std::string text = R"({"members":[)";
  for (int i = 0; i < 100'000; ++i) {
    text += i == 0 ? "" : ",";
    text += R"({"n":)" + std::to_string(i) + R"(,"exact":1.10,"s":"\u00e4\n"})";
  }
  text += R"(],"rest":")";
  const auto with_rest = [&](std::size_t length) {
    return text + std::string(length, 'x') + "\"}";
  };
  // Near the size: the lengths before a string take more bytes for a longer one.
  const std::size_t guess = size - text.size() * 2;
  const auto parsed = value::parse_json(with_rest(guess));
  EXPECT_TRUE(parsed.has_value());
  return with_rest(guess + size - parsed->bytes().size());
}

std::size_t binary_size(const std::string& json) {
  const auto parsed = value::parse_json(json, {.size_bytes_max = json.size()});
  EXPECT_TRUE(parsed.has_value());
  return parsed->bytes().size();
}

TEST(LargeDocument, OfTheLargestSizeIsStoredAndOneByteMoreIsRefused) {
  const Folder folder;
  TestService service(std::make_unique<os::PosixFileSystem>(), folder.path() + "/data");
  service.create("shop");
  const std::size_t size_max = ServiceOptions{}.document_bytes_max;
  {
    const std::string json = json_of(size_max);
    ASSERT_EQ(binary_size(json), size_max);
    const Peak put_peak;
    ASSERT_EQ(service.call("PUT", "/databases/shop/docs?id=big", json).status, 201);
    std::printf("PUT: %.1f times the document\n",
                static_cast<double>(put_peak.bytes()) / static_cast<double>(size_max));
    EXPECT_LE(put_peak.bytes(), kPutFactorMax * size_max);
    const Peak get_peak;
    const Answer found = service.call("GET", "/databases/shop/docs?id=big");
    std::printf("GET: %.1f times the document, the comparison's own parsing included\n",
                static_cast<double>(get_peak.bytes()) / static_cast<double>(size_max));
    EXPECT_LE(get_peak.bytes(), kGetFactorMax * size_max);
    ASSERT_EQ(found.status, 200);
    const auto sent = value::parse_json(json, {.size_bytes_max = json.size()});
    ASSERT_TRUE(sent.has_value());
    const auto stored = found.root().find("Results")->at(0);
    EXPECT_TRUE(value::identical(*stored.find("members"), *sent->root().find("members")));
    EXPECT_EQ(stored.find_string("rest"), sent->root().find_string("rest"));
  }
  const std::string larger = json_of(size_max + 1);
  ASSERT_EQ(binary_size(larger), size_max + 1);
  for (const Answer& refused :
       {service.call("PUT", "/databases/shop/docs?id=bigger", larger),
        service.call("POST", "/databases/shop/bulk_docs",
                     R"({"Commands":[{"Type":"PUT","Id":"bigger","Document":)" + larger + "}]}")}) {
    EXPECT_EQ(refused.status, 413);
    EXPECT_EQ(refused.type(), "Raven.Client.Exceptions.QuotaException");
  }
  EXPECT_EQ(service.call("HEAD", "/databases/shop/docs?id=bigger").status, 404);
  EXPECT_EQ(service.call("GET", "/databases/shop/stats").root().find_int64("CountOfDocuments"), 1);
}

}  // namespace
}  // namespace rookery::api
