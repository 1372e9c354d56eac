// SPDX-License-Identifier: Apache-2.0
#include "key_table.h"

#include <algorithm>
#include <cstring>

#include "rookery/base/check.h"
#include "rookery/base/checksum.h"
#include "rookery/base/coding.h"

#include "layout.h"

namespace rookery::value {

std::string_view KeyTable::at(std::uint32_t id) const noexcept {
  RK_DCHECK(id < ends_.size());
  const std::uint32_t begin = id == 0 ? 0 : ends_[id - 1];
  return as_text(text_.bytes()).substr(begin, ends_[id] - begin);
}

std::optional<std::size_t> KeyTable::probe(std::string_view key) const noexcept {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = checksum64(as_bytes(key)) & mask;
  for (std::size_t i = 0; i < kProbesMax; ++i) {
    if (slots_[slot] == 0 || at(slots_[slot] - 1) == key) {
      return slot;
    }
    slot = (slot + 1) & mask;
  }
  return std::nullopt;
}

bool KeyTable::try_grow() noexcept {
  const std::size_t count = std::max(kSlotsMin, slots_.size() * 2);
  if (!slots_.try_grow_to(count, 0)) {
    return false;
  }
  std::ranges::fill(slots_.items(), 0U);
  for (std::uint32_t id = 0; id < ends_.size(); ++id) {
    const std::optional<std::size_t> slot = probe(at(id));
    if (slot) {
      slots_[*slot] = id + 1;
    } else {
      has_twins_ = true;  // from now on this key may be added again
    }
  }
  return true;
}

std::optional<std::uint32_t> KeyTable::intern(std::string_view key) noexcept {
  if (ends_.size() * 2 >= slots_.size() && !try_grow()) {
    return std::nullopt;
  }
  const std::optional<std::size_t> slot = probe(key);
  if (slot && slots_[*slot] != 0) {
    return slots_[*slot] - 1;
  }
  if (text_.size() + key.size() > layout::kSizeMaxBytes) {
    return std::nullopt;
  }
  const auto id = static_cast<std::uint32_t>(ends_.size());
  if (!text_.try_append(as_bytes(key))) {
    return std::nullopt;
  }
  if (!ends_.try_push(static_cast<std::uint32_t>(text_.size()))) {
    text_.truncate(text_.size() - key.size());
    return std::nullopt;
  }
  if (slot) {
    slots_[*slot] = id + 1;
  } else {
    has_twins_ = true;
  }
  return id;
}

std::uint8_t KeyTable::width_code() const noexcept {
  return layout::width_of(text_.size());
}

std::uint64_t KeyTable::encoded_size() const noexcept {
  return sizeof(std::uint32_t) + (ends_.size() << width_code()) + text_.size();
}

void KeyTable::encode(std::byte* to) const noexcept {
  const std::uint8_t width = width_code();
  save(to, count());
  to += sizeof(std::uint32_t);
  for (const std::uint32_t end : ends_.items()) {
    layout::save_width(to, width, end);
    to += std::size_t{1} << width;
  }
  if (text_.size() != 0) {
    std::memcpy(to, text_.data(), text_.size());
  }
}

void KeyTable::clear() noexcept {
  text_.clear();
  ends_.clear();
  std::ranges::fill(slots_.items(), 0U);
  has_twins_ = false;
}

void KeyTable::release() noexcept {
  text_ = Buffer();
  ends_.release();
  slots_.release();
  has_twins_ = false;
}

}  // namespace rookery::value
