// SPDX-License-Identifier: Apache-2.0
// The body of a bulk insert is read or refused, and it makes no difference in which parts it comes.
// The first byte says how long the parts are.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "rookery/base/check.h"
#include "rookery/value/document.h"
#include "rookery/value/json.h"

#include "bulk_reader.h"

namespace {

// What was read, as a text that differs if anything does.
std::string read_body(std::string_view body, std::size_t part_size) {
  using namespace rookery;  // NOLINT(google-build-using-namespace)
  constexpr std::size_t kDocumentBytesMax = 4096;
  api::BulkReader reader({.document_bytes_max = kDocumentBytesMax});
  std::string out;
  while (!body.empty()) {
    const std::string part(body.substr(0, part_size));  // of its own, so that reads behind it show
    body.remove_prefix(part.size());
    reader.feed(part);
    for (;;) {
      const Result<std::optional<db::PutCommand>> put = reader.next();
      if (!put.has_value()) {
        RK_CHECK(put.error().error_class() == ErrorClass::kCaller);
        return out.append(put.error().message());
      }
      if (!put->has_value()) {
        break;
      }
      const doc::PreparedDocument& document = (*put)->document;
      RK_CHECK(value::validate(document.document.bytes()).has_value());
      out.append((*put)->id.value_or("none")).append(" ").append(document.collection).append(" ");
      out.append(value::to_json(document.document.root())).append("\n");
    }
    RK_CHECK(reader.held_bytes() <= kDocumentBytesMax + 64 * 1024);
  }
  const Result<void> finished = reader.finish();
  return finished.has_value() ? out : out.append(finished.error().message());
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t part_size = 1 + std::size_t{data[0]} % 64;
  RK_CHECK(read_body(body, part_size) == read_body(body, std::max<std::size_t>(1, body.size())));
  return 0;
}
