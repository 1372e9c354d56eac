// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "rookery/base/coding.h"
#include "rookery/base/result.h"
#include "rookery/value/buffer.h"

// Purpose. The binary document: a JSON value whose members and elements are found without parsing.
// What a reader gets back is what was written: order of keys, numbers digit by digit (`1.10`,
// `-0.0`, integers of any length), strings as Unicode text.
// Threads: a Document and its Views are immutable; any number of threads may read them at once.
// Source: docs/format/document.md.

namespace rookery::value {

enum class Type : std::uint8_t { kNull, kBool, kInt, kNumber, kString, kArray, kObject };

[[nodiscard]] std::string_view type_name(Type type) noexcept;

// The most levels of arrays and objects that any document may have, whatever its limits say. Code
// that walks documents recurses, so this bounds its stack.
inline constexpr std::size_t kDepthMax = 512;
// What users' documents may have unless configured otherwise.
inline constexpr std::size_t kDepthDefault = 256;
inline constexpr std::size_t kDocumentSizeDefaultBytes = std::size_t{128} << 20U;

// Purpose. One value inside a document, borrowed.
// Owns: nothing. Views, keys and strings live as long as the bytes of the document do.
// Requires: the bytes passed validate() once, or come from Builder or parse_json and are unchanged.
class View {
 public:
  // The value null.
  View() noexcept = default;

  // The root over bytes that are known to be well formed: made here, or guarded by a checksum since
  // then. Checks header and bounds of the root only, in O(1).
  // Errors: corrupt; incompatible for a newer format.
  static Result<View> over(Bytes document);

  [[nodiscard]] Type type() const noexcept;

  [[nodiscard]] bool is_null() const noexcept { return type() == Type::kNull; }

  [[nodiscard]] bool is_string() const noexcept { return type() == Type::kString; }

  [[nodiscard]] bool is_array() const noexcept { return type() == Type::kArray; }

  [[nodiscard]] bool is_object() const noexcept { return type() == Type::kObject; }

  // kInt or kNumber.
  [[nodiscard]] bool is_number() const noexcept;

  // Each answers nullopt where the value is of another type; nothing is coerced.
  [[nodiscard]] std::optional<bool> as_bool() const noexcept;
  // kInt only: written as an integer and within 64 bits. `1.0`, `1e3` and `-0` are kNumber.
  [[nodiscard]] std::optional<std::int64_t> as_int64() const noexcept;
  // The nearest double; beyond the range an infinity or a signed zero.
  [[nodiscard]] std::optional<double> as_double() const noexcept;
  [[nodiscard]] std::optional<std::string_view> as_string() const noexcept;
  // The number as it was written.
  [[nodiscard]] std::optional<std::string> number_text() const;

  // Elements or members; 0 for a scalar.
  [[nodiscard]] std::size_t size() const noexcept;
  // O(1). Requires: array, index < size().
  [[nodiscard]] View at(std::size_t index) const noexcept;
  // Members in the order they were written, O(1). Requires: object, index < size().
  [[nodiscard]] std::string_view key_at(std::size_t index) const noexcept;
  [[nodiscard]] View value_at(std::size_t index) const noexcept;

  // By exact key; nullopt if there is none or this is not an object. O(log size()).
  [[nodiscard]] std::optional<View> find(std::string_view key) const noexcept;
  // find() and as_...() at once: nullopt if the member is missing or of another type.
  [[nodiscard]] std::optional<std::string_view> find_string(std::string_view key) const noexcept;
  [[nodiscard]] std::optional<std::int64_t> find_int64(std::string_view key) const noexcept;
  [[nodiscard]] std::optional<bool> find_bool(std::string_view key) const noexcept;

 private:
  friend class Reader;

  View(const std::byte* base, std::uint32_t offset) noexcept : base_(base), offset_(offset) {}

  const std::byte* base_ = nullptr;  // first byte of the document; null for a default View
  std::uint32_t offset_ = 0;         // of the value's tag
};

// Purpose. Owns the bytes of one document. Move-only: copying a document is never an accident.
class Document {
 public:
  // The document null.
  Document() noexcept = default;

  // Takes bytes of unknown origin: copies them and checks all of them.
  // Errors: corrupt, incompatible, out_of_memory.
  static Result<Document> from_bytes(Bytes bytes);

  // Requires: `bytes` are well formed.
  explicit Document(Buffer bytes) noexcept : bytes_(std::move(bytes)) {}

  // Lives as long as this object or what it is moved to.
  [[nodiscard]] View root() const noexcept;

  // What to store; empty for a default Document.
  [[nodiscard]] Bytes bytes() const noexcept { return bytes_.bytes(); }

 private:
  Buffer bytes_;
};

// Checks every reference, length, key and string of an untrusted buffer: afterwards no View over
// it reads outside, its strings are UTF-8, its keys distinct and its depth within kDepthMax.
// O(size log width).
// Errors: corrupt, saying where; incompatible for a newer format.
Result<void> validate(Bytes document);

// The same JSON value: order of members does not matter, numbers are compared exactly by value
// (`1.10` equals `1.1` and `11e-1`).
[[nodiscard]] bool equal(View a, View b);

// The same JSON text but for whitespace and escapes: members in the same order, numbers written
// the same way. Writing the one in place of the other would change nothing that a reader sees.
[[nodiscard]] bool identical(View a, View b);

}  // namespace rookery::value
