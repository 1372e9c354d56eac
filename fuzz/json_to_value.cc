// SPDX-License-Identifier: Apache-2.0
// Any text is parsed or refused; what is parsed is a sound document that comes back identical, from
// its text in UTF-8 and in ASCII, and from a copy.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "rookery/base/check.h"
#include "rookery/value/builder.h"
#include "rookery/value/document.h"
#include "rookery/value/json.h"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rookery::value;  // NOLINT(google-build-using-namespace)
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const rookery::Result<Document> document = parse_json(text);
  if (!document) {
    RK_CHECK(document.error().error_class() == rookery::ErrorClass::kCaller);
    return 0;
  }
  RK_CHECK(validate(document->bytes()).has_value());
  const View root = document->root();
  for (const bool ascii : {false, true}) {
    const std::string written = to_json(root, {.escape_non_ascii = ascii});
    const rookery::Result<Document> again = parse_json(written, {.size_bytes_max = written.size()});
    RK_CHECK(again.has_value());
    RK_CHECK(identical(again->root(), root));
    RK_CHECK(to_json(again->root(), {.escape_non_ascii = ascii}) == written);
  }
  Builder builder;
  builder.value(root);
  const rookery::Result<Document> copy = builder.finish();
  RK_CHECK(copy.has_value());
  RK_CHECK(equal(copy->root(), root));
  return 0;
}
