// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "rookery/base/check.h"
#include "rookery/value/document.h"
#include "rookery/value/text.h"

#include "layout.h"
#include "number.h"
#include "reader.h"

namespace rookery::value {

using layout::Kind;

namespace {

[[nodiscard]] Error damaged(std::uint64_t offset, std::string_view what) {
  return Error(ErrorCode::corrupt,
               "document damaged at byte " + std::to_string(offset) + ": " + std::string(what));
}

// Walks a document from its root. Values lie end to end, each container right behind its last
// child, so that every byte is visited once: sharing, cycles and gaps cannot pass.
class Validator {
 public:
  explicit Validator(Bytes bytes) : bytes_(bytes), base_(bytes.data()) {}

  Result<void> run() {
    RK_TRY(check_keys());
    const auto root = load<std::uint32_t>(base_ + layout::kRootAt);
    RK_TRY_ASSIGN(const std::uint64_t end, check_value(root, layout::kHeaderSize, 0));
    if (end != values_end_) {
      return damaged(end, "bytes that belong to no value");
    }
    return {};
  }

 private:
  Result<void> check_keys();
  // The value tagged at `offset`, whose own bytes and children fill the place from `begin` on.
  // Answers its end. Recursion is bounded by kDepthMax.
  Result<std::uint64_t> check_value(std::uint64_t offset, std::uint64_t begin, std::size_t depth);
  Result<std::uint64_t> check_scalar(std::uint64_t offset);
  Result<std::uint64_t> check_text(std::uint64_t offset, bool number);
  Result<std::uint64_t> check_container(std::uint64_t offset, std::uint64_t begin,
                                        std::size_t depth);
  Result<void> check_members(const Container& c);

  [[nodiscard]] std::uint8_t tag_at(std::uint64_t offset) const noexcept {
    return load<std::uint8_t>(base_ + offset);
  }

  Bytes bytes_;
  const std::byte* base_;
  std::uint64_t values_end_ = 0;
  Keys keys_;
};

Result<void> Validator::check_keys() {
  const auto at = load<std::uint32_t>(base_ + layout::kKeysAt);
  values_end_ = at;
  const std::uint64_t count = load<std::uint32_t>(base_ + at);
  const std::uint64_t room = bytes_.size() - at - sizeof(std::uint32_t);
  const auto width = load<std::uint8_t>(base_ + layout::kKeyWidthAt);
  if (count << width > room) {
    return damaged(at, "more keys than bytes");
  }
  keys_ = Reader::keys(base_);
  const std::uint64_t text_size = room - (count << width);
  std::uint32_t before = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint32_t end = layout::load_width(keys_.ends + (i << width), width);
    if (end < before || end > text_size) {
      return damaged(at, "a key lies outside its table");
    }
    if (!is_utf8(keys_.at(static_cast<std::uint32_t>(i)))) {
      return damaged(at, "a key is not UTF-8");
    }
    before = end;
  }
  if (before != text_size) {
    return damaged(at, "the key table does not end where the document does");
  }
  return {};
}

Result<std::uint64_t> Validator::check_value(std::uint64_t offset, std::uint64_t begin,
                                             std::size_t depth) {
  RK_DCHECK(begin <= offset && offset < values_end_);
  const std::uint8_t kind = layout::tag_kind(tag_at(offset));
  if (kind == static_cast<std::uint8_t>(Kind::kArray) ||
      kind == static_cast<std::uint8_t>(Kind::kObject)) {
    return check_container(offset, begin, depth);
  }
  if (offset != begin) {
    return damaged(begin, "bytes that belong to no value");
  }
  return check_scalar(offset);
}

Result<std::uint64_t> Validator::check_scalar(std::uint64_t offset) {
  const std::uint8_t tag = tag_at(offset);
  switch (static_cast<Kind>(layout::tag_kind(tag))) {
    case Kind::kNull:
    case Kind::kFalse:
    case Kind::kTrue:
      if (tag >> 4U != 0) {
        return damaged(offset, "unknown tag");
      }
      return offset + 1;
    case Kind::kInt: {
      const std::uint64_t end = offset + 1 + (std::uint64_t{1} << layout::tag_width(tag));
      if (layout::tag_key_width(tag) != 0 || end > values_end_) {
        return damaged(offset, "an integer is cut short");
      }
      return end;
    }
    case Kind::kNumber:
      return check_text(offset, true);
    case Kind::kString:
      return check_text(offset, false);
    default:
      return damaged(offset, "unknown tag");
  }
}

Result<std::uint64_t> Validator::check_text(std::uint64_t offset, bool number) {
  const std::uint8_t tag = tag_at(offset);
  const layout::WidthCode width = layout::tag_width(tag);
  const std::uint64_t begin = offset + 1 + (std::uint64_t{1} << width);
  if (width > 2 || layout::tag_key_width(tag) != 0 || begin > values_end_) {
    return damaged(offset, "text is cut short");
  }
  const std::uint64_t size = layout::load_width(base_ + offset + 1, width);
  if (size > values_end_ - begin) {
    return damaged(offset, "text is cut short");
  }
  const std::string_view text = as_text(bytes_.subspan(begin, size));
  if (number && (!is_json_number(text) || number_as_int64(text))) {
    return damaged(offset, "text is not a number of its kind");
  }
  if (!number && !is_utf8(text)) {
    return damaged(offset, "text is not UTF-8");
  }
  return begin + size;
}

Result<std::uint64_t> Validator::check_container(std::uint64_t offset, std::uint64_t begin,
                                                 std::size_t depth) {
  if (depth >= kDepthMax) {
    return damaged(offset, "nested too deep");
  }
  const std::uint8_t tag = tag_at(offset);
  const layout::WidthCode width = layout::tag_width(tag);
  const layout::WidthCode key_width = layout::tag_key_width(tag);
  const bool object = layout::tag_kind(tag) == static_cast<std::uint8_t>(Kind::kObject);
  const std::uint64_t table = offset + 1 + (std::uint64_t{1} << width);
  if (width > 2 || key_width > 2 || (!object && key_width != 0) || table > values_end_) {
    return damaged(offset, "a container is cut short");
  }
  const Container c = Reader::container(base_, static_cast<std::uint32_t>(offset));
  const std::uint64_t numbers = std::uint64_t{c.count} * (c.order == nullptr ? 1 : 2);
  const std::uint64_t key_bytes = object ? std::uint64_t{c.count} << key_width : 0;
  const std::uint64_t end = table + (numbers << width) + key_bytes;
  if (end > values_end_) {
    return damaged(offset, "a container is cut short");
  }
  std::uint64_t cursor = begin;
  for (std::uint32_t i = 0; i < c.count; ++i) {
    const std::uint64_t distance =
        layout::load_width(c.distances + (std::size_t{i} << width), width);
    if (distance == 0 || distance > offset - cursor) {
      return damaged(offset, "a container points outside its children");
    }
    RK_TRY_ASSIGN(cursor, check_value(offset - distance, cursor, depth + 1));
    if (cursor > offset) {
      return damaged(offset, "a child reaches into its container");
    }
  }
  if (cursor != offset) {
    return damaged(cursor, "bytes that belong to no value");
  }
  if (object) {
    RK_TRY(check_members(c));
  }
  return end;
}

Result<void> Validator::check_members(const Container& c) {
  for (std::uint32_t i = 0; i < c.count; ++i) {
    if (c.key_id(i) >= keys_.count) {
      return damaged(c.offset, "a member names no key");
    }
  }
  if (c.order == nullptr) {
    for (std::uint32_t i = 1; i < c.count; ++i) {
      for (std::uint32_t j = 0; j < i; ++j) {
        if (keys_.at(c.key_id(i)) == keys_.at(c.key_id(j))) {
          return damaged(c.offset, "a key appears twice");
        }
      }
    }
    return {};
  }
  for (std::uint32_t rank = 0; rank < c.count; ++rank) {
    if (c.sorted(rank) >= c.count) {
      return damaged(c.offset, "the order names no member");
    }
    // Strictly ascending keys also mean that no member is named twice.
    if (rank > 0 && keys_.at(c.key_id(c.sorted(rank - 1))) >= keys_.at(c.key_id(c.sorted(rank)))) {
      return damaged(c.offset, "members are not in the order of their keys");
    }
  }
  return {};
}

}  // namespace

Result<void> validate(Bytes document) {
  RK_TRY(View::over(document));
  if (document.size() > layout::kSizeMaxBytes) {
    return Error(ErrorCode::corrupt, "a document is larger than its format allows");
  }
  return Validator(document).run();
}

}  // namespace rookery::value
