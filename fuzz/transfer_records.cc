// SPDX-License-Identifier: Apache-2.0
// Any bytes as a file to import: its records are read up to its end or to an error, the same in
// whatever parts the bytes come; each names its line, and none is larger than it may be. The first
// byte says how long the parts are, the second which format it is.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "rookery/base/check.h"
#include "rookery/value/json.h"
#include "rookery/value/text.h"

#include "record_reader.h"
#include "text_source.h"

namespace {

using namespace rookery;  // NOLINT(google-build-using-namespace)

constexpr std::size_t kRecordBytesMax = 512;

struct Format {
  std::string_view name;
  char delimiter = ',';
  std::string_view types{};
};

constexpr auto kFormats = std::to_array<Format>({
    {"json"},
    {"jsonl"},
    {"csv"},
    {"csv", '\t', "auto"},
    {"csv", ';', "a=number,b=bool"},
});

void check(const transfer::Record& record, const Format& format, std::uint64_t lines) {
  RK_CHECK(record.line >= 1);
  RK_CHECK(record.line <= lines);
  RK_CHECK(record.text.size() <= kRecordBytesMax);
  if (format.name != "csv") {
    RK_CHECK(record.json.empty());
    return;
  }
  if (!record.fault.empty()) {
    return;
  }
  RK_CHECK(value::is_utf8(record.json));
  const auto parsed = value::parse_json(record.json);
  // Of a number that no document can hold, whoever makes documents says so.
  RK_CHECK((parsed.has_value() || !format.types.empty()));
  RK_CHECK((!parsed.has_value() || parsed->root().is_object()));
}

// What was read, as a text that differs if anything does.
std::string read_all(std::string_view text, const Format& format, std::size_t part_size) {
  auto reader = transfer::make_reader(
      transfer::TextParts(std::make_unique<transfer::TextSource>(std::string(text), part_size)),
      {.format = std::string(format.name),
       .record_bytes_max = kRecordBytesMax,
       .delimiter = format.delimiter,
       .types = std::string(format.types)});
  RK_CHECK(reader.has_value());
  // A return ends a line as well.
  const auto lines =
      1 + static_cast<std::uint64_t>(std::count_if(text.begin(), text.end(),
                                                   [](char c) { return c == '\n' || c == '\r'; }));
  std::string out;
  for (;;) {
    const auto record = (*reader)->next();
    if (!record.has_value()) {
      RK_CHECK(record.error().error_class() == ErrorClass::kCaller);
      return out.append(record.error().message());
    }
    if (!record->has_value()) {
      RK_CHECK((*reader)->bytes_taken() == text.size());
      return out;
    }
    check(**record, format, lines);
    out += fmt::format("{} {} {} {}\n", (*record)->line, (*record)->text, (*record)->json,
                       (*record)->fault);
  }
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) {
    return 0;
  }
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  const Format& format = kFormats[data[1] % kFormats.size()];
  const std::size_t part_size = 1 + std::size_t{data[0]} % 64;
  RK_CHECK(read_all(text, format, part_size) ==
           read_all(text, format, std::max<std::size_t>(1, text.size())));
  return 0;
}
