// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "rookery/base/prng.h"

// Purpose. For tests: documents over few fields and few values, and conditions on them as text, so
// that they meet often.

namespace rookery::index {

class RandomConditions {
 public:
  explicit RandomConditions(Prng& prng) : prng_(prng) {}

  std::string value() {
    return std::string(pick(std::to_array<std::string_view>({"null",
                                                             "true",
                                                             "false",
                                                             "0",
                                                             "1",
                                                             "1.0",
                                                             "2.5",
                                                             "-3",
                                                             "9007199254740993",
                                                             "\"\"",
                                                             "\"a\"",
                                                             "\"A\"",
                                                             "\"ab\"",
                                                             "\"b\"",
                                                             "\"5\"",
                                                             "\"\\u00c4b\"",
                                                             "\"2020-01-01\"",
                                                             "\"2020-01-01T02:00:00+02:00\"",
                                                             "\"2020-01-01T00:00:00.5Z\"",
                                                             "\"2021-06-01\"",
                                                             "\"ab b. A ab\"",
                                                             "\"b, the 5-AB\""})));
  }

  std::string document() {
    std::string json = "{";
    std::string_view comma;
    for (const std::string_view field : kFields) {
      if (prng_.chance(3)) {
        continue;
      }
      json += comma;
      json += "\"" + std::string(field) + "\":" + field_value(2);
      comma = ",";
    }
    return json + "}";
  }

  std::string condition(int depth) {
    if (depth > 0 && prng_.chance(2)) {
      const std::string_view joint = prng_.chance(2) ? " and " : " or ";
      std::string left = condition(depth - 1);
      std::string right = condition(depth - 1);
      if (prng_.chance(4)) {
        right = "not (" + right + ")";
      }
      return "(" + left + std::string(joint) + right + ")";
    }
    if (prng_.chance(6)) {
      return search();
    }
    return prng_.chance(5) ? "exact(" + leaf() + ")" : leaf();
  }

 private:
  static constexpr auto kFields = std::to_array<std::string_view>({"x", "y", "z"});

  template <typename Array>
  std::string_view pick(const Array& array) {
    return array[prng_.below(array.size())];
  }

  std::string field_value(int depth) {
    if (depth > 0 && prng_.chance(3)) {
      std::string json = "[";
      std::string_view comma;
      for (std::uint64_t i = prng_.below(4); i > 0; --i) {
        json += comma;
        json += field_value(depth - 1);
        comma = ",";
      }
      return json + "]";
    }
    if (depth > 0 && prng_.chance(5)) {
      return R"({"n":)" + field_value(depth - 1) + "}";
    }
    return value();
  }

  std::string field() {
    return std::string(pick(std::to_array<std::string_view>(
        {"x", "y", "z", "x[]", "x.n", "y[].n", "missing", "@metadata.@collection"})));
  }

  // As RQL writes it: JSON's strings will do.
  std::string literal() { return value(); }

  std::string list() {
    std::string text = "(";
    std::string_view comma;
    for (std::uint64_t i = prng_.below(4); i > 0; --i) {
      text += comma;
      text += literal();
      comma = ", ";
    }
    return text + ")";
  }

  std::string search() {
    std::string words;
    for (std::uint64_t i = 1 + prng_.below(3); i > 0; --i) {
      words += std::string(words.empty() ? "" : " ") + std::string(pick(kWords));
    }
    return "search(" + field() + ", '" + words + "'" + std::string(pick(kJoints)) + ")";
  }

  std::string leaf() {
    switch (prng_.below(9)) {
      case 0:
        return field() + " in " + list();
      case 1:
        return field() + " all in " + list();
      case 2:
        return "startsWith(" + field() + ", \"" + std::string(pick(kPieces)) + "\")";
      case 3:
        return "endsWith(" + field() + ", \"" + std::string(pick(kPieces)) + "\")";
      case 4:
        return "exists(" + field() + ")";
      case 5:
        return field() + std::string(prng_.chance(2)
                                         ? " between \"2020\" and \"2020-01-01T00:00:01Z\""
                                         : " between 0 and 2.5");
      case 6:
        return "id() " + std::string(pick(kOperators)) + " \"Users/" +
               std::to_string(prng_.below(9)) + "\"";
      case 7:
        return "regex(" + field() + ", \"^.?b\")";
      default:
        return field() + " " + std::string(pick(kOperators)) + " " + literal();
    }
  }

  static constexpr auto kOperators =
      std::to_array<std::string_view>({"=", "!=", "<", "<=", ">", ">="});
  static constexpr auto kJoints = std::to_array<std::string_view>({"", ", or", ", and"});
  static constexpr auto kWords = std::to_array<std::string_view>(
      {"ab", "B", "a", "5", "2.5", "3", "TRUE", "users", "\u00c4b", "2020", "a*", "*b", "?b", "2*0",
       "\"b ab\"", "\"ab b\"", "\"b the 5\"", "\"b a ab\"", "5-ab"});
  static constexpr auto kPieces = std::to_array<std::string_view>({"", "a", "A", "b", "20", "ab"});

  Prng& prng_;
};

}  // namespace rookery::index
