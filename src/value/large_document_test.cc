// SPDX-License-Identifier: Apache-2.0
// A document of the largest size, and of one byte more. By hand: it takes seconds and a gigabyte.
#include <string>

#include <gtest/gtest.h>

#include "rookery/value/document.h"
#include "rookery/value/json.h"

namespace rookery::value {
namespace {

// A text of exactly `size` bytes: many members of many kinds, then one long string.
std::string document_of(std::size_t size) {
  std::string text = R"({"members":[)";
  for (int i = 0; i < 1'000'000; ++i) {
    text += i == 0 ? "" : ",";
    text += R"({"n":)" + std::to_string(i) + R"(,"exact":1.10,"s":"\u00e4\n"})";
  }
  text += R"(],"rest":")";
  text.append(size - text.size() - 2, 'x');
  return text + "\"}";
}

TEST(LargeDocument, OfTheLargestSizeComesBack) {
  const std::string text = document_of(kDocumentSizeDefaultBytes);
  ASSERT_EQ(text.size(), kDocumentSizeDefaultBytes);
  const Result<Document> document = parse_json(text);
  ASSERT_TRUE(document.has_value()) << document.error().to_string();
  EXPECT_TRUE(validate(document->bytes()).has_value());
  const View root = document->root();
  EXPECT_EQ(root.find("members")->size(), 1'000'000U);
  EXPECT_EQ(root.find("members")->at(999'999).find("exact")->number_text(), "1.10");
  const Result<Document> again = parse_json(to_json(root));
  ASSERT_TRUE(again.has_value()) << again.error().to_string();
  EXPECT_TRUE(identical(root, again->root()));
}

TEST(LargeDocument, OfOneByteMoreIsRefused) {
  const Result<Document> document = parse_json(document_of(kDocumentSizeDefaultBytes + 1));
  ASSERT_FALSE(document.has_value());
  EXPECT_EQ(document.error().code(), ErrorCode::too_large);
}

}  // namespace
}  // namespace rookery::value
