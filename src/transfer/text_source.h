// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "byte_source.h"

// Purpose. For tests: a text as a source, in parts of a size.

namespace rookery::transfer {

class TextSource final : public ByteSource {
 public:
  TextSource(std::string text, std::size_t part_size)
      : text_(std::move(text)), part_size_(part_size) {}

  Result<std::string_view> next() override {
    part_ = text_.substr(position_, part_size_);
    position_ += part_.size();
    return std::string_view(part_);
  }

 private:
  const std::string text_;
  const std::size_t part_size_;
  std::size_t position_ = 0;
  std::string part_;  // of its own: what was given before is gone
};

}  // namespace rookery::transfer
