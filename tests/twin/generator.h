// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rookery/base/prng.h"
#include "rookery/query/ast.h"

#include "naive.h"

// Purpose. Documents and queries at random, from few values, so that queries find something.

namespace rookery::twin {

struct Question {
  query::Query query;
  Json parameters = Json::object();
};

class Generator {
 public:
  explicit Generator(Prng& prng) : prng_(prng) {}

  // A document under one of few ids, so that it often replaces another. No stamp.
  [[nodiscard]] Document document();
  [[nodiscard]] std::string id();
  [[nodiscard]] Question question();

 private:
  // What a field usually holds.
  enum class Pool : std::uint8_t { kNumbers, kTexts, kDates, kProse, kTags, kAnything, kIds };

  struct Choice {
    std::string_view path;  // segments with dots between; `[]` and `[0]` behind a name
    Pool pool;
  };

  [[nodiscard]] const Choice& choose();
  [[nodiscard]] Json from_pool(Pool pool);
  [[nodiscard]] Json number();
  [[nodiscard]] Json text();
  [[nodiscard]] Json date_text();
  [[nodiscard]] std::string prose();
  [[nodiscard]] Json scalar();
  [[nodiscard]] Json anything(int depth);
  [[nodiscard]] Json usual(Pool pool);

  [[nodiscard]] query::Expression field(const Choice& choice);
  [[nodiscard]] query::Expression literal(Json value);
  [[nodiscard]] query::Expression call(query::Method method, std::string_view name,
                                       std::vector<query::Expression> arguments);
  [[nodiscard]] query::Expression condition(int depth);
  [[nodiscard]] query::Expression logical(int depth);
  [[nodiscard]] query::Expression comparison();
  [[nodiscard]] query::Expression between();
  [[nodiscard]] query::Expression in();
  [[nodiscard]] query::Expression text_condition();
  [[nodiscard]] query::Expression search();
  void add_order(query::Query& query);
  void add_page(query::Query& query);
  void add_select(query::Query& query);

  template <typename T>
  [[nodiscard]] const T& pick(const std::vector<T>& from) {
    return from[prng_.below(from.size())];
  }

  Prng& prng_;
  std::string alias_;  // of the query being made
  Json parameters_;
  bool scores_ = false;  // the query's order is by score
};

}  // namespace rookery::twin
