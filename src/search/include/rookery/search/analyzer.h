// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

// Purpose. From text to the words that full-text search looks for: Unicode word breaks (UAX 29, by
// ICU), case folded, English stop words of the default analyzer left out (their positions stay).
// Threads: any; an Analyzer is for one thread at a time.
// Source: docs/rql.md "search()".

namespace rookery::search {

struct Token {
  std::string text;            // folded
  std::uint32_t position = 0;  // of the word in the text, stop words counted
};

class Analyzer {
 public:
  Analyzer();
  ~Analyzer();
  Analyzer(Analyzer&&) noexcept;
  Analyzer& operator=(Analyzer&&) noexcept;

  [[nodiscard]] std::vector<Token> analyze(std::string_view text);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace rookery::search
