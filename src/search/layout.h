// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "rookery/base/coding.h"
#include "rookery/base/result.h"

// Purpose. Where an index has what: the names of its trees, and the small values in them.
// Threads: any; plain values.
// Errors: corrupt, for bytes that cannot be; incompatible for a newer format.
// Source: docs/format/search.md.

namespace rookery::search {

inline constexpr std::string_view kStateTree = "search/state";      // "state" -> IndexState
inline constexpr std::string_view kFieldsTree = "search/fields";    // name -> FieldFacts
inline constexpr std::string_view kKeysTree = "search/keys";        // key -> entry's number
inline constexpr std::string_view kEntriesTree = "search/entries";  // number -> record
inline constexpr std::string_view kListsTree = "search/lists";      // list_key() -> posting list
inline constexpr std::string_view kChunksTree = "search/chunks";    // chunk_key() -> chunk
// One a field: term -> posting list.
[[nodiscard]] std::string terms_tree_name(std::uint32_t field);

inline constexpr std::string_view kStateKey = "state";
// Version 1 had other records (record.h), which are read as well: an index of it that is written to
// is of version 2 from then on.
inline constexpr std::uint64_t kFormatVersionFirst = 1;
inline constexpr std::uint64_t kFormatVersion = 2;

// Lists of entries that hang on no term.
enum class ListOf : char {
  kAll = 'a',      // every entry; its field is 0
  kHaving = 'h',   // entries that name the field
  kWithout = 'w',  // those of them that have no term in it
};

[[nodiscard]] std::string list_key(ListOf what, std::uint32_t field);

// Numbers are never used again, so that postings can only be appended.
struct IndexState {
  std::uint64_t next_entry = 1;
  std::uint64_t next_list_id = 1;
  std::uint32_t next_field = 1;
};

[[nodiscard]] std::string encode_state(const IndexState& state);
[[nodiscard]] Result<IndexState> decode_state(Bytes bytes);

struct FieldFacts {
  std::uint32_t number = 0;
  bool is_text = false;
  // Whether an entry ever had several terms here. Never taken back.
  bool is_multiple = false;
  std::uint64_t length = 0;  // full text: words of all entries
};

[[nodiscard]] std::string encode_facts(const FieldFacts& facts);
[[nodiscard]] Result<FieldFacts> decode_facts(Bytes bytes);

[[nodiscard]] std::string encode_number(std::uint64_t number);
[[nodiscard]] Result<std::uint64_t> decode_number(Bytes bytes);

// How a word weighs in an entry, in the 8 bits of a posting: its frequency (1 to 15, more counts as
// 15) in the upper half, the step of the field's length in the lower.
[[nodiscard]] std::uint8_t text_impact(std::uint64_t frequency, std::uint64_t length) noexcept;

struct Weight {
  double frequency = 1;
  double length = 0;  // 0: not full text; counts as the average
};

[[nodiscard]] Weight impact_weight(std::uint8_t impact) noexcept;

}  // namespace rookery::search
