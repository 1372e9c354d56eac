// SPDX-License-Identifier: Apache-2.0
// Any bytes are refused by validate(), or can be read to the last value without leaving them.
#include <cstddef>
#include <cstdint>
#include <string>

#include "rookery/base/check.h"
#include "rookery/base/coding.h"
#include "rookery/value/builder.h"
#include "rookery/value/document.h"
#include "rookery/value/json.h"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rookery::value;  // NOLINT(google-build-using-namespace)
  const rookery::Bytes bytes(reinterpret_cast<const std::byte*>(data), size);
  static_cast<void>(View::over(bytes));
  if (!validate(bytes)) {
    return 0;
  }
  const rookery::Result<View> root = View::over(bytes);
  RK_CHECK(root.has_value());
  RK_CHECK(identical(*root, *root));
  for (std::size_t i = 0; root->is_object() && i < root->size(); ++i) {
    RK_CHECK(root->find(root->key_at(i)).has_value());
  }
  const rookery::Result<Document> again = parse_json(to_json(*root), {.depth_max = kDepthMax});
  RK_CHECK(again.has_value());
  RK_CHECK(identical(again->root(), *root));
  Builder builder(BuildLimits{.depth = kDepthMax});
  builder.value(*root);
  const rookery::Result<Document> copy = builder.finish();
  RK_CHECK(copy.has_value());
  RK_CHECK(equal(copy->root(), *root));
  return 0;
}
