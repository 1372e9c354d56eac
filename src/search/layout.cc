// SPDX-License-Identifier: Apache-2.0
#include "layout.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "posting_codec.h"

namespace rookery::search {
namespace {

constexpr std::uint64_t kTextFlag = 1;
constexpr std::uint64_t kMultipleFlag = 2;

// Lengths are kept as the greatest of these that is not above them.
constexpr std::array<std::uint16_t, 16> kLengthSteps = {1,  2,  3,  4,   6,   8,   12,   16,
                                                        24, 32, 64, 128, 256, 512, 1024, 4096};

Error corrupt(std::string_view what) {
  return {ErrorCode::corrupt, std::string(what)};
}

}  // namespace

std::string terms_tree_name(std::uint32_t field) {
  return "search/terms/" + std::to_string(field);
}

std::string list_key(ListOf what, std::uint32_t field) {
  std::string key(1 + sizeof(std::uint64_t), static_cast<char>(what));
  store_be64(reinterpret_cast<std::byte*>(key.data()) + 1, field);
  return key;
}

std::string encode_state(const IndexState& state) {
  std::string bytes;
  append_varint(bytes, kFormatVersion);
  append_varint(bytes, state.next_entry);
  append_varint(bytes, state.next_list_id);
  append_varint(bytes, state.next_field);
  return bytes;
}

Result<IndexState> decode_state(Bytes bytes) {
  const std::optional<std::uint64_t> version = take_varint(bytes);
  if (version && *version != kFormatVersion && *version != kFormatVersionFirst) {
    return Error(ErrorCode::incompatible, "the index has format " + std::to_string(*version));
  }
  const std::optional<std::uint64_t> entry = take_varint(bytes);
  const std::optional<std::uint64_t> list = take_varint(bytes);
  const std::optional<std::uint64_t> field = take_varint(bytes);
  if (!version || !entry || !list || !field || !bytes.empty() || *entry > kEntryNumberMax ||
      *field > std::numeric_limits<std::uint32_t>::max()) {
    return corrupt("an index's state cannot be");
  }
  return IndexState{.next_entry = *entry,
                    .next_list_id = *list,
                    .next_field = static_cast<std::uint32_t>(*field)};
}

std::string encode_facts(const FieldFacts& facts) {
  std::string bytes;
  append_varint(bytes, facts.number);
  append_varint(bytes, (facts.is_text ? kTextFlag : 0) | (facts.is_multiple ? kMultipleFlag : 0));
  append_varint(bytes, facts.length);
  return bytes;
}

Result<FieldFacts> decode_facts(Bytes bytes) {
  const std::optional<std::uint64_t> number = take_varint(bytes);
  const std::optional<std::uint64_t> flags = take_varint(bytes);
  const std::optional<std::uint64_t> length = take_varint(bytes);
  if (!number || !flags || !length || !bytes.empty() || *flags > (kTextFlag | kMultipleFlag) ||
      *number > std::numeric_limits<std::uint32_t>::max()) {
    return corrupt("a field's facts cannot be");
  }
  return FieldFacts{.number = static_cast<std::uint32_t>(*number),
                    .is_text = (*flags & kTextFlag) != 0,
                    .is_multiple = (*flags & kMultipleFlag) != 0,
                    .length = *length};
}

std::string encode_number(std::uint64_t number) {
  std::string bytes(sizeof(number), '\0');
  store_be64(reinterpret_cast<std::byte*>(bytes.data()), number);
  return bytes;
}

Result<std::uint64_t> decode_number(Bytes bytes) {
  if (bytes.size() != sizeof(std::uint64_t) || load_be64(bytes.data()) > kEntryNumberMax) {
    return corrupt("an entry's number cannot be");
  }
  return load_be64(bytes.data());
}

std::uint8_t text_impact(std::uint64_t frequency, std::uint64_t length) noexcept {
  const auto above = std::upper_bound(kLengthSteps.begin(), kLengthSteps.end(), length);
  const auto step = above == kLengthSteps.begin() ? 0 : above - kLengthSteps.begin() - 1;
  const std::uint64_t capped = std::clamp<std::uint64_t>(frequency, 1, 15);
  return static_cast<std::uint8_t>(capped << 4U | static_cast<std::uint64_t>(step));
}

Weight impact_weight(std::uint8_t impact) noexcept {
  if (impact == 0) {
    return {};
  }
  return {.frequency = static_cast<double>(impact >> 4U),
          .length = static_cast<double>(kLengthSteps[impact & 0xFU])};
}

}  // namespace rookery::search
