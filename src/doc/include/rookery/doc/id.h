// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "rookery/base/coding.h"
#include "rookery/base/result.h"

// Purpose. The rules of document ids, and the wildcards that are matched against them.

namespace rookery::doc {

// How the id of a put is to be read.
enum class IdForm : std::uint8_t {
  kGuid,      // none given: a random one is made
  kEtag,      // ends in the separator: 19 digits of the etag and the node's tag follow
  kIdentity,  // ends in '|': replaced by the separator and the next number of that identity
  kLiteral,
};

// Errors: too_large (over kIdSizeMax), malformed (not UTF-8), invalid_argument (nothing but a
// separator).
[[nodiscard]] Result<IdForm> classify_id(std::string_view id, char separator);

// "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx" from 16 random bytes.
[[nodiscard]] std::string format_guid(Bytes random);
// "000...0042": 19 digits.
[[nodiscard]] std::string padded_etag(std::uint64_t etag);

// Alternatives separated by '|', each with '*' (any run) and '?' (one character); case-insensitive.
// Threads: const methods from several threads.
class IdPattern {
 public:
  // An empty text matches nothing; empty() says so.
  explicit IdPattern(std::string_view text);

  [[nodiscard]] bool empty() const noexcept { return folded_.empty(); }

  // `folded` is folded text. Linear in pattern times text at worst.
  [[nodiscard]] bool matches(std::string_view folded) const;

 private:
  std::string folded_;
};

}  // namespace rookery::doc
