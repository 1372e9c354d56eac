// SPDX-License-Identifier: Apache-2.0
#include "rqt_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace rookery::rqt {

namespace {

struct KindName {
  std::string_view name;
  SectionKind kind;
};

constexpr auto kKinds = std::to_array<KindName>({
    {"documents", SectionKind::kDocuments},
    {"delete", SectionKind::kDelete},
    {"query", SectionKind::kQuery},
    {"parameters", SectionKind::kParameters},
    {"rows", SectionKind::kRows},
    {"includes", SectionKind::kIncludes},
    {"index", SectionKind::kIndex},
    {"error", SectionKind::kError},
});

[[nodiscard]] std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return lines;
}

[[nodiscard]] Error wrong(std::size_t line, std::string_view text) {
  return {ErrorCode::malformed, "line " + std::to_string(line + 1) + ": " + std::string(text)};
}

[[nodiscard]] bool eat(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) {
    return false;
  }
  text.remove_prefix(word.size());
  return true;
}

[[nodiscard]] Result<Section> parse_header(std::string_view header, std::size_t line) {
  Section section;
  section.line = line;
  for (const KindName& kind : kKinds) {
    std::string_view rest = header;
    if (!eat(rest, kind.name)) {
      continue;
    }
    section.kind = kind.kind;
    if (kind.kind == SectionKind::kRows) {
      section.any_order = eat(rest, " in any order");
      std::size_t total = 0;
      if (eat(rest, " of ")) {
        const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), total);
        if (read.ec != std::errc()) {
          return wrong(line, "expected a number after `of`");
        }
        section.total = total;
        rest.remove_prefix(static_cast<std::size_t>(read.ptr - rest.data()));
      }
    }
    if (rest.empty()) {
      return section;
    }
  }
  return wrong(line, "no section is called `" + std::string(header) + "`");
}

// What follows what: results follow a query, and a query has rows or an error.
[[nodiscard]] Result<void> check(const Case& one) {
  bool after_query = false;
  bool answered = true;
  for (const Section& section : one.sections) {
    switch (section.kind) {
      case SectionKind::kDocuments:
      case SectionKind::kDelete:
      case SectionKind::kQuery:
        if (!answered) {
          return wrong(section.line, "the query before says neither rows nor error");
        }
        after_query = section.kind == SectionKind::kQuery;
        answered = !after_query;
        break;
      case SectionKind::kRows:
      case SectionKind::kError:
        if (!after_query || answered) {
          return wrong(section.line, "rows or an error, once after a query");
        }
        answered = true;
        break;
      default:
        if (!after_query) {
          return wrong(section.line, "this section follows a query");
        }
    }
  }
  if (!answered || one.sections.empty()) {
    return wrong(one.line, "the case does not say what it expects");
  }
  return {};
}

class Parser {
 public:
  // Lines of `lines` for which `counts` is false are passed over.
  [[nodiscard]] Result<File> parse(std::vector<std::string> lines,
                                   const std::vector<bool>& counts) {
    file_.lines = std::move(lines);
    for (std::size_t i = 0; i < file_.lines.size(); ++i) {
      if (counts[i]) {
        RK_TRY(line(file_.lines[i], i));
      } else {
        section_ = nullptr;
      }
    }
    for (const Case& one : file_.cases) {
      RK_TRY(check(one));
    }
    return std::move(file_);
  }

 private:
  [[nodiscard]] Result<void> line(std::string_view text, std::size_t at) {
    if (eat(text, "=== ")) {
      file_.cases.push_back({.name = std::string(text), .line = at, .sections = {}});
      section_ = nullptr;
    } else if (eat(text, "--- ")) {
      if (file_.cases.empty()) {
        return wrong(at, "a section before the first case");
      }
      RK_TRY_ASSIGN(Section section, parse_header(text, at));
      section.body_end = at + 1;
      file_.cases.back().sections.push_back(std::move(section));
      section_ = &file_.cases.back().sections.back();
      blank_.clear();
    } else if (text.starts_with("#")) {
      return {};
    } else if (text.find_first_not_of(" \t\r") == std::string_view::npos) {
      blank_.emplace_back(text);
    } else if (section_ == nullptr) {
      return wrong(at, "expected a section, a case or a comment");
    } else {
      std::move(blank_.begin(), blank_.end(), std::back_inserter(section_->lines));
      blank_.clear();
      section_->lines.emplace_back(text);
      section_->body_end = at + 1;
    }
    return {};
  }

  File file_;
  Section* section_ = nullptr;      // into file_, until the next one is added
  std::vector<std::string> blank_;  // that count only if more lines come
};

}  // namespace

Result<File> parse_rqt(std::string_view text) {
  std::vector<std::string> lines = split_lines(text);
  const std::vector<bool> counts(lines.size(), true);
  return Parser().parse(std::move(lines), counts);
}

Result<File> parse_markdown(std::string_view text) {
  std::vector<std::string> lines = split_lines(text);
  std::vector<bool> counts(lines.size(), false);
  bool inside = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].starts_with("```")) {
      inside = !inside && lines[i] == "```rqt";
    } else {
      counts[i] = inside;
    }
  }
  return Parser().parse(std::move(lines), counts);
}

std::string with_replacements(const File& file, const std::vector<Replacement>& replacements) {
  std::string text;
  const auto append = [&](const std::string& line) {
    text += line;
    text += '\n';
  };
  for (std::size_t i = 0; i < file.lines.size();) {
    const auto found = std::find_if(replacements.begin(), replacements.end(),
                                    [&](const Replacement& r) { return r.section->line == i; });
    if (found == replacements.end()) {
      append(file.lines[i++]);
      continue;
    }
    append("--- " + found->header);
    std::for_each(found->lines.begin(), found->lines.end(), append);
    i = found->section->body_end;
  }
  return text;
}

}  // namespace rookery::rqt
