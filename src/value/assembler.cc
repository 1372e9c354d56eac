// SPDX-License-Identifier: Apache-2.0
#include "assembler.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "rookery/base/check.h"

#include "number.h"

namespace rookery::value {

using layout::Kind;
using layout::WidthCode;

namespace {

// The first eight bytes as a number that sorts as they do.
[[nodiscard]] std::uint64_t key_prefix(std::string_view key) noexcept {
  std::uint64_t prefix = 0;
  if (!key.empty()) {
    std::memcpy(&prefix, key.data(), std::min(key.size(), sizeof prefix));
  }
  return __builtin_bswap64(prefix);
}

}  // namespace

Assembler::Assembler() {
  clear();
}

void Assembler::clear() noexcept {
  failure_.reset();
  if (out_.size() + keys_.text_size() > kKeptMaxBytes) {
    out_ = Buffer();
    keys_.release();
    entries_.release();
    frames_.release();
    ranked_.release();
  }
  out_.clear();
  keys_.clear();
  entries_.clear();
  frames_.clear();
  if (!out_.try_extend(layout::kHeaderSize) || !frames_.try_push(Frame{})) {
    fail(ErrorCode::out_of_memory);
  }
}

Error Assembler::failure() const {
  RK_CHECK(failed());
  if (*failure_ == ErrorCode::too_large) {
    return Error(ErrorCode::too_large, "the document's binary form would exceed 4 GB");
  }
  return Error(*failure_, "there is no memory for the document");
}

std::optional<std::uint32_t> Assembler::extend(std::uint64_t count) noexcept {
  if (failed()) {
    return std::nullopt;
  }
  const std::size_t offset = out_.size();
  if (count > layout::kSizeMaxBytes - offset) {
    fail(ErrorCode::too_large);
    return std::nullopt;
  }
  if (!out_.try_extend(count)) {
    fail(ErrorCode::out_of_memory);
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(offset);
}

void Assembler::add_value(std::uint32_t offset) noexcept {
  if (!entries_.try_push(Entry{.key = frames_.back().key, .offset = offset})) {
    fail(ErrorCode::out_of_memory);
  }
}

void Assembler::add_tag(Kind kind) {
  if (const std::optional<std::uint32_t> offset = extend(1)) {
    save(out_.data() + *offset, layout::make_tag(kind, 0));
    add_value(*offset);
  }
}

void Assembler::int64(std::int64_t value) {
  const WidthCode width = layout::width_of_int(value);
  const std::size_t size = std::size_t{1} << width;
  if (const std::optional<std::uint32_t> offset = extend(1 + size)) {
    std::byte* at = out_.data() + *offset;
    save(at, layout::make_tag(Kind::kInt, width));
    std::memcpy(at + 1, &value, size);  // little-endian: the low bytes come first
    add_value(*offset);
  }
}

void Assembler::number(std::string_view json_number) {
  if (const std::optional<std::int64_t> integer = number_as_int64(json_number)) {
    int64(*integer);
  } else {
    add_text(Kind::kNumber, json_number);
  }
}

void Assembler::add_text(Kind kind, std::string_view text) {
  if (text.size() > layout::kSizeMaxBytes) {
    fail(ErrorCode::too_large);
    return;
  }
  const WidthCode width = layout::width_of(text.size());
  const std::size_t prefix = std::size_t{1} << width;
  if (const std::optional<std::uint32_t> offset = extend(1 + prefix + text.size())) {
    std::byte* at = out_.data() + *offset;
    save(at, layout::make_tag(kind, width));
    layout::save_width(at + 1, width, static_cast<std::uint32_t>(text.size()));
    if (!text.empty()) {
      std::memcpy(at + 1 + prefix, text.data(), text.size());
    }
    add_value(*offset);
  }
}

void Assembler::begin_container() {
  if (failed()) {
    return;
  }
  const Frame frame{.first = static_cast<std::uint32_t>(entries_.size()), .key = 0};
  if (!frames_.try_push(frame)) {
    fail(ErrorCode::out_of_memory);
  }
}

void Assembler::key(std::string_view key) {
  if (failed()) {
    return;
  }
  const std::optional<std::uint32_t> id = keys_.intern(key);
  if (!id) {
    fail(ErrorCode::out_of_memory);
    return;
  }
  frames_.back().key = *id;
}

bool Assembler::rank_members(std::span<const Entry> members) noexcept {
  ranked_.clear();
  for (std::uint32_t i = 0; i < members.size(); ++i) {
    const std::uint32_t id = members[i].key;
    if (!ranked_.try_push({.prefix = key_prefix(keys_.at(id)), .index = i, .key = id})) {
      fail(ErrorCode::out_of_memory);
      return false;
    }
  }
  std::ranges::sort(ranked_.items(), [this](const Ranked& a, const Ranked& b) {
    return a.prefix != b.prefix ? a.prefix < b.prefix : keys_.at(a.key) < keys_.at(b.key);
  });
  return true;
}

std::optional<std::string_view> Assembler::find_twin(std::span<const Entry> members) noexcept {
  if (members.size() > layout::kLinearMembersMax) {
    const std::span<const Ranked> ranked = ranked_.items();
    for (std::size_t i = 1; i < ranked.size(); ++i) {
      if (ranked[i - 1].prefix == ranked[i].prefix &&
          keys_.at(ranked[i - 1].key) == keys_.at(ranked[i].key)) {
        return keys_.at(ranked[i].key);
      }
    }
    return std::nullopt;
  }
  for (std::size_t i = 1; i < members.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const bool same = members[i].key == members[j].key ||
                        (keys_.has_twins() && keys_.at(members[i].key) == keys_.at(members[j].key));
      if (same) {
        return keys_.at(members[i].key);
      }
    }
  }
  return std::nullopt;
}

void Assembler::write_container(Kind kind, std::span<const Entry> children) noexcept {
  const auto offset = static_cast<std::uint32_t>(out_.size());
  const auto count = static_cast<std::uint32_t>(children.size());
  // Children ascend, so the first one is the farthest.
  const std::uint32_t reach = children.empty() ? 0 : offset - children.front().offset;
  const WidthCode width = layout::width_of(std::max(count, reach));
  const bool object = kind == Kind::kObject;
  const bool ordered = object && count > layout::kLinearMembersMax;
  WidthCode key_width = 0;
  for (const Entry& child : children) {
    key_width = object ? std::max(key_width, layout::width_of(child.key)) : WidthCode{0};
  }
  const std::uint64_t numbers = 1 + std::uint64_t{count} * (ordered ? 2 : 1);
  const std::uint64_t key_bytes = object ? std::uint64_t{count} << key_width : 0;
  if (!extend(1 + (numbers << width) + key_bytes)) {
    return;
  }
  std::byte* at = out_.data() + offset;
  const auto put = [&at](WidthCode code, std::uint32_t value) {
    layout::save_width(at, code, value);
    at += std::size_t{1} << code;
  };
  save(at++, layout::make_tag(kind, width, key_width));
  put(width, count);
  if (object) {
    for (const Entry& child : children) {
      put(key_width, child.key);
    }
  }
  for (const Entry& child : children) {
    put(width, offset - child.offset);
  }
  if (ordered) {
    for (const Ranked& member : ranked_.items()) {
      put(width, member.index);
    }
  }
  RK_DCHECK(at == out_.data() + out_.size());
}

void Assembler::close(Kind kind) {
  const std::uint32_t first = frames_.back().first;
  const auto offset = static_cast<std::uint32_t>(out_.size());
  write_container(kind, entries_.items().subspan(first));
  if (failed()) {
    return;
  }
  entries_.truncate(first);
  frames_.truncate(frames_.size() - 1);
  add_value(offset);
}

void Assembler::end_array() {
  if (failed()) {
    return;
  }
  RK_CHECK(frames_.size() > 1);
  close(Kind::kArray);
}

std::optional<std::string_view> Assembler::end_object() {
  if (failed()) {
    return std::nullopt;
  }
  RK_CHECK(frames_.size() > 1);
  const std::span<const Entry> members = entries_.items().subspan(frames_.back().first);
  if (members.size() > layout::kLinearMembersMax && !rank_members(members)) {
    return std::nullopt;
  }
  if (const std::optional<std::string_view> twin = find_twin(members)) {
    return twin;
  }
  close(Kind::kObject);
  return std::nullopt;
}

Result<Document> Assembler::finish() {
  if (failed()) {
    Error error = failure();
    clear();
    return error;
  }
  RK_CHECK(frames_.size() == 1);
  RK_CHECK(entries_.size() == 1);
  const std::uint64_t keys_at = out_.size();
  const std::uint64_t size = keys_at + keys_.encoded_size();
  Buffer bytes;
  // The document lives long: it gets exactly its size, and the working buffer stays here.
  if (size > layout::kSizeMaxBytes || !bytes.try_reserve(size) || !bytes.try_extend(size)) {
    fail(size > layout::kSizeMaxBytes ? ErrorCode::too_large : ErrorCode::out_of_memory);
    return finish();
  }
  std::memcpy(bytes.data(), out_.data(), out_.size());
  save(bytes.data(), layout::kVersion);
  save(bytes.data() + layout::kKeyWidthAt, keys_.width_code());
  save(bytes.data() + layout::kReservedAt, std::uint16_t{0});
  save(bytes.data() + layout::kRootAt, entries_.back().offset);
  save(bytes.data() + layout::kKeysAt, static_cast<std::uint32_t>(keys_at));
  keys_.encode(bytes.data() + keys_at);
  clear();
  return Document(std::move(bytes));
}

}  // namespace rookery::value
