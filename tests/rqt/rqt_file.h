// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rookery/base/result.h"

// Purpose. The text of .rqt files, taken apart.
// Source: docs/rqt.md.

namespace rookery::rqt {

enum class SectionKind : std::uint8_t {
  kDocuments,
  kDelete,
  kQuery,
  kParameters,
  kRows,
  kIncludes,
  kIndex,
  kError,
};

struct Section {
  SectionKind kind = SectionKind::kDocuments;
  std::size_t line = 0;            // of the header, from 0
  std::size_t body_end = 0;        // the line after the last that belongs to it
  std::vector<std::string> lines;  // without comments, and blank ones at the end
  // Of kRows.
  bool any_order = false;
  std::optional<std::size_t> total;
};

struct Case {
  std::string name;
  std::size_t line = 0;  // from 0
  std::vector<Section> sections;
};

struct File {
  std::vector<std::string> lines;
  std::vector<Case> cases;
};

// Errors: malformed, naming the line.
[[nodiscard]] Result<File> parse_rqt(std::string_view text);
// The same of a Markdown page, whose blocks of ```rqt are what counts.
[[nodiscard]] Result<File> parse_markdown(std::string_view text);

struct Replacement {
  const Section* section = nullptr;
  std::vector<std::string> lines;
  std::string header;
};

// The file's text with the bodies of some sections replaced, all else as it was.
[[nodiscard]] std::string with_replacements(const File& file,
                                            const std::vector<Replacement>& replacements);

}  // namespace rookery::rqt
