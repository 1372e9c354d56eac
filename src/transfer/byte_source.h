// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "rookery/base/result.h"

#include "interrupt.h"

// Purpose. Bytes of an input, part by part.

namespace rookery::transfer {

// Threads: one owner.
class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;
  // The next bytes; empty at the end. They live until the next call. Errors: io, cancelled.
  [[nodiscard]] virtual Result<std::string_view> next() = 0;
};

// "-" is the standard input. Borrows `interrupt`. Errors: not_found.
[[nodiscard]] Result<std::unique_ptr<ByteSource>> open_source(const std::string& path,
                                                              const Interrupt& interrupt);
// How many bytes there are; nullopt where that is not known.
[[nodiscard]] std::optional<std::uint64_t> source_size(const std::string& path);

// Purpose. A source as text: without the byte order mark that some programs put before UTF-8.
// Threads: one owner.
class TextParts {
 public:
  explicit TextParts(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {}

  // Empty at the end; lives until the next call. Errors: of the source; malformed, if the first
  // bytes are those of another encoding or of compressed data.
  [[nodiscard]] Result<std::string_view> next();

  // The first part, which next() is still to give. Requires: before next().
  [[nodiscard]] Result<std::string_view> peek();

  // Bytes that came from the source.
  [[nodiscard]] std::uint64_t taken() const noexcept { return taken_; }

 private:
  [[nodiscard]] Result<std::string_view> read();

  std::unique_ptr<ByteSource> source_;
  std::string first_;  // what came until there were enough bytes to know an encoding
  std::size_t mark_bytes_ = 0;
  bool first_is_known_ = false;
  bool first_is_given_ = false;
  std::uint64_t taken_ = 0;
};

}  // namespace rookery::transfer
