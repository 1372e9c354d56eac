// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "rookery/base/result.h"
#include "rookery/value/document.h"
#include "rookery/value/json.h"

// Purpose. Tells whether two sets of documents are the same, without holding either.

namespace rookery::transfer {

// A document without what a server knows of it: its own members, its collection, the rest of its
// metadata. Two documents with the same text have the same content.
[[nodiscard]] std::string content_text(value::View document);

// Purpose. Counts and hashes that do not depend on the order of the documents.
struct Digest {
  std::uint64_t count = 0;
  std::uint64_t content = 0;   // over ids and contents
  std::uint64_t versions = 0;  // over ids, change vectors and dates

  friend bool operator==(const Digest&, const Digest&) noexcept = default;

  void add(std::string_view id, value::View document);
};

// "3 documents, content 0123456789abcdef, versions 0123456789abcdef"
[[nodiscard]] std::string to_text(const Digest& digest);

// Purpose. Adds documents that are given as text, with their ids in their metadata.
class Digester {
 public:
  // Errors: malformed.
  [[nodiscard]] Result<void> add(std::string_view json);

  [[nodiscard]] const Digest& digest() const noexcept { return digest_; }

 private:
  value::JsonParser parser_;
  Digest digest_;
};

// Purpose. Lines out of parts of any size.
class LineSplitter {
 public:
  // Calls `take` with every line that ends in `part`, without its end.
  template <typename Take>
  [[nodiscard]] Result<void> feed(std::string_view part, const Take& take) {
    for (;;) {
      const std::size_t end = part.find('\n');
      if (end == std::string_view::npos) {
        held_ += part;
        return {};
      }
      if (held_.empty()) {
        RK_TRY(take(part.substr(0, end)));
      } else {
        held_ += part.substr(0, end);
        RK_TRY(take(std::string_view(held_)));
        held_.clear();
      }
      part.remove_prefix(end + 1);
    }
  }

  [[nodiscard]] bool at_line_start() const noexcept { return held_.empty(); }

 private:
  std::string held_;
};

}  // namespace rookery::transfer
