// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "rookery/base/result.h"
#include "rookery/value/document.h"

#include "key_table.h"
#include "layout.h"
#include "try_array.h"

// Purpose. Lays out the bytes of a document, value by value, children before parents. Below both
// the builder and the parser, which see to it that calls nest, text is UTF-8, numbers are JSON and
// depth is bounded.
// Threads: one owner.
// Errors: running out of memory or of 32-bit offsets sticks; calls after it do nothing.

namespace rookery::value {

class Assembler {
 public:
  Assembler();

  void begin_container();
  void end_array();
  // A key that is in the object twice, if there is one; valid until the next call.
  [[nodiscard]] std::optional<std::string_view> end_object();
  void key(std::string_view key);

  void null() { add_tag(layout::Kind::kNull); }

  void boolean(bool value) { add_tag(value ? layout::Kind::kTrue : layout::Kind::kFalse); }

  void int64(std::int64_t value);
  // As kInt where it is one.
  void number(std::string_view json_number);

  void string(std::string_view utf8) { add_text(layout::Kind::kString, utf8); }

  [[nodiscard]] bool failed() const noexcept { return failure_.has_value(); }

  // Requires: failed().
  [[nodiscard]] Error failure() const;

  // Requires: one value and no open container, unless failed(). Leaves the assembler empty.
  Result<Document> finish();

  // Forgets everything; keeps memory for the next document unless it is much.
  void clear() noexcept;

 private:
  // A value whose container is still open.
  struct Entry {
    std::uint32_t key;  // in an object
    std::uint32_t offset;
  };

  struct Frame {
    std::uint32_t first;  // of its entries
    std::uint32_t key;    // of the value that comes next
  };

  // A member's place in the order by key: the first eight bytes decide most comparisons.
  struct Ranked {
    std::uint64_t prefix;
    std::uint32_t index;
    std::uint32_t key;
  };

  // Memory kept from one document to the next.
  static constexpr std::size_t kKeptMaxBytes = std::size_t{1} << 20U;

  void fail(ErrorCode code) noexcept { failure_ = code; }

  // The offset of `count` new bytes; nullopt once failed.
  [[nodiscard]] std::optional<std::uint32_t> extend(std::uint64_t count) noexcept;
  void add_value(std::uint32_t offset) noexcept;
  void add_tag(layout::Kind kind);
  void add_text(layout::Kind kind, std::string_view text);
  [[nodiscard]] bool rank_members(std::span<const Entry> members) noexcept;
  [[nodiscard]] std::optional<std::string_view> find_twin(std::span<const Entry> members) noexcept;
  void write_container(layout::Kind kind, std::span<const Entry> children) noexcept;
  void close(layout::Kind kind);

  Buffer out_;  // header and values
  KeyTable keys_;
  TryArray<Entry> entries_;
  TryArray<Frame> frames_;
  TryArray<Ranked> ranked_;  // scratch
  std::optional<ErrorCode> failure_;
};

}  // namespace rookery::value
