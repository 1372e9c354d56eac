// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "rookery/base/prng.h"

// Purpose. Random JSON for tests: a text with all the freedom the grammar allows (whitespace,
// escapes, spellings of numbers) beside the text that JsonWriter must make of it.

namespace rookery::value {

struct RandomJson {
  std::string text;
  std::string canonical;
};

class JsonGenerator {
 public:
  explicit JsonGenerator(Prng& prng) : prng_(prng) {}

  // About `values` values.
  [[nodiscard]] RandomJson document(std::size_t values);

 private:
  void add_value(std::size_t depth);
  void add_array(std::size_t depth);
  void add_object(std::size_t depth);
  void add_key(std::uint64_t key);
  void add_string();
  void add_characters();
  void add_code_point(char32_t code);
  void add_number();
  void add_digits(std::size_t count);
  void add_both(std::string_view text);
  void add_space();

  Prng& prng_;
  RandomJson json_;
  std::size_t left_ = 0;  // values still to be made
};

}  // namespace rookery::value
