// SPDX-License-Identifier: Apache-2.0
#include "rookery/value/document.h"

#include <array>
#include <charconv>
#include <cstring>
#include <utility>

#include "rookery/base/check.h"

#include "layout.h"
#include "number.h"
#include "reader.h"

namespace rookery::value {

using layout::Kind;

Container Reader::container(const std::byte* base, std::uint32_t offset) noexcept {
  const auto tag = load<std::uint8_t>(base + offset);
  Container c{.base = base, .offset = offset, .width = layout::tag_width(tag)};
  const std::byte* at = base + offset + 1;
  c.count = layout::load_width(at, c.width);
  at += std::size_t{1} << c.width;
  if (layout::tag_kind(tag) == static_cast<std::uint8_t>(Kind::kObject)) {
    c.key_width = layout::tag_key_width(tag);
    c.keys = at;
    at += std::size_t{c.count} << c.key_width;
  }
  c.distances = at;
  if (c.keys != nullptr && c.count > layout::kLinearMembersMax) {
    c.order = at + (std::size_t{c.count} << c.width);
  }
  return c;
}

Keys Reader::keys(const std::byte* base) noexcept {
  const std::byte* table = base + load<std::uint32_t>(base + layout::kKeysAt);
  Keys keys{.count = load<std::uint32_t>(table),
            .width = load<std::uint8_t>(base + layout::kKeyWidthAt),
            .ends = table + sizeof(std::uint32_t)};
  keys.text = keys.ends + (std::size_t{keys.count} << keys.width);
  return keys;
}

std::string_view Reader::text(View view) noexcept {
  const std::byte* at = view.base_ + view.offset_;
  const layout::WidthCode width = layout::tag_width(load<std::uint8_t>(at));
  const std::uint32_t size = layout::load_width(at + 1, width);
  return {reinterpret_cast<const char*>(at + 1) + (std::size_t{1} << width), size};
}

std::string_view type_name(Type type) noexcept {
  constexpr std::array<std::string_view, 7> kNames = {"null",   "bool",  "int",   "number",
                                                      "string", "array", "object"};
  return kNames[static_cast<std::size_t>(type)];
}

Result<View> View::over(Bytes document) {
  if (document.size() < layout::kHeaderSize) {
    return Error(ErrorCode::corrupt, "a document is shorter than its header");
  }
  const std::byte* base = document.data();
  const auto version = load<std::uint8_t>(base);
  if (version > layout::kVersion) {
    return Error(ErrorCode::incompatible, "a document has a format newer than this program's");
  }
  const auto root = load<std::uint32_t>(base + layout::kRootAt);
  const auto keys = load<std::uint32_t>(base + layout::kKeysAt);
  const bool sound =
      version == layout::kVersion && load<std::uint8_t>(base + layout::kKeyWidthAt) <= 2 &&
      load<std::uint16_t>(base + layout::kReservedAt) == 0 && root >= layout::kHeaderSize &&
      root < keys && keys <= document.size() && document.size() - keys >= sizeof(std::uint32_t);
  if (!sound) {
    return Error(ErrorCode::corrupt, "a document's header is damaged");
  }
  return View(base, root);
}

Type View::type() const noexcept {
  if (base_ == nullptr) {
    return Type::kNull;
  }
  switch (static_cast<Kind>(layout::tag_kind(load<std::uint8_t>(base_ + offset_)))) {
    case Kind::kFalse:
    case Kind::kTrue:
      return Type::kBool;
    case Kind::kInt:
      return Type::kInt;
    case Kind::kNumber:
      return Type::kNumber;
    case Kind::kString:
      return Type::kString;
    case Kind::kArray:
      return Type::kArray;
    case Kind::kObject:
      return Type::kObject;
    case Kind::kNull:
      break;
  }
  return Type::kNull;
}

bool View::is_number() const noexcept {
  const Type t = type();
  return t == Type::kInt || t == Type::kNumber;
}

std::optional<bool> View::as_bool() const noexcept {
  if (type() != Type::kBool) {
    return std::nullopt;
  }
  const auto tag = load<std::uint8_t>(base_ + offset_);
  return layout::tag_kind(tag) == static_cast<std::uint8_t>(Kind::kTrue);
}

std::optional<std::int64_t> View::as_int64() const noexcept {
  if (type() != Type::kInt) {
    return std::nullopt;
  }
  const std::byte* at = base_ + offset_;
  switch (layout::tag_width(load<std::uint8_t>(at))) {
    case 0:
      return load<std::int8_t>(at + 1);
    case 1:
      return load<std::int16_t>(at + 1);
    case 2:
      return load<std::int32_t>(at + 1);
    default:
      return load<std::int64_t>(at + 1);
  }
}

std::optional<double> View::as_double() const noexcept {
  if (const std::optional<std::int64_t> integer = as_int64()) {
    return static_cast<double>(*integer);
  }
  if (type() != Type::kNumber) {
    return std::nullopt;
  }
  return number_to_double(Reader::text(*this));
}

std::optional<std::string_view> View::as_string() const noexcept {
  if (type() != Type::kString) {
    return std::nullopt;
  }
  return Reader::text(*this);
}

std::optional<std::string> View::number_text() const {
  if (const std::optional<std::int64_t> integer = as_int64()) {
    return std::to_string(*integer);
  }
  if (type() != Type::kNumber) {
    return std::nullopt;
  }
  return std::string(Reader::text(*this));
}

std::size_t View::size() const noexcept {
  const Type t = type();
  if (t != Type::kArray && t != Type::kObject) {
    return 0;
  }
  return Reader::container(*this).count;
}

View View::at(std::size_t index) const noexcept {
  RK_CHECK(type() == Type::kArray);
  const Container c = Reader::container(*this);
  RK_CHECK(index < c.count);
  return View(base_, c.child_offset(index));
}

std::string_view View::key_at(std::size_t index) const noexcept {
  RK_CHECK(type() == Type::kObject);
  const Container c = Reader::container(*this);
  RK_CHECK(index < c.count);
  return Reader::keys(base_).at(c.key_id(index));
}

View View::value_at(std::size_t index) const noexcept {
  RK_CHECK(type() == Type::kObject);
  const Container c = Reader::container(*this);
  RK_CHECK(index < c.count);
  return View(base_, c.child_offset(index));
}

std::optional<View> View::find(std::string_view key) const noexcept {
  if (type() != Type::kObject) {
    return std::nullopt;
  }
  const Container c = Reader::container(*this);
  const Keys keys = Reader::keys(base_);
  if (c.order == nullptr) {
    for (std::uint32_t i = 0; i < c.count; ++i) {
      if (keys.at(c.key_id(i)) == key) {
        return View(base_, c.child_offset(i));
      }
    }
    return std::nullopt;
  }
  std::uint32_t low = 0;
  std::uint32_t high = c.count;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    const std::uint32_t index = c.sorted(middle);
    const int order = keys.at(c.key_id(index)).compare(key);
    if (order == 0) {
      return View(base_, c.child_offset(index));
    }
    if (order < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return std::nullopt;
}

std::optional<std::string_view> View::find_string(std::string_view key) const noexcept {
  const std::optional<View> member = find(key);
  return member ? member->as_string() : std::nullopt;
}

std::optional<std::int64_t> View::find_int64(std::string_view key) const noexcept {
  const std::optional<View> member = find(key);
  return member ? member->as_int64() : std::nullopt;
}

std::optional<bool> View::find_bool(std::string_view key) const noexcept {
  const std::optional<View> member = find(key);
  return member ? member->as_bool() : std::nullopt;
}

Result<Document> Document::from_bytes(Bytes bytes) {
  RK_TRY(validate(bytes));
  Buffer copy;
  if (!copy.try_reserve(bytes.size()) || !copy.try_append(bytes)) {
    return ErrorCode::out_of_memory;
  }
  return Document(std::move(copy));
}

View Document::root() const noexcept {
  if (bytes_.size() == 0) {
    return View();
  }
  return Reader::view(bytes_.data(), load<std::uint32_t>(bytes_.data() + layout::kRootAt));
}

}  // namespace rookery::value
