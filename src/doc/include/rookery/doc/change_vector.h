// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rookery/base/coding.h"
#include "rookery/base/result.h"

// Purpose. Change vectors: for each database instance, the highest etag of it that a version of a
// document has seen. Text form: `A:1-<22 characters>, B:7-<22 characters>`, an unordered set.
// Source: docs/format/documents.md.

namespace rookery::doc {

// Purpose. Names one instance of a database: 16 random bytes as 22 characters of base64.
class DatabaseId {
 public:
  static constexpr std::size_t kTextSize = 22;

  DatabaseId() noexcept { text_.fill('A'); }  // sixteen zero bytes

  explicit DatabaseId(const std::array<std::byte, 16>& bytes) noexcept;
  // Errors: malformed (length or alphabet).
  [[nodiscard]] static Result<DatabaseId> parse(std::string_view text);

  [[nodiscard]] std::string_view text() const noexcept { return {text_.data(), text_.size()}; }

  friend auto operator<=>(const DatabaseId&, const DatabaseId&) noexcept = default;

 private:
  std::array<char, kTextSize> text_{};
};

struct ChangeVectorEntry {
  std::string tag;  // of the node; for reading only, never compared
  std::uint64_t etag = 0;
  DatabaseId database;
};

enum class Causality : std::uint8_t { kEqual, kBefore, kAfter, kConcurrent };

class ChangeVector {
 public:
  static constexpr std::size_t kTextSizeMax = 32 * 1024;

  ChangeVector() = default;

  // Two entries of one database: the higher counts. Errors: malformed, too_large.
  [[nodiscard]] static Result<ChangeVector> parse(std::string_view text);

  [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }

  [[nodiscard]] const std::vector<ChangeVectorEntry>& entries() const noexcept { return entries_; }

  // 0 if the database has no entry.
  [[nodiscard]] std::uint64_t etag_of(const DatabaseId& database) const noexcept;
  // Sets the database's entry to `etag`, whatever it was.
  void set(std::string_view tag, std::uint64_t etag, const DatabaseId& database);
  // The highest of both, entry by entry.
  void merge(const ChangeVector& other);
  // What this one is, seen from `other`: kAfter if it has seen all that `other` has, and more.
  [[nodiscard]] Causality compare(const ChangeVector& other) const noexcept;
  [[nodiscard]] std::string to_string() const;

 private:
  std::vector<ChangeVectorEntry> entries_;  // in the order of their first appearance
};

// True if both texts mean the same vector. A text that is not a vector equals only itself.
[[nodiscard]] bool same_change_vector(std::string_view a, std::string_view b);

}  // namespace rookery::doc
