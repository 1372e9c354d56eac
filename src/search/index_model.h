// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "rookery/search/index_reader.h"
#include "rookery/search/index_writer.h"

// Purpose. For tests: the index as it should be, a map of entries that is searched by looking at
// each, written without anything of the index but terms. And random entries, queries and orders out
// of a list of choices, which RapidCheck can shrink: what is not chosen is the simplest.

namespace rookery::search {

class Choices {
 public:
  explicit Choices(std::vector<std::uint32_t> choices) : choices_(std::move(choices)) {}

  // 0 once there are no more. Requires: bound > 0.
  std::uint32_t below(std::uint32_t bound) {
    return at_ < choices_.size() ? choices_[at_++] % bound : 0;
  }

  bool one_in(std::uint32_t count) { return below(count) == count - 1; }

 private:
  std::vector<std::uint32_t> choices_;
  std::size_t at_ = 0;
};

struct ModelField {
  bool is_text = false;
  std::vector<Term> terms;    // plain: ascending, each once
  std::vector<Token> tokens;  // full text
};

struct ModelEntry {
  std::uint64_t number = 0;
  std::string key;
  std::string stored;
  std::map<std::string, ModelField> fields;
};

struct ModelHit {
  std::string key;
  double score = 0;
};

class Model {
 public:
  void put(std::string_view key, std::string_view stored, const std::vector<FieldValues>& fields);

  bool erase(std::string_view key) { return entries_.erase(std::string(key)) > 0; }

  [[nodiscard]] const std::map<std::string, ModelEntry>& entries() const { return entries_; }

  // All matches in order, whatever the page. Scores are slow to come by.
  [[nodiscard]] std::vector<ModelHit> search(const Node& where, const std::vector<SortKey>& order,
                                             bool with_scores) const;

 private:
  std::map<std::string, ModelEntry> entries_;
  std::uint64_t next_number_ = 1;
};

[[nodiscard]] std::vector<FieldValues> random_fields(Choices& choices);
[[nodiscard]] Node random_node(Choices& choices, std::uint32_t depth = 0);
[[nodiscard]] std::vector<SortKey> random_order(Choices& choices);
// Keys of the entries that tests put: "k000" to "k999".
[[nodiscard]] std::string key_text(std::uint32_t number);

}  // namespace rookery::search
