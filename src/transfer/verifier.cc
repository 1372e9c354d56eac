// SPDX-License-Identifier: Apache-2.0
#include "verifier.h"

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "rookery/value/json.h"

#include "digest.h"

namespace rookery::transfer {

namespace {

constexpr std::size_t kAtOnce = 256;
constexpr std::size_t kBytesAtOnce = std::size_t{4} << 20U;
constexpr std::uint64_t kShownMax = 10;

// Purpose. Documents that are to be loaded together.
class Expected {
 public:
  Result<void> add(const MadeDocument& made, std::uint64_t line) {
    RK_TRY_ASSIGN(const value::Document document,
                  value::parse_json(made.json, {.size_bytes_max = made.json.size()}));
    ids_.push_back(made.id);
    contents_.push_back(content_text(document.root()));
    lines_.push_back(line);
    bytes_ += contents_.back().size();
    return {};
  }

  [[nodiscard]] bool is_full() const { return ids_.size() >= kAtOnce || bytes_ >= kBytesAtOnce; }

  Result<void> check(const Server& server, VerifyCounts& counts) {
    if (ids_.empty()) {
      return {};
    }
    RK_TRY_ASSIGN(const value::Document loaded, server.load(ids_));
    const auto results = loaded.root().find("Results");
    if (!results.has_value() || !results->is_array() || results->size() != ids_.size()) {
      return Error(ErrorCode::malformed, "the server's answer has other documents than asked for");
    }
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      compare(i, results->at(i), counts);
    }
    *this = Expected();
    return {};
  }

 private:
  void compare(std::size_t i, value::View found, VerifyCounts& counts) const {
    if (found.is_object() && content_text(found) == contents_[i]) {
      ++counts.equal_count;
      return;
    }
    if (counts.difference_count++ < kShownMax) {
      fmt::print(stderr, "line {}: document '{}' {}\n", lines_[i], ids_[i],
                 found.is_object() ? "has another content" : "is not in the database");
    }
  }

  std::vector<std::string> ids_;
  std::vector<std::string> contents_;
  std::vector<std::uint64_t> lines_;
  std::size_t bytes_ = 0;
};

}  // namespace

Result<VerifyCounts> verify_documents(RecordReader& reader, DocumentMaker& maker,
                                      const Server& server) {
  VerifyCounts counts;
  Expected expected;
  for (std::uint64_t number = 1;; ++number) {
    RK_TRY_ASSIGN(const std::optional<Record> record, reader.next());
    if (!record.has_value()) {
      RK_TRY(expected.check(server, counts));
      return counts;
    }
    if (!record->fault.empty()) {
      continue;
    }
    const Result<MadeDocument> made = maker.make(record->object(), number);
    if (!made.has_value()) {
      continue;
    }
    RK_TRY(expected.add(*made, record->line));
    if (expected.is_full()) {
      RK_TRY(expected.check(server, counts));
    }
  }
}

}  // namespace rookery::transfer
