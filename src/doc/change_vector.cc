// SPDX-License-Identifier: Apache-2.0
#include "rookery/doc/change_vector.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace rookery::doc {

namespace {

constexpr std::string_view kBase64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::size_t kTagSizeMax = 32;

std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty() && text.front() == ' ') {
    text.remove_prefix(1);
  }
  while (!text.empty() && text.back() == ' ') {
    text.remove_suffix(1);
  }
  return text;
}

Error bad_entry(std::string_view entry) {
  return {ErrorCode::malformed,
          "'" + std::string(entry.substr(0, 80)) + "' is not an entry of a change vector"};
}

// "A:12-<22 characters>".
Result<ChangeVectorEntry> parse_entry(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon > kTagSizeMax) {
    return bad_entry(text);
  }
  ChangeVectorEntry entry;
  entry.tag = text.substr(0, colon);
  const std::string_view rest = text.substr(colon + 1);
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), entry.etag);
  const auto digits = static_cast<std::size_t>(end - rest.data());
  if (error != std::errc{} || digits >= rest.size() || rest[digits] != '-') {
    return bad_entry(text);
  }
  Result<DatabaseId> database = DatabaseId::parse(rest.substr(digits + 1));
  if (!database) {
    return bad_entry(text);
  }
  entry.database = *database;
  return entry;
}

}  // namespace

DatabaseId::DatabaseId(const std::array<std::byte, 16>& bytes) noexcept {
  // 128 bits in groups of six, the last one filled up with four zero bits.
  std::uint32_t window = 0;
  std::uint32_t bits = 0;
  std::size_t at = 0;
  for (const std::byte byte : bytes) {
    window = (window << 8U) | std::to_integer<std::uint32_t>(byte);
    bits += 8;
    while (bits >= 6) {
      bits -= 6;
      text_.at(at++) = kBase64[(window >> bits) & 63U];
    }
  }
  text_.at(at++) = kBase64[(window << (6 - bits)) & 63U];
  RK_CHECK(at == kTextSize);
}

Result<DatabaseId> DatabaseId::parse(std::string_view text) {
  const bool is_base64 = text.find_first_not_of(kBase64) == std::string_view::npos;
  if (text.size() != kTextSize || !is_base64) {
    return Error(ErrorCode::malformed, "a database id has 22 characters of base64");
  }
  DatabaseId id;
  std::copy(text.begin(), text.end(), id.text_.begin());
  return id;
}

Result<ChangeVector> ChangeVector::parse(std::string_view text) {
  if (text.size() > kTextSizeMax) {
    return Error(ErrorCode::too_large, "a change vector may have 32 KB of text");
  }
  ChangeVector vector;
  std::string_view rest = trimmed(text);
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    RK_TRY_ASSIGN(const ChangeVectorEntry entry, parse_entry(trimmed(rest.substr(0, comma))));
    if (vector.etag_of(entry.database) < entry.etag) {
      vector.set(entry.tag, entry.etag, entry.database);
    }
    if (comma == std::string_view::npos) {
      break;
    }
    rest = trimmed(rest.substr(comma + 1));
    if (rest.empty()) {
      return bad_entry(text);
    }
  }
  return vector;
}

std::uint64_t ChangeVector::etag_of(const DatabaseId& database) const noexcept {
  for (const ChangeVectorEntry& entry : entries_) {
    if (entry.database == database) {
      return entry.etag;
    }
  }
  return 0;
}

void ChangeVector::set(std::string_view tag, std::uint64_t etag, const DatabaseId& database) {
  for (ChangeVectorEntry& entry : entries_) {
    if (entry.database == database) {
      entry.tag = tag;
      entry.etag = etag;
      return;
    }
  }
  entries_.push_back({std::string(tag), etag, database});
}

void ChangeVector::merge(const ChangeVector& other) {
  for (const ChangeVectorEntry& entry : other.entries_) {
    if (etag_of(entry.database) < entry.etag) {
      set(entry.tag, entry.etag, entry.database);
    }
  }
}

Causality ChangeVector::compare(const ChangeVector& other) const noexcept {
  bool has_more = false;
  bool has_less = false;
  for (const ChangeVectorEntry& entry : entries_) {
    const std::uint64_t theirs = other.etag_of(entry.database);
    has_more = has_more || entry.etag > theirs;
    has_less = has_less || entry.etag < theirs;
  }
  for (const ChangeVectorEntry& entry : other.entries_) {
    has_less = has_less || entry.etag > etag_of(entry.database);
  }
  if (has_more && has_less) {
    return Causality::kConcurrent;
  }
  if (has_more) {
    return Causality::kAfter;
  }
  return has_less ? Causality::kBefore : Causality::kEqual;
}

std::string ChangeVector::to_string() const {
  std::string text;
  for (const ChangeVectorEntry& entry : entries_) {
    if (!text.empty()) {
      text += ", ";
    }
    text.append(entry.tag)
        .append(":")
        .append(std::to_string(entry.etag))
        .append("-")
        .append(entry.database.text());
  }
  return text;
}

bool same_change_vector(std::string_view a, std::string_view b) {
  if (a == b) {
    return true;
  }
  const Result<ChangeVector> left = ChangeVector::parse(a);
  const Result<ChangeVector> right = ChangeVector::parse(b);
  return left.has_value() && right.has_value() && left->compare(*right) == Causality::kEqual;
}

}  // namespace rookery::doc
