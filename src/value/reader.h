// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "rookery/value/document.h"

#include "layout.h"

// Purpose. What the code of this layer knows about a View that its users do not: where it is.
// Requires: as View.

namespace rookery::value {

// The parts of an array or object, read once.
struct Container {
  const std::byte* base = nullptr;  // of the document
  std::uint32_t offset = 0;         // of its tag
  std::uint32_t count = 0;
  layout::WidthCode width = 0;
  layout::WidthCode key_width = 0;
  const std::byte* keys = nullptr;       // objects only
  const std::byte* distances = nullptr;  // from a child's tag to this one's
  const std::byte* order = nullptr;      // large objects only

  [[nodiscard]] std::uint32_t child_offset(std::size_t index) const noexcept {
    return offset - layout::load_width(distances + (index << width), width);
  }

  [[nodiscard]] std::uint32_t key_id(std::size_t index) const noexcept {
    return layout::load_width(keys + (index << key_width), key_width);
  }

  [[nodiscard]] std::uint32_t sorted(std::size_t rank) const noexcept {
    return layout::load_width(order + (rank << width), width);
  }
};

// The table of distinct keys at a document's end.
struct Keys {
  std::uint32_t count = 0;
  layout::WidthCode width = 0;
  const std::byte* ends = nullptr;
  const std::byte* text = nullptr;

  [[nodiscard]] std::string_view at(std::uint32_t id) const noexcept {
    const std::uint32_t begin =
        id == 0 ? 0 : layout::load_width(ends + ((std::size_t{id} - 1) << width), width);
    const std::uint32_t end = layout::load_width(ends + (std::size_t{id} << width), width);
    return {reinterpret_cast<const char*>(text) + begin, end - begin};
  }
};

class Reader {
 public:
  [[nodiscard]] static View view(const std::byte* base, std::uint32_t offset) noexcept {
    return View(base, offset);
  }

  [[nodiscard]] static Container container(View view) noexcept {
    return container(view.base_, view.offset_);
  }

  // Reads tag and count only; nothing behind them is touched.
  [[nodiscard]] static Container container(const std::byte* base, std::uint32_t offset) noexcept;

  [[nodiscard]] static Keys keys(View view) noexcept { return keys(view.base_); }

  [[nodiscard]] static Keys keys(const std::byte* base) noexcept;
  // The text of a kString or kNumber.
  [[nodiscard]] static std::string_view text(View view) noexcept;
};

}  // namespace rookery::value
