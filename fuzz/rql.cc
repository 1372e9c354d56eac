// SPDX-License-Identifier: Apache-2.0
// Any text: parsing neither crashes nor hangs, and what parses prints to a text that parses to the
// same tree.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "rookery/base/check.h"
#include "rookery/query/parse.h"
#include "rookery/query/print.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto first = rookery::query::parse(text);
  if (!first.has_value()) {
    RK_CHECK(first.error().message().find(" at ") != std::string_view::npos);
    return 0;
  }
  const std::string printed = rookery::query::print(*first);
  // Escapes and quotes make the printed text longer than what was read.
  const auto second = rookery::query::parse(printed, {.size_bytes_max = printed.size()});
  RK_CHECK(second.has_value());
  RK_CHECK(*first == *second);
  return 0;
}
